// swift-tools-version: 6.2
import PackageDescription

// Build it with `swift build -c release`.
let package = Package(
  name: "HostLibrary",
  platforms: [.macOS(.v26)],
  products: [.library(name: "Example", type: .dynamic, targets: ["Example"])],
  dependencies: [
    // Without its trait `LinkLibuv`: the host has a libuv.
    .package(name: "swift-uv", path: "../../..", traits: [])
  ],
  targets: [
    .target(
      name: "Example", dependencies: [.product(name: "UV", package: "swift-uv")],
      swiftSettings: [
        .swiftLanguageMode(.v6), .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
        .enableUpcomingFeature("MemberImportVisibility"),
      ])
  ]
)
