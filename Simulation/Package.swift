// swift-tools-version: 6.2
import PackageDescription

let settings: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("MemberImportVisibility"),
]

/// What the package's own worlds, tools and tests need of the library. A package that uses UVSimulation alone turns the
/// trait `Worlds` off, and fetches and compiles none of it.
func own(_ name: String) -> Target.Dependency {
  .product(name: name, package: "swift-uv", condition: .when(traits: ["Worlds"]))
}

// A package of its own, so that a package that depends on UV alone gets none of it.
let package = Package(
  name: "swift-uv-simulation",
  products: [
    .library(name: "UVSimulation", targets: ["UVSimulation"]),
    // The trait of Swift Testing.
    .library(name: "UVSimulationTesting", targets: ["UVSimulationTesting"]),
    // For Simulation/Examples alone.
    .library(name: "WorldSupport", targets: ["WorldSupport"]),
  ],
  traits: [
    .trait(
      name: "Worlds",
      description: "The worlds in which bugs of the library are hunted, and what they need."),
    .default(enabledTraits: ["Worlds"]),
  ],
  dependencies: [
    // Everything, for UVHTTP. Two traits in its place would be two orders to compile all in; see its manifest. Who turns
    // `Worlds` off names the trait LinkLibuv.
    .package(
      name: "swift-uv", path: "..",
      traits: [.trait(name: "Everything", condition: .when(traits: ["Worlds"]))]),
    // For `swift package generate-documentation` alone, as in the root.
    .package(url: "https://github.com/swiftlang/swift-docc-plugin", from: "1.4.0"),
  ],
  targets: [
    // The kernel: it defines functions of libc, which calls on threads of a simulation reach in place of
    // libc's.
    .target(name: "CSimulation"),
    .target(
      name: "UVSimulation", dependencies: ["CSimulation", .product(name: "UV", package: "swift-uv")],
      swiftSettings: settings),
    .target(name: "UVSimulationTesting", dependencies: ["UVSimulation"], swiftSettings: settings),
    // What the package's own worlds need, and those of Simulation/Examples.
    .target(
      name: "WorldSupport", dependencies: [.product(name: "UV", package: "swift-uv")], swiftSettings: settings
    ),
    // Worlds in which bugs of the library are hunted.
    .target(
      name: "SimulatedWorlds",
      dependencies: [
        "UVSimulation", "WorldSupport", .product(name: "UV", package: "swift-uv"),
        own("UVTLS"), own("UVHTTP"), own("UVPromises"), own("UVFutures"),
      ], swiftSettings: settings),
    // Programs that are drawn from a seed, and compared with a model.
    .target(
      name: "RandomPrograms",
      dependencies: [
        "SimulatedWorlds", "UVSimulation", "WorldSupport", .product(name: "UV", package: "swift-uv"),
        own("UVTLS"), own("UVHTTP"), own("UVPromises"), own("UVFutures"),
      ], swiftSettings: settings),
    // What is measured, and compared between processes and builds.
    .executableTarget(
      name: "uvsim",
      dependencies: [
        "CSimulation", "RandomPrograms", "SimulatedWorlds", "UVSimulation",
        .product(name: "UV", package: "swift-uv"),
        own("UVFutures"), own("UVHTTP"), own("UVPromises"),
      ],
      swiftSettings: settings),
    .testTarget(
      name: "SimulationTests",
      dependencies: [
        "CSimulation", "RandomPrograms", "SimulatedWorlds", "UVSimulation", "UVSimulationTesting",
        "WorldSupport",
        "uvsim",
        .product(name: "UV", package: "swift-uv"),
        own("UVTLS"),
      ],
      swiftSettings: settings),
    // The tests of the library, on hosts of a simulation: those that need nothing but what is simulated.
    .target(
      name: "UVTestSupport", dependencies: ["UVSimulation", .product(name: "UV", package: "swift-uv")],
      path: "Tests/Support", swiftSettings: settings),
    .testTarget(
      name: "LibraryTests", dependencies: ["UVTestSupport", .product(name: "UV", package: "swift-uv")],
      exclude: [
        "Addresses/AddressFormTests.swift", "Addresses/AddressTableTests.swift",
        "Addresses/HostLookupTests.swift", "Datagrams/CancelledDatagramTests.swift",
        "Datagrams/SendQueueModelTests.swift", "Handles/DescriptorPollTests.swift",
        "Handles/HandleSetTests.swift", "Handles/ListedHandleTests.swift", "Handles/OpenListTests.swift",
        "Handles/ReadBufferTests.swift", "Streams/FrameCloseTests.swift", "Streams/FrameTableTests.swift",
        "Streams/SteadyPeerTests.swift", "Streams/StreamPartsTests.swift",
        "Streams/TimeoutMatrixTests.swift", "Threads/GateTests.swift", "Threads/LoopBatchTests.swift",
        "Threads/TicketTests.swift",
      ],
      sources: [
        "Addresses", "Connections/ConnectRaceTests.swift", "Connections/ConnectionLimitTests.swift",
        "Connections/DescriptorOwnershipTests.swift", "Connections/EchoWithCallbacks.swift",
        "Connections/HandlePassingTests.swift", "Connections/ListenerRuleTests.swift",
        "Connections/PeerTests.swift", "Connections/PipeTests.swift",
        "Connections/ProxiedListenerTests.swift", "Connections/SendfileTests.swift",
        "Connections/TCPFailureTests.swift", "Connections/TCPTests.swift", "Datagrams",
        "EventSources/OwnCloseTests.swift", "Files/DirectoryTests.swift", "Files/FileAttributeTests.swift",
        "Files/FileDescriptorTests.swift", "Files/FileQueueTests.swift", "Files/FileSystemTests.swift",
        "Files/FileTests.swift", "Files/FileVectorTests.swift", "Files/FileWatcherTests.swift", "Handles",
        "Loop/EventLoopTests.swift", "Loop/LastRoundTests.swift", "Loop/NewerLibuvTests.swift",
        "Loop/ShutdownTests.swift", "Loop/StarvationTests.swift", "Pools/PoolCreationTests.swift",
        "Pools/PoolServer.swift", "Pools/PoolTests.swift", "Processes/ChildProcessTests.swift",
        "Processes/SignalAndWorkTests.swift", "Requests/PoolRuleTests.swift",
        "Requests/RequestRuleTests.swift", "Shutdown/FarewellTests.swift",
        "Shutdown/GracefulShutdownTests.swift", "Shutdown/HandleShutdownTests.swift",
        "Shutdown/QuiescingTests.swift", "Streams", "Tasks/LimitedTaskGroupTests.swift",
        "Tasks/SemaphoreTests.swift", "Tasks/TaskGroupTests.swift", "Threads", "Time/TimeRuleTests.swift",
        "Time/TimerTests.swift",
        "Values/BytesBuilderTests.swift", "Values/ValueTests.swift",
      ], swiftSettings: settings),
    // The contract of streams, on TCP, sockets of the Unix domain, and TLS.
    .testTarget(
      name: "StreamContractTests",
      dependencies: [
        "UVTestSupport", .product(name: "UV", package: "swift-uv"),
        own("UVTLS"),
      ],
      sources: ["Contract", "Certificates+TLS.swift"], swiftSettings: settings),
  ]
)
