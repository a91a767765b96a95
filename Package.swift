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

/// What `UVService` needs, and nothing else does.
func service(_ name: String, _ package: String) -> Target.Dependency {
  .product(name: name, package: package, condition: .when(traits: ["Service", "Everything"]))
}

/// What `UVNIO` needs, and nothing else does.
func nio(_ name: String) -> Target.Dependency {
  .product(
    name: name, package: "swift-nio", condition: .when(traits: ["NIO", "NIOBootstraps", "Everything"]))
}

/// What has the system's libuv linked.
let linked: Set = ["LinkLibuv", "NIOBootstraps", "Everything"]

/// What `UVHTTP` needs, and nothing else does.
let httpTypes: Target.Dependency = .product(
  name: "HTTPTypes", package: "swift-http-types", condition: .when(traits: ["HTTP", "Everything"]))

let package = Package(
  name: "swift-uv",
  platforms: [.macOS(.v26)],
  products: [
    .library(name: "UV", targets: ["UV"]),
    .library(name: "UVPromises", targets: ["UVPromises"]),
    .library(name: "UVFutures", targets: ["UVFutures"]),
    .library(name: "UVRxStream", targets: ["UVRxStream"]),
    .library(name: "UVTLS", targets: ["UVTLS"]),
    .library(name: "UVDNS", targets: ["UVDNS"]),
    .library(name: "UVHTTP", targets: ["UVHTTP"]),
    .library(name: "UVHTTPFiles", targets: ["UVHTTPFiles"]),
    .library(name: "UVHTTPCompression", targets: ["UVHTTPCompression"]),
    .library(name: "StallWatch", targets: ["StallWatch"]),
    .library(name: "UVService", targets: ["UVService"]),
    .library(name: "UVDiagnostics", targets: ["UVDiagnostics", "UVStalls"]),
    .library(name: "UVNIO", targets: ["UVNIO"]),
  ],
  traits: [
    .trait(name: "Futures", description: "What UVFutures needs: OpenCombine, where there is no Combine."),
    .trait(
      name: "Service",
      description:
        "What UVService needs: swift-service-lifecycle, swift-log, swift-metrics, swift-distributed-tracing."),
    .trait(name: "HTTP", description: "What UVHTTP, UVHTTPFiles and UVDiagnostics need: swift-http-types."),
    .trait(name: "NIO", description: "What UVNIO needs: swift-nio."),
    .trait(
      name: "NIOBootstraps",
      description:
        "LinkLibuv and NIO, for a swift-nio that Design/0060-other-peoples-servers.md has changed. Experimental, and not beside Everything."
    ),
    .trait(
      name: "LinkLibuv",
      description: "Links the system's libuv. Without it the program that loads the library brings a libuv."),
    // Named by the commands of a checkout. See Design/0028-what-is-fetched.md.
    .trait(
      name: "Everything",
      description: "LinkLibuv, Futures, Service, HTTP and NIO in one, for those who work on the library."),
    // Never two: SwiftPM before 6.4 names them to the compiler in an order that each new plan draws anew, and
    // another order compiles every module again.
    .default(enabledTraits: ["LinkLibuv"]),
  ],
  dependencies: [
    .package(url: "https://github.com/apple/swift-system", from: "1.4.0"),
    .package(url: "https://github.com/OpenCombine/OpenCombine", from: "0.14.0"),
    .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.6.0"),
    .package(url: "https://github.com/apple/swift-log", from: "1.6.0"),
    .package(url: "https://github.com/apple/swift-metrics", from: "2.5.0"),
    .package(url: "https://github.com/apple/swift-distributed-tracing", from: "1.2.0"),
    .package(url: "https://github.com/apple/swift-http-types", from: "1.0.0"),
    .package(url: "https://github.com/apple/swift-nio", from: "2.90.0"),
    // For `swift package generate-documentation` alone: no target uses it, so that no consumer fetches it.
    .package(url: "https://github.com/swiftlang/swift-docc-plugin", from: "1.4.0"),
  ],
  targets: [
    // The library: the binding, and a module for each vocabulary.
    .target(
      name: "CUV",
      dependencies: [.target(name: "CLibuv", condition: .when(traits: linked))],
      path: "CModules/CUV", publicHeadersPath: "."),
    .systemLibrary(
      name: "CLibuv", path: "CModules/CLibuv", pkgConfig: "libuv",
      providers: [.apt(["libuv1-dev"]), .brew(["libuv"])]),
    // What blocks a thread. A signal handler can't be Swift; see Design/0041-stalls.md.
    .target(name: "CStallWatch", path: "CModules/CStallWatch"),
    .target(name: "StallWatch", dependencies: ["CStallWatch"], swiftSettings: settings),
    .target(name: "UVStalls", dependencies: ["CUV", "StallWatch", "UV"], swiftSettings: settings),
    .target(
      name: "UV",
      dependencies: [
        "CUV", .target(name: "CLibuv", condition: .when(traits: linked)),
        system,
      ],
      // For `Bytes.span` alone, whose lifetime is that of the bytes. Who uses it needs no setting.
      swiftSettings: settings + [.enableExperimentalFeature("Lifetimes")],
      linkerSettings: [.linkedLibrary("uv", .when(traits: linked))]),
    .target(name: "UVPromises", dependencies: ["UV"], swiftSettings: settings),
    .target(name: "UVRxStream", dependencies: ["UV"], swiftSettings: settings),
    // Who doesn't use the product compiles and links none of OpenSSL. It needs no trait, because it fetches
    // nothing.
    .systemLibrary(
      name: "COpenSSL", path: "CModules/COpenSSL", pkgConfig: "openssl",
      providers: [.apt(["libssl-dev"]), .brew(["openssl@3"])]),
    .target(name: "UVTLS", dependencies: ["UV", "COpenSSL"], swiftSettings: settings),
    // Who uses the thread pool's lookups needs nothing of c-ares.
    .systemLibrary(
      name: "CAres", path: "CModules/CAres", pkgConfig: "libcares",
      providers: [.apt(["libc-ares-dev"]), .brew(["c-ares"])]),
    .target(name: "UVDNS", dependencies: ["UV", "CAres"], swiftSettings: settings),
    .target(name: "UVHTTP", dependencies: ["UV", httpTypes], swiftSettings: settings),
    .target(name: "UVHTTPFiles", dependencies: ["UV", "UVHTTP", httpTypes], swiftSettings: settings),
    // A server that compresses nothing needs nothing of zlib.
    .systemLibrary(
      name: "CZlib", path: "CModules/CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"])]),
    .target(
      name: "UVHTTPCompression", dependencies: ["UV", "UVHTTP", "CZlib", httpTypes], swiftSettings: settings),
    .target(
      name: "UVService",
      dependencies: [
        "UV", "UVStalls", service("ServiceLifecycle", "swift-service-lifecycle"),
        service("UnixSignals", "swift-service-lifecycle"), service("Logging", "swift-log"),
        service("Metrics", "swift-metrics"), service("Tracing", "swift-distributed-tracing"),
      ],
      swiftSettings: settings),
    .target(
      name: "UVDiagnostics", dependencies: ["UV", "UVHTTP", "StallWatch", "UVStalls", httpTypes],
      swiftSettings: settings),
    .target(name: "UVNIO", dependencies: ["UV", nio("NIOCore")], swiftSettings: settings),
    .target(
      name: "UVFutures",
      dependencies: ["UV", combine("OpenCombine"), combine("OpenCombineDispatch")],
      swiftSettings: settings),

    // The tests.
    .target(name: "CTestHooks", path: "Tests/Hooks"),
    .target(
      name: "UVTestSupport", dependencies: ["UV", "CTestHooks"], path: "Tests/Support",
      swiftSettings: settings),
    .testTarget(
      name: "UVTests", dependencies: ["CUV", "UV", "UVTestSupport", system], swiftSettings: settings),
    .testTarget(
      name: "UVStallsTests", dependencies: ["StallWatch", "UVStalls", "UVTestSupport"],
      swiftSettings: settings),
    .testTarget(
      name: "UVPromisesTests", dependencies: ["UVPromises", "UVTestSupport"],
      swiftSettings: settings),
    .testTarget(
      name: "UVFuturesTests", dependencies: ["UVFutures", "UVTestSupport"],
      swiftSettings: settings),
    .testTarget(
      name: "UVRxStreamTests", dependencies: ["UVRxStream", "UVTestSupport"],
      swiftSettings: settings),
    .testTarget(
      name: "UVTLSTests",
      dependencies: ["CUV", "UVTLS", "COpenSSL", "UVPromises", "UVFutures", "UVTestSupport"],
      exclude: ["Peers"], swiftSettings: settings),
    .testTarget(
      name: "UVDNSTests",
      dependencies: ["UVDNS", "UVTLS", "UVPromises", "UVFutures", "UVTestSupport", "CTestHooks"],
      swiftSettings: settings),
    .testTarget(
      name: "UVHTTPTests",
      dependencies: ["UVHTTP", "UVTLS", "UVPromises", "UVFutures", "UVTestSupport", "CTestHooks"],
      swiftSettings: settings),
    .testTarget(
      name: "UVHTTPCompressionTests",
      dependencies: ["UVHTTPCompression", "UVHTTP", "UVPromises", "UVFutures", "UVTestSupport", httpTypes],
      swiftSettings: settings),
    .testTarget(
      name: "UVHTTPFilesTests",
      dependencies: ["UVHTTPFiles", "UVPromises", "UVFutures", "UVTLS", "UVTestSupport"],
      swiftSettings: settings),
    .testTarget(
      name: "UVServiceTests",
      dependencies: [
        "UVService", "UVTLS", "UVPromises", "UVFutures", "UVTestSupport",
        service("InMemoryLogging", "swift-log"), service("InMemoryTracing", "swift-distributed-tracing"),
        service("MetricsTestKit", "swift-metrics"),
      ],
      swiftSettings: settings),
    .testTarget(
      name: "UVDiagnosticsTests", dependencies: ["UVDiagnostics", "UVStalls", "UVTLS", "UVTestSupport"],
      swiftSettings: settings),
    .testTarget(
      name: "UVNIOTests",
      dependencies: ["UVNIO", nio("NIOCore"), nio("NIOHTTP1"), "UVTestSupport"], swiftSettings: settings),
    .testTarget(
      name: "StyleTests", dependencies: ["UV", "UVPromises", "UVFutures", "UVTestSupport"],
      swiftSettings: settings),
    .testTarget(
      name: "FaultTests",
      dependencies: ["CUV", "UV", "UVTLS", "UVTestSupport", "CTestHooks"], swiftSettings: settings),
    .testTarget(
      name: "FuzzTests", dependencies: ["UV", "UVTLS", "UVHTTP", "UVTestSupport"], swiftSettings: settings),
    .testTarget(
      name: "HostTests",
      dependencies: [
        "CUV", "UV", "UVDNS", "UVTLS", "UVHTTP", "UVDiagnostics", "UVPromises", "UVFutures", "UVRxStream",
        "UVTestSupport", "CTestHooks",
      ],
      swiftSettings: settings),
    .testTarget(name: "PackageTests", swiftSettings: settings),
  ]
)
