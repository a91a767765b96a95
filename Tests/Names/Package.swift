// swift-tools-version: 6.2
import PackageDescription

// The program that `Tests/run names` measures with.
let package = Package(
  name: "names",
  platforms: [.macOS(.v26)],
  dependencies: [.package(name: "swift-uv", path: "../..")],
  targets: [
    .executableTarget(
      name: "names",
      dependencies: [
        .product(name: "UV", package: "swift-uv"), .product(name: "UVDNS", package: "swift-uv"),
      ],
      swiftSettings: [.enableUpcomingFeature("NonisolatedNonsendingByDefault")])
  ])
