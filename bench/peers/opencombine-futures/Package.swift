// swift-tools-version: 6.2
import PackageDescription

// OpenCombine's futures beside this package's, in one program: see `run`.
let package = Package(
  name: "opencombine-futures",
  platforms: [.macOS(.v26)],
  dependencies: [
    .package(name: "swift-uv", path: "../../..", traits: ["Everything"]),
    .package(url: "https://github.com/OpenCombine/OpenCombine", from: "0.14.0"),
  ],
  targets: [
    .target(name: "AllocationHooks"),
    .target(name: "Theirs", dependencies: ["OpenCombine"]),
    .target(name: "Ours", dependencies: [.product(name: "UVFutures", package: "swift-uv")]),
    .executableTarget(name: "Comparison", dependencies: ["AllocationHooks", "Theirs", "Ours"]),
  ]
)
