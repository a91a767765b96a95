// swift-tools-version: 6.2
import PackageDescription

// The benchmark, a package of its own: nobody who depends on swift-uv fetches what only it needs.
//
//   swift run -c release --package-path bench uvbench
//   swift test --package-path bench
let settings: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("MemberImportVisibility"),
]

func uv(_ name: String) -> Target.Dependency { .product(name: name, package: "swift-uv") }

let options: Target.Dependency = .product(name: "ArgumentParser", package: "swift-argument-parser")

/// What the workloads have in C, each beside its rows in Swift: two targets share the folder.
let rowsInC = [
  "Cancel/cancel.c", "CrossLoop/cross_loop.c", "DNS/dns.c", "FSRead/fs_read.c", "FSStat/fs_stat.c",
  "FanOut/fan_out.c", "HTTPClient/http_client.c", "HTTPHello/http_hello.c", "HostCall/host_call.c",
  "MillionTimers/million_timers.c", "Overload/overload.c", "RESPGetSet/resp_get_set.c",
  "RESPGetSet/resp_store.c", "SleepChain/sleep_chain.c", "Spawn/spawn.c", "TCPAccept/tcp_accept.c",
  "TCPEcho/tcp_echo.c", "TCPStream/tcp_stream.c", "ThenChain/then_chain.c", "TimerCancel/timer_cancel.c",
  "UDPEcho/udp_echo.c", "Wakeup/wakeup.c",
]
let coldStarts = ["c", "callback", "promise", "future", "async"]

/// A program that `cold-start` starts.
func coldStart(_ style: String, _ dependencies: [Target.Dependency]) -> Target {
  .executableTarget(
    name: "cold-start-\(style)", dependencies: dependencies, path: "Workloads/ColdStart/\(style)",
    swiftSettings: settings)
}

let package = Package(
  name: "bench",
  platforms: [.macOS(.v26)],
  traits: [
    .trait(
      name: "Everything",
      description:
        "The row of tcp-echo-watched that reports metrics, which alone needs UVService and what that brings (swift-service-lifecycle, swift-log, swift-metrics, swift-distributed-tracing), and the programs of cold-start and idle-server."
    ),
    // `bench/run --quick` builds without it: that is a sixth of the compiler's time.
    .default(enabledTraits: ["Everything"]),
  ],
  dependencies: [
    .package(name: "swift-uv", path: "..", traits: ["Everything"]),
    .package(path: "../Examples"),
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.5.0"),
    .package(url: "https://github.com/HdrHistogram/hdrhistogram-swift", from: "0.2.0"),
  ],
  targets: [
    .systemLibrary(
      name: "BenchLibuv", path: "System/Libuv", pkgConfig: "libuv",
      providers: [.apt(["libuv1-dev"]), .brew(["libuv"])]),
    .systemLibrary(
      name: "BenchOpenSSL", path: "System/OpenSSL", pkgConfig: "openssl",
      providers: [.apt(["libssl-dev"]), .brew(["openssl@3"])]),
    .target(name: "CBenchHooks", path: "Hooks"),
    .target(name: "CBenchSupport", path: "Support"),
    .target(
      name: "CBaseline", dependencies: ["BenchLibuv", "BenchOpenSSL", "CBenchSupport"], path: "Workloads",
      sources: ["C"] + rowsInC, publicHeadersPath: "C/include", cSettings: [.headerSearchPath("C")]),
    .target(name: "CLoadGenerator", dependencies: ["BenchOpenSSL", "CBenchSupport"], path: "LoadGenerator"),
    .target(
      name: "BenchHarness",
      dependencies: [
        "CBenchHooks", "CBenchSupport", "CLoadGenerator", options,
        .product(name: "Histogram", package: "hdrhistogram-swift"),
      ],
      path: "Harness", swiftSettings: settings),
    .target(
      name: "BenchWorkloads",
      dependencies: [
        "BenchHarness", "CBaseline", "CBenchSupport", "CLoadGenerator", uv("UV"), uv("UVFutures"),
        uv("UVDiagnostics"), uv("UVHTTP"), uv("UVPromises"), uv("UVTLS"),
        .product(name: "UVService", package: "swift-uv", condition: .when(traits: ["Everything"])),
        .product(name: "RedisCommands", package: "Examples"),
      ],
      path: "Workloads", exclude: ["README.md", "C"] + rowsInC + coldStarts.map { "ColdStart/\($0)" },
      swiftSettings: settings),
    .target(
      name: "BenchSoak", dependencies: ["CBenchHooks", "CBenchSupport", uv("UV")], path: "Soak",
      swiftSettings: settings),
    .target(
      name: "BenchWaits", dependencies: [uv("UV"), uv("UVPromises"), uv("UVFutures")], path: "Waits",
      swiftSettings: settings),
    .executableTarget(
      name: "uvbench",
      dependencies: [
        "BenchHarness", "BenchSoak", "BenchWaits", "BenchWorkloads", "CBenchSupport", uv("UV"), options,
      ]
        // Built with it, and started by `cold-start`.
        + coldStarts.map {
          .target(name: "cold-start-\($0)", condition: .when(traits: ["Everything"]))
        },
      path: "uvbench", swiftSettings: settings),
    .executableTarget(name: "cold-start-c", dependencies: ["BenchLibuv"], path: "Workloads/ColdStart/c"),
    coldStart("callback", [uv("UV")]),
    coldStart("promise", [uv("UV"), uv("UVPromises")]),
    coldStart("future", [uv("UV"), uv("UVFutures")]),
    coldStart("async", [uv("UV")]),
    .executableTarget(
      name: "bench-example", dependencies: ["BenchHarness"], path: "Example", swiftSettings: settings),
    .executableTarget(
      name: "proof-server", dependencies: [uv("UV"), uv("UVHTTP")], path: "Proof/Server",
      swiftSettings: settings),
    .executableTarget(
      name: "uvbench-one-file", dependencies: ["BenchHarness"], path: "OneFile", exclude: ["no-unwinding.ld"],
      swiftSettings: settings),
    .testTarget(
      name: "BenchTests",
      dependencies: [
        "BenchHarness", "BenchSoak", "CBenchHooks", "CBenchSupport", "bench-example", "uvbench",
      ],
      path: "Tests", exclude: ["RemoteServer.py", "Gate/SpinningServer.py"], swiftSettings: settings),
  ]
)
