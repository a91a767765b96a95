// swift-tools-version: 6.2
import PackageDescription

let settings: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("MemberImportVisibility"),
]
func product(_ name: String) -> Target.Dependency { .product(name: name, package: "swift-uv") }

// The simulation's random programs on the system's kernel: for `Tests/run real-programs`. Their sources are links. The
// simulated kernel isn't among them, because a sanitizer takes over the same functions of libc's.
let package = Package(
  name: "real-programs",
  platforms: [.macOS(.v26)],
  dependencies: [.package(name: "swift-uv", path: "../..", traits: ["Everything"])],
  targets: [
    .target(name: "WorldSupport", dependencies: [product("UV")], swiftSettings: settings),
    .target(name: "UVSimulation", swiftSettings: settings),
    .target(
      name: "SimulatedWorlds",
      dependencies: ["WorldSupport", "UVSimulation", product("UV"), product("UVTLS")],
      sources: [
        "Certificates.swift", "Draws.swift", "Moments.swift", "Records.swift", "Support.swift",
        "Weathers.swift",
      ],
      swiftSettings: settings),
    .target(
      name: "RandomPrograms",
      dependencies: [
        "SimulatedWorlds", "UVSimulation", "WorldSupport", product("UV"), product("UVTLS"), product("UVHTTP"),
        product("UVPromises"), product("UVFutures"),
      ], exclude: ["RandomProgram+Simulation.swift"], swiftSettings: settings),
    .executableTarget(name: "real-programs", dependencies: ["RandomPrograms"], swiftSettings: settings),
  ]
)
