// swift-tools-version: 6.2
import PackageDescription

let settings: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("MemberImportVisibility"),
]

// `build.js` builds this: it knows where the headers of Node are.
let package = Package(
  name: "Node",
  platforms: [.macOS(.v26)],
  products: [
    .library(name: "Node", targets: ["Node"]),
    .library(name: "Example", type: .dynamic, targets: ["Example"]),
  ],
  dependencies: [
    // Without its trait `LinkLibuv`: Node has a libuv.
    .package(name: "swift-uv", path: "../../..", traits: [])
  ],
  targets: [
    .systemLibrary(name: "CNodeAPI", path: "CModules/CNodeAPI"),
    .target(
      name: "Node", dependencies: ["CNodeAPI", .product(name: "UV", package: "swift-uv")],
      swiftSettings: settings),
    .target(
      name: "Example", dependencies: ["Node", .product(name: "UV", package: "swift-uv")],
      swiftSettings: settings),
  ]
)
