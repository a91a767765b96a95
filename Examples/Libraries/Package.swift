// swift-tools-version: 6.2
import PackageDescription

let settings: [SwiftSetting] = [
  .swiftLanguageMode(.v6), .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("MemberImportVisibility"),
]

// A package of its own, so that nobody fetches gRPC and Hummingbird who doesn't want them.
let package = Package(
  name: "LibrariesOnLibuv",
  platforms: [.macOS(.v26)],
  dependencies: [
    .package(name: "swift-uv", path: "../..", traits: ["Everything"]),
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.5.0"),
    .package(url: "https://github.com/apple/swift-crypto", from: "4.0.0"),
    .package(url: "https://github.com/apple/swift-log", from: "1.6.0"),
    .package(url: "https://github.com/apple/swift-nio", from: "2.96.0"),
    .package(url: "https://github.com/apple/swift-nio-extras", from: "1.34.0"),
    .package(url: "https://github.com/grpc/grpc-swift-2", from: "2.4.0"),
    .package(url: "https://github.com/grpc/grpc-swift-nio-transport", from: "2.9.0"),
    .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.0"),
    .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.6.0"),
  ],
  targets: [
    .executableTarget(
      name: "FileDigest",
      dependencies: [
        .product(name: "UV", package: "swift-uv"), .product(name: "Crypto", package: "swift-crypto"),
        .product(name: "CryptoExtras", package: "swift-crypto"),
      ],
      swiftSettings: settings + [.enableUpcomingFeature("NonisolatedNonsendingByDefault")]),
    .executableTarget(
      name: "GRPCEcho",
      dependencies: [
        .product(name: "UVNIO", package: "swift-uv"), .product(name: "NIOCore", package: "swift-nio"),
        .product(name: "GRPCCore", package: "grpc-swift-2"),
        .product(name: "GRPCNIOTransportHTTP2Posix", package: "grpc-swift-nio-transport"),
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ],
      swiftSettings: settings),
    .executableTarget(
      name: "HummingbirdServer",
      dependencies: [
        .product(name: "UVNIO", package: "swift-uv"), .product(name: "NIOCore", package: "swift-nio"),
        .product(name: "NIOExtras", package: "swift-nio-extras"),
        .product(name: "Hummingbird", package: "hummingbird"),
        .product(name: "HummingbirdCore", package: "hummingbird"),
        .product(name: "Logging", package: "swift-log"),
        .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
        .product(name: "UnixSignals", package: "swift-service-lifecycle"),
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ],
      swiftSettings: settings),
  ]
)
