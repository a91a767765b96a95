// swift-tools-version: 6.2
import PackageDescription

// A package of its own, so that nobody who uses swift-uv fetches SwiftNIO.
let package = Package(
  name: "swift-peers",
  platforms: [.macOS(.v26)],
  dependencies: [
    .package(name: "swift-uv", path: "../../..", traits: ["Everything"]),
    .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
    .package(url: "https://github.com/apple/swift-nio-ssl", from: "2.37.6"),
    .package(url: "https://github.com/OpenCombine/OpenCombine", from: "0.14.0"),
    .package(url: "https://github.com/swift-server/async-http-client", from: "1.37.0"),
  ],
  targets: [
    .target(name: "PeerContract"),
    .executableTarget(
      name: "nio-peer",
      dependencies: [
        "PeerContract",
        .product(name: "NIOCore", package: "swift-nio"),
        .product(name: "NIOHTTP1", package: "swift-nio"),
        .product(name: "NIOPosix", package: "swift-nio"),
        .product(name: "NIOSSL", package: "swift-nio-ssl"),
        .product(name: "UVNIO", package: "swift-uv"),
      ]),
    .executableTarget(
      name: "ahc-peer",
      dependencies: [
        "PeerContract",
        .product(name: "AsyncHTTPClient", package: "async-http-client"),
        .product(name: "NIOCore", package: "swift-nio"),
        .product(name: "NIOPosix", package: "swift-nio"),
      ]),
    .executableTarget(name: "opencombine-peer", dependencies: ["PeerContract", "OpenCombine"]),
  ],
  // What is counted on a loop needs no box with a check of its own here: it would be measured too.
  swiftLanguageModes: [.v5]
)
