// swift-tools-version: 6.2
import PackageDescription

// The examples in a simulation. A package of its own: the simulation itself needs neither NIO nor a parser of
// arguments.
let settings: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("MemberImportVisibility"),
]

func uv(_ name: String) -> Target.Dependency { .product(name: name, package: "swift-uv") }

func nio(_ name: String) -> Target.Dependency { .product(name: name, package: "swift-nio") }

let options: Target.Dependency = .product(name: "ArgumentParser", package: "swift-argument-parser")

/// The sources of an example, by a link, as a library: its entry point has a name of its own.
func example(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
  let flags = ["-enable-testing", "-Xfrontend", "-entry-point-function-name", "-Xfrontend", "\(name)_main"]
  return .target(name: name, dependencies: dependencies, swiftSettings: settings + [.unsafeFlags(flags)])
}

let package = Package(
  name: "simulated-examples",
  dependencies: [
    .package(name: "swift-uv", path: "../..", traits: ["Everything"]),
    .package(name: "swift-uv-simulation", path: ".."),
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.5.0"),
    .package(url: "https://github.com/apple/swift-nio", from: "2.90.0"),
  ],
  targets: [
    example("Chat", [uv("UVHTTP"), options]),
    example("FileServer", [uv("UVHTTPFiles"), uv("UVTLS"), options]),
    example("HTTPServer", [uv("UVNIO"), nio("NIOCore"), nio("NIOHTTP1"), nio("NIOWebSocket"), options]),
    example("Proxy", [uv("UVHTTP"), uv("UVTLS"), options]),
    .target(name: "RedisCommands", dependencies: [uv("UV")], swiftSettings: settings),
    example(
      "RedisServer", ["RedisCommands", uv("UV"), uv("UVTLS"), uv("UVPromises"), uv("UVFutures"), options]),
    .executableTarget(
      name: "SimulatedExamples",
      dependencies: [
        "Chat", "FileServer", "HTTPServer", "Proxy", "RedisServer", uv("UV"), uv("UVTLS"), uv("UVFutures"),
        uv("UVHTTP"), uv("UVNIO"), nio("NIOCore"), options,
        .product(name: "UVSimulation", package: "swift-uv-simulation"),
        .product(name: "WorldSupport", package: "swift-uv-simulation"),
      ],
      swiftSettings: settings),
  ]
)
