// swift-tools-version: 6.2
import PackageDescription

// Servers and clients of UVHTTP and of NIOHTTP1 that say what they have understood: for `Tests/run http-peers`.
let package = Package(
  name: "http-peers",
  platforms: [.macOS(.v26)],
  dependencies: [
    .package(name: "swift-uv", path: "../..", traits: ["Everything"]),
    .package(url: "https://github.com/apple/swift-nio", from: "2.90.0"),
  ],
  targets: [
    .executableTarget(
      name: "http-peers",
      dependencies: [
        .product(name: "UVHTTP", package: "swift-uv"),
        .product(name: "NIOCore", package: "swift-nio"),
        .product(name: "NIOHTTP1", package: "swift-nio"),
        .product(name: "NIOPosix", package: "swift-nio"),
      ], path: "Sources",
      swiftSettings: [.enableUpcomingFeature("NonisolatedNonsendingByDefault")])
  ]
)
