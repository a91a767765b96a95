// swift-tools-version: 6.2
import Foundation
import PackageDescription

// `Tests/run consumers` copies this file to `.build-consumers/package` and lays the sources beside it. From there, too,
// the checkout is two folders up.

/// What the README asks a user to enable.
let asTheReadmeSays: [SwiftSetting] = [.enableUpcomingFeature("NonisolatedNonsendingByDefault")]

let products: [Target.Dependency] =
  [
    "UV", "UVPromises", "UVFutures", "UVRxStream", "StallWatch", "UVTLS", "UVDNS", "UVHTTP",
    "UVHTTPFiles", "UVHTTPCompression", "UVService", "UVDiagnostics", "UVNIO",
  ].map {
    .product(name: $0, package: "swift-uv")
  } + [.product(name: "NIOCore", package: "swift-nio")]

/// Programs whose `main` or whose settings differ; each has a folder in `Shapes`.
let shapes: [(name: String, settings: [SwiftSetting])] = [
  ("TopLevelCode", asTheReadmeSays),
  ("MainStruct", asTheReadmeSays),
  ("AsyncMain", asTheReadmeSays),
  ("WithoutTheFeature", []),
  ("MainActorByDefault", asTheReadmeSays + [.defaultIsolation(MainActor.self)]),
]

/// Each in both language modes, built from the same sources.
let modes: [(suffix: String, mode: SwiftLanguageMode)] = [("5", .v5), ("6", .v6)]

var targets: [Target] = []
for (suffix, mode) in modes {
  let language: [SwiftSetting] = [.swiftLanguageMode(mode)]
  for (name, settings) in [("Programs", asTheReadmeSays)] + shapes {
    targets.append(
      .executableTarget(name: name + suffix, dependencies: products, swiftSettings: settings + language))
  }
  // Written from Design/api: a use of each public declaration.
  targets.append(
    .target(
      name: "Declarations" + suffix, dependencies: products,
      swiftSettings: asTheReadmeSays + language + [.enableUpcomingFeature("MemberImportVisibility")]))
}
// To build this one builds the others, and of the library no more than they use.
let all: [Target.Dependency] = targets.map { .target(name: $0.name) }
targets.append(.executableTarget(name: "Everything", dependencies: all))

let package = Package(
  name: "consumers",
  platforms: [.macOS(.v26)],
  dependencies: [
    .package(name: "swift-uv", path: "../..", traits: ["Everything"]),
    // UVNIO re-exports nothing of it.
    .package(url: "https://github.com/apple/swift-nio", from: "2.90.0"),
  ],
  targets: targets)
