// swift-tools-version: 6.2
import PackageDescription

// A package of its own, so that nobody fetches drivers who doesn't want them.
let package = Package(
  name: "DriversOnLibuv",
  platforms: [.macOS(.v26)],
  dependencies: [
    .package(name: "swift-uv", path: "../..", traits: ["Everything"]),
    .package(url: "https://github.com/apple/swift-log", from: "1.6.0"),
    .package(url: "https://github.com/apple/swift-nio", from: "2.96.0"),
    .package(url: "https://github.com/vapor/postgres-nio", from: "1.24.0"),
    .package(url: "https://github.com/valkey-io/valkey-swift", from: "1.0.0"),
  ],
  targets: [
    .executableTarget(
      name: "AccountsAPI",
      dependencies: [
        .product(name: "UVHTTP", package: "swift-uv"), .product(name: "UVNIO", package: "swift-uv"),
        .product(name: "NIOCore", package: "swift-nio"), .product(name: "Logging", package: "swift-log"),
        .product(name: "PostgresNIO", package: "postgres-nio"),
      ],
      swiftSettings: [.enableUpcomingFeature("NonisolatedNonsendingByDefault")]),
    .executableTarget(
      name: "PostgresSum",
      dependencies: [
        .product(name: "UVNIO", package: "swift-uv"), .product(name: "NIOCore", package: "swift-nio"),
        .product(name: "Logging", package: "swift-log"),
        .product(name: "PostgresNIO", package: "postgres-nio"),
      ]),
    .executableTarget(
      name: "ValkeyCount",
      dependencies: [
        .product(name: "UVNIO", package: "swift-uv"), .product(name: "NIOCore", package: "swift-nio"),
        .product(name: "Logging", package: "swift-log"), .product(name: "Valkey", package: "valkey-swift"),
      ]),
  ]
)
