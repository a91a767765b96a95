// swift-tools-version: 6.2
import PackageDescription

// A server of the products alone that is replaced under load: for `Tests/run restart`.
let package = Package(
  name: "restart",
  platforms: [.macOS(.v26)],
  dependencies: [.package(name: "swift-uv", path: "../..", traits: ["Everything"])],
  targets: [
    .executableTarget(
      name: "restart",
      dependencies: [
        .product(name: "UVHTTP", package: "swift-uv"),
        .product(name: "UVTLS", package: "swift-uv"),
      ], path: "Sources",
      swiftSettings: [.enableUpcomingFeature("NonisolatedNonsendingByDefault")])
  ]
)
