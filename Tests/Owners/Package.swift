// swift-tools-version: 6.2
import PackageDescription

// A server whose socket has owners: for `Tests/run owners`.
let package = Package(
  name: "owners",
  platforms: [.macOS(.v26)],
  dependencies: [.package(name: "swift-uv", path: "../..")],
  targets: [
    .executableTarget(
      name: "owners", dependencies: [.product(name: "UV", package: "swift-uv")], path: "Sources",
      swiftSettings: [.enableUpcomingFeature("NonisolatedNonsendingByDefault")])
  ]
)
