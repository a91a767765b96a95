// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "fuzz",
  platforms: [.macOS(.v26)],
  dependencies: [.package(name: "swift-uv", path: "../..", traits: ["Everything"])],
  targets: [
    .executableTarget(
      name: "fuzz",
      dependencies: [
        .product(name: "UV", package: "swift-uv"), .product(name: "UVTLS", package: "swift-uv"),
        .product(name: "UVHTTP", package: "swift-uv"),
      ], path: ".",
      exclude: ["Package.swift"], sources: ["main.swift", "Entries"],
      // The entries are those of the library's tests, which ask for its trait.
      swiftSettings: [.enableUpcomingFeature("NonisolatedNonsendingByDefault"), .define("Everything")])
  ]
)
