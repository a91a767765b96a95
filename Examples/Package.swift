// swift-tools-version: 6.2
import PackageDescription

// The examples, a package of their own: nobody who depends on swift-uv fetches what only they need.
//
//   swift run --package-path Examples EchoServer
//   swift test --package-path Examples
let settings: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("MemberImportVisibility"),
]

func uv(_ name: String) -> Target.Dependency { .product(name: name, package: "swift-uv") }

func nio(_ name: String) -> Target.Dependency { .product(name: name, package: "swift-nio") }

/// What HTTPServer needs for TLS and HTTP/2.
func tls(_ name: String, _ package: String) -> Target.Dependency {
  .product(name: name, package: package, condition: .when(traits: ["TLS"]))
}

/// The options of the larger examples.
let options: Target.Dependency = .product(name: "ArgumentParser", package: "swift-argument-parser")

func example(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
  .executableTarget(name: name, dependencies: dependencies, swiftSettings: settings)
}

let package = Package(
  name: "Examples",
  platforms: [.macOS(.v26)],
  products: [
    // The benchmark has them, too.
    .library(name: "RedisCommands", targets: ["RedisCommands"])
  ],
  traits: [
    // Off by default: BoringSSL, which comes with it, takes minutes to compile.
    .trait(name: "TLS", description: "TLS and HTTP/2 in HTTPServer: swift-nio-ssl, swift-nio-http2.")
  ],
  dependencies: [
    .package(name: "swift-uv", path: "..", traits: ["Everything"]),
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.5.0"),
    .package(url: "https://github.com/apple/swift-nio", from: "2.90.0"),
    .package(url: "https://github.com/apple/swift-nio-http2", from: "1.40.0"),
    .package(url: "https://github.com/apple/swift-nio-ssl", from: "2.30.0"),
  ],
  targets: [
    example("AppendLog", [uv("UV")]),
    example("Chat", [uv("UVHTTP"), options]),
    example("Copy", [uv("UV"), uv("UVPromises"), uv("UVFutures")]),
    example("CounterAPI", [uv("UVHTTP")]),
    example("Dashboard", [uv("UVDiagnostics")]),
    example("EchoServer", [uv("UV")]),
    example("FileServer", [uv("UVHTTPFiles"), uv("UVTLS"), options]),
    example("FourStyles", [uv("UV"), uv("UVPromises"), uv("UVFutures")]),
    example(
      "HTTPServer",
      [
        uv("UVNIO"), nio("NIOCore"), nio("NIOHTTP1"), nio("NIOWebSocket"), tls("NIOHTTP2", "swift-nio-http2"),
        tls("NIOSSL", "swift-nio-ssl"), options,
      ]),
    // The host alone knows libuv.
    .systemLibrary(
      name: "CHostLibuv", pkgConfig: "libuv", providers: [.apt(["libuv1-dev"]), .brew(["libuv"])]),
    example("InsideHost", ["CHostLibuv", uv("UV")]),
    example("Lines", [uv("UV")]),
    example("MainActorInLoop", [uv("UV")]),
    example("Proxy", [uv("UVHTTP"), uv("UVTLS"), options]),
    example("RedisClient", [uv("UV"), options]),
    .target(name: "RedisCommands", dependencies: [uv("UV")], swiftSettings: settings),
    example(
      "RedisServer", ["RedisCommands", uv("UV"), uv("UVTLS"), uv("UVPromises"), uv("UVFutures"), options]),
    example("Service", [uv("UV"), uv("UVService")]),
    example("Supervisor", [uv("UV"), options]),
    example("Tail", [uv("UV"), options]),
    example("WebSocketEcho", [uv("UVHTTP")]),
    example("Workers", [uv("UV")]),
    .testTarget(
      name: "ExampleTests",
      dependencies: [
        "AppendLog", "Chat", "Copy", "CounterAPI", "Dashboard", "EchoServer", "FileServer", "FourStyles",
        "HTTPServer",
        "InsideHost",
        "Lines",
        "MainActorInLoop", "Proxy", "RedisClient", "RedisServer", "Service", "Supervisor", "Tail", "Workers",
        uv("UV"), uv("UVHTTP"),
      ],
      swiftSettings: settings),
  ]
)
