// swift-tools-version: 6.2
import PackageDescription

// A package of its own: it needs a part of Swift that is still an experiment.
let package = Package(
  name: "MainExecutor",
  platforms: [.macOS(.v26)],
  dependencies: [.package(name: "swift-uv", path: "../..")],
  targets: [
    .executableTarget(
      name: "MainExecutor", dependencies: [.product(name: "UV", package: "swift-uv")],
      // Swift 6.3 passes over `DefaultExecutorFactory` without this: see Design/0061-swifts-own-executor.md.
      swiftSettings: [.unsafeFlags(["-Xfrontend", "-disable-availability-checking"])])
  ]
)
