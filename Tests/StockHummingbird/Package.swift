// swift-tools-version: 6.2
import PackageDescription

// An application of a stock Hummingbird, on SwiftNIO's own event loops, whose stalls StallWatch reports. `Tests/run hummingbird` builds
// and tries it. It uses nothing else of swift-uv, so it asks for no trait, and libuv isn't linked.
let package = Package(
  name: "hummingbird-stalls",
  platforms: [.macOS(.v26)],
  dependencies: [
    .package(name: "swift-uv", path: "../..", traits: []),
    .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.0"),
  ],
  targets: [
    .executableTarget(
      name: "Server",
      dependencies: [
        .product(name: "Hummingbird", package: "hummingbird"),
        .product(name: "StallWatch", package: "swift-uv"),
      ])
  ])
