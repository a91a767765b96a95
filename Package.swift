// swift-tools-version: 6.2
import PackageDescription

let settings: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("MemberImportVisibility"),
]

/// `FilePath` and `errno` values; part of the system on Apple platforms.
let system: Target.Dependency = .product(
  name: "SystemPackage", package: "swift-system",
  condition: .when(platforms: [.linux, .android]))

/// A part of OpenCombine, which takes the place of Apple's Combine.
func combine(_ name: String) -> Target.Dependency {
  .product(
    name: name, package: "OpenCombine",
    condition: .when(platforms: [.linux, .android], traits: ["Futures", "Everything"]))
}

/// The options of programs. No product needs it, so that nobody who depends on this package fetches it.
let argumentParser: Target.Dependency = .product(name: "ArgumentParser", package: "swift-argument-parser")

/// What `UVService` needs, and nothing else does.
func service(_ name: String, _ package: String) -> Target.Dependency {
  .product(name: name, package: package, condition: .when(traits: ["Service", "Everything"]))
}

/// What `UVNIO` needs, and nothing else does.
func nio(_ name: String) -> Target.Dependency {
  .product(name: name, package: "swift-nio", condition: .when(traits: ["NIO", "Everything"]))
}

/// What the example HTTPServer needs for TLS and HTTP/2.
func example(_ name: String, _ package: String) -> Target.Dependency {
  .product(name: name, package: package, condition: .when(traits: ["Examples"]))
}

/// Whether another package has fetched this one. It then gets no more than it asks for; in a checkout of its own,
/// every target is built.
let isDependency = {
  let place = Context.packageDirectory
  // A package that is being fetched has no place yet.
  return place == "/" || place.contains("/checkouts/") || place.contains("/registry/downloads/")
}()

let package = Package(
  name: "swift-uv",
  platforms: [.macOS(.v26)],
  products: [
    .library(name: "UV", targets: ["UV"]),
    .library(name: "UVPromises", targets: ["UVPromises"]),
    .library(name: "UVPromisesFoundation", targets: ["UVPromisesFoundation"]),
    .library(name: "UVFutures", targets: ["UVFutures"]),
    .library(name: "UVTLS", targets: ["UVTLS"]),
    .library(name: "UVService", targets: ["UVService"]),
    .library(name: "UVNIO", targets: ["UVNIO"]),
    // The benchmark is none: what only it needs is fetched by nobody who depends on this package.
  ],
  traits: [
    .trait(name: "Futures", description: "What UVFutures needs: OpenCombine, where there is no Combine."),
    .trait(
      name: "Service",
      description:
        "What UVService needs: swift-service-lifecycle, swift-log, swift-metrics, swift-distributed-tracing."),
    .trait(name: "NIO", description: "What UVNIO needs: swift-nio."),
    // Not one of the defaults: BoringSSL, which comes with it, takes minutes to compile.
    .trait(
      name: "Examples",
      description: "What the example HTTPServer needs for TLS and HTTP/2: swift-nio-ssl, swift-nio-http2."),
    .trait(
      name: "LinkLibuv",
      description: "Links the system's libuv. Without it the program that loads the library brings a libuv."),
    .trait(
      name: "Everything",
      description: "LinkLibuv, Futures, Service and NIO in one, for those who work in a checkout."),
    // Never two: SwiftPM before 6.4 names them to the compiler in an order that each new plan draws anew, and another
    // order compiles every module again.
    .default(enabledTraits: isDependency ? ["LinkLibuv"] : ["Everything"]),
  ],
  dependencies: [
    .package(url: "https://github.com/apple/swift-system", from: "1.4.0"),
    .package(url: "https://github.com/OpenCombine/OpenCombine", from: "0.14.0"),
    .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.6.0"),
    .package(url: "https://github.com/apple/swift-log", from: "1.6.0"),
    .package(url: "https://github.com/apple/swift-metrics", from: "2.5.0"),
    .package(url: "https://github.com/apple/swift-distributed-tracing", from: "1.2.0"),
    .package(url: "https://github.com/apple/swift-nio", from: "2.90.0"),
    .package(url: "https://github.com/apple/swift-nio-http2", from: "1.40.0"),
    .package(url: "https://github.com/apple/swift-nio-ssl", from: "2.30.0"),
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.5.0"),
    .package(url: "https://github.com/HdrHistogram/hdrhistogram-swift", from: "0.2.0"),
    // For `swift package generate-documentation` alone: no target uses it, so that no consumer fetches it.
    .package(url: "https://github.com/swiftlang/swift-docc-plugin", from: "1.4.0"),
  ],
  targets: [
    // The library: the binding, and a module for each vocabulary.
    .systemLibrary(name: "CUV", path: "CModules/CUV"),
    .systemLibrary(
      name: "CLibuv", path: "CModules/CLibuv", pkgConfig: "libuv",
      providers: [.apt(["libuv1-dev"]), .brew(["libuv"])]),
    // A signal handler, which can't be Swift; see Design/0041-stalls.md.
    .target(name: "CStack", path: "CModules/CStack"),
    .target(
      name: "UV",
      dependencies: [
        "CUV", "CStack", .target(name: "CLibuv", condition: .when(traits: ["LinkLibuv", "Everything"])),
        system,
      ],
      // For `Bytes.span` alone, whose lifetime is that of the bytes. Who uses it needs no setting.
      swiftSettings: settings + [.enableExperimentalFeature("Lifetimes")],
      linkerSettings: [.linkedLibrary("uv", .when(traits: ["LinkLibuv", "Everything"]))]),
    .target(name: "UVPromises", dependencies: ["UV"], swiftSettings: settings),
    // Who doesn't use the product compiles and links none of OpenSSL. It needs no trait, because it fetches nothing.
    .systemLibrary(
      name: "COpenSSL", path: "CModules/COpenSSL", pkgConfig: "openssl",
      providers: [.apt(["libssl-dev"]), .brew(["openssl@3"])]),
    .target(name: "UVTLS", dependencies: ["UV", "COpenSSL"], swiftSettings: settings),
    .target(
      name: "UVService",
      dependencies: [
        "UV", service("ServiceLifecycle", "swift-service-lifecycle"),
        service("UnixSignals", "swift-service-lifecycle"), service("Logging", "swift-log"),
        service("Metrics", "swift-metrics"), service("Tracing", "swift-distributed-tracing"),
      ],
      swiftSettings: settings),
    .target(name: "UVNIO", dependencies: ["UV", nio("NIOCore")], swiftSettings: settings),
    .target(
      name: "UVPromisesFoundation", dependencies: ["UVPromises"], swiftSettings: settings),
    .target(
      name: "UVFutures",
      dependencies: ["UV", combine("OpenCombine"), combine("OpenCombineDispatch")],
      swiftSettings: settings),

    // The examples, which the tests run.
    .executableTarget(
      name: "FourStyles", dependencies: ["UV", "UVPromises", "UVFutures"],
      path: "Sources/Examples/FourStyles", swiftSettings: settings),
    .executableTarget(
      name: "EchoServer", dependencies: ["UV"], path: "Sources/Examples/EchoServer",
      swiftSettings: settings),
    .executableTarget(
      name: "Lines", dependencies: ["UV"], path: "Sources/Examples/Lines", swiftSettings: settings),
    .executableTarget(
      name: "MainActorInLoop", dependencies: ["UV"], path: "Sources/Examples/MainActorInLoop",
      swiftSettings: settings),
    .executableTarget(
      name: "Workers", dependencies: ["UV"], path: "Sources/Examples/Workers",
      swiftSettings: settings),
    .executableTarget(
      name: "Copy", dependencies: ["UV", "UVPromises", "UVFutures"], path: "Sources/Examples/Copy",
      swiftSettings: settings),
    .executableTarget(
      name: "FileServer", dependencies: ["UV", "UVTLS", argumentParser],
      path: "Sources/Examples/FileServer", swiftSettings: settings),
    // The host alone knows libuv.
    .executableTarget(
      name: "InsideHost", dependencies: ["CUV", "UV"], path: "Sources/Examples/InsideHost",
      swiftSettings: settings),
    .executableTarget(
      name: "RedisServer",
      dependencies: ["RedisCommands", "UV", "UVTLS", "UVPromises", "UVFutures", argumentParser],
      path: "Sources/Examples/RedisServer", exclude: ["Commands"], swiftSettings: settings),
    // The benchmark has them, too.
    .target(
      name: "RedisCommands", dependencies: ["UV"], path: "Sources/Examples/RedisServer/Commands",
      swiftSettings: settings),
    .executableTarget(
      name: "Proxy", dependencies: ["UV", "UVTLS", argumentParser], path: "Sources/Examples/Proxy",
      swiftSettings: settings),
    .executableTarget(
      name: "Tail", dependencies: ["UV", argumentParser], path: "Sources/Examples/Tail",
      swiftSettings: settings),
    .executableTarget(
      name: "Supervisor", dependencies: ["UV", argumentParser], path: "Sources/Examples/Supervisor",
      swiftSettings: settings),
    .executableTarget(
      name: "Service", dependencies: ["UV", "UVService"], path: "Sources/Examples/Service",
      swiftSettings: settings),
    .executableTarget(
      name: "Chat", dependencies: ["UV", argumentParser], path: "Sources/Examples/Chat",
      swiftSettings: settings),

    .executableTarget(
      name: "HTTPServer",
      dependencies: [
        "UVNIO", nio("NIOCore"), nio("NIOHTTP1"), nio("NIOWebSocket"), example("NIOHTTP2", "swift-nio-http2"),
        example("NIOSSL", "swift-nio-ssl"), argumentParser,
      ],
      path: "Sources/Examples/HTTPServer", swiftSettings: settings),

    // The benchmark.
    .target(name: "CBenchHooks", path: "bench/Hooks"),
    .target(name: "CBenchSupport", path: "bench/Support"),
    .target(
      name: "CBaseline", dependencies: ["CUV", "CLibuv", "COpenSSL", "CBenchSupport"],
      path: "bench/CBaseline"),
    .target(
      name: "CLoadGenerator", dependencies: ["CBenchSupport", "COpenSSL"], path: "bench/LoadGenerator"),
    .target(
      name: "BenchKit",
      dependencies: ["CBenchSupport", .product(name: "Histogram", package: "hdrhistogram-swift")],
      path: "bench/Kit", swiftSettings: settings),
    .target(
      name: "BenchWorkloads",
      dependencies: [
        "BenchKit", "CBaseline", "CBenchSupport", "CLoadGenerator", "RedisCommands", "UV", "UVFutures",
        "UVPromises", "UVService", "UVTLS",
      ],
      path: "bench/Workloads", exclude: ["README.md"], swiftSettings: settings),
    .target(
      name: "BenchCommand",
      dependencies: [
        "BenchKit", "CBenchHooks", "CBenchSupport", "CLoadGenerator", "CStack",
        argumentParser,
      ],
      path: "bench/Command", swiftSettings: settings),
    .target(
      name: "BenchSoak", dependencies: ["CBenchHooks", "CBenchSupport", "UV"], path: "bench/Soak",
      swiftSettings: settings),
    .target(
      name: "BenchWaits", dependencies: ["UV", "UVPromises", "UVFutures"], path: "bench/Waits",
      swiftSettings: settings),
    .executableTarget(
      name: "uvbench",
      dependencies: [
        "BenchCommand", "BenchKit", "BenchSoak", "BenchWaits", "BenchWorkloads", "UV",
        argumentParser,
        // Built with it, and started by `cold-start`.
        "cold-start-c", "cold-start-callback", "cold-start-promise", "cold-start-future", "cold-start-async",
      ],
      path: "bench/uvbench", swiftSettings: settings),
    .executableTarget(name: "cold-start-c", dependencies: ["CUV", "CLibuv"], path: "bench/ColdStart/c"),
    .executableTarget(
      name: "cold-start-callback", dependencies: ["UV"], path: "bench/ColdStart/callback",
      swiftSettings: settings),
    .executableTarget(
      name: "cold-start-promise", dependencies: ["UV", "UVPromises"], path: "bench/ColdStart/promise",
      swiftSettings: settings),
    .executableTarget(
      name: "cold-start-future", dependencies: ["UV", "UVFutures"], path: "bench/ColdStart/future",
      swiftSettings: settings),
    .executableTarget(
      name: "cold-start-async", dependencies: ["UV"], path: "bench/ColdStart/async", swiftSettings: settings),

    .executableTarget(
      name: "bench-example", dependencies: ["BenchCommand", "BenchKit"], path: "bench/Example",
      swiftSettings: settings),

    // The tests.
    .target(name: "CTestHooks", path: "Tests/Hooks"),
    .target(
      name: "UVTestSupport", dependencies: ["UV", "CBenchSupport", "CTestHooks"], path: "Tests/Support",
      swiftSettings: settings),
    .testTarget(
      name: "UVTests", dependencies: ["UV", "UVTestSupport", system], exclude: ["Rules/README.md"],
      swiftSettings: settings),
    .testTarget(
      name: "UVPromisesTests", dependencies: ["UVPromises", "UVPromisesFoundation", "UVTestSupport"],
      swiftSettings: settings),
    .testTarget(
      name: "UVFuturesTests", dependencies: ["UVFutures", "UVTestSupport"],
      swiftSettings: settings),
    .testTarget(
      name: "UVTLSTests", dependencies: ["UVTLS", "COpenSSL", "UVPromises", "UVFutures", "UVTestSupport"],
      exclude: ["Peers"], swiftSettings: settings),
    .testTarget(
      name: "UVServiceTests",
      dependencies: [
        "UVService", "UVPromises", "UVFutures", "UVTestSupport",
        service("InMemoryLogging", "swift-log"), service("InMemoryTracing", "swift-distributed-tracing"),
        service("MetricsTestKit", "swift-metrics"),
      ],
      swiftSettings: settings),
    .testTarget(
      name: "UVNIOTests",
      dependencies: ["UVNIO", nio("NIOCore"), nio("NIOHTTP1"), "UVTestSupport"], swiftSettings: settings),
    .testTarget(
      name: "StyleTests", dependencies: ["UV", "UVPromises", "UVFutures", "UVTestSupport"],
      swiftSettings: settings),
    .testTarget(
      name: "FaultTests",
      dependencies: ["UV", "UVTLS", "UVTestSupport", "CBenchHooks", "CTestHooks", "BenchSoak"],
      swiftSettings: settings),
    .testTarget(name: "FuzzTests", dependencies: ["UV", "UVTLS", "UVTestSupport"], swiftSettings: settings),
    .testTarget(
      name: "HostTests", dependencies: ["CUV", "UV", "UVPromises", "UVFutures", "UVTestSupport"],
      swiftSettings: settings),
    .testTarget(
      name: "PackageTests",
      dependencies: [
        "Chat", "Copy", "EchoServer", "FileServer", "FourStyles", "HTTPServer", "InsideHost", "Lines",
        "MainActorInLoop",
        "Proxy",
        "RedisServer", "Service", "Supervisor", "Tail", "UV", "UVTestSupport", "Workers",
      ],
      swiftSettings: settings),
    .testTarget(
      name: "BenchKitTests",
      dependencies: ["BenchKit", "CBenchSupport", "bench-example", "uvbench"], exclude: ["RemoteServer.py"],
      swiftSettings: settings),
  ]
)
