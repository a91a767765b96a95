// swift-tools-version: 6.2
import PackageDescription

// A package of its own, so that nobody who uses swift-uv fetches SwiftNIO.
let package = Package(
  name: "nio-promises",
  platforms: [.macOS(.v26)],
  dependencies: [
    .package(name: "swift-uv", path: "../../.."),
    .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
  ],
  targets: [
    .target(name: "CAllocations"),
    .executableTarget(
      name: "promise-peers",
      dependencies: [
        "CAllocations",
        .product(name: "UV", package: "swift-uv"),
        .product(name: "UVPromises", package: "swift-uv"),
        .product(name: "NIOCore", package: "swift-nio"),
        .product(name: "NIOEmbedded", package: "swift-nio"),
        .product(name: "NIOPosix", package: "swift-nio"),
      ]),
  ]
)
