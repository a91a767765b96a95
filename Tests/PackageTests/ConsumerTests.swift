import Foundation
import Testing

/// A package that uses `UV` alone must not pay for the other modules.
@Suite struct ConsumerTests {
  @Test func buildsWithoutTheOtherModulesDependencies() throws {
    let directory = FileManager.default.temporaryDirectory
      .appendingPathComponent("swift-uv-consumer-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: directory) }
    let sources = directory.appendingPathComponent("Sources/Consumer")
    try FileManager.default.createDirectory(at: sources, withIntermediateDirectories: true)
    try """
    // swift-tools-version: 6.2
    import PackageDescription

    let package = Package(
      name: "Consumer", platforms: [.macOS(.v26)],
      dependencies: [.package(name: "swift-uv", path: "\(Checkout.root.path)")],
      targets: [
        .executableTarget(name: "Consumer", dependencies: [.product(name: "UV", package: "swift-uv")])
      ])
    """.write(to: directory.appendingPathComponent("Package.swift"), atomically: true, encoding: .utf8)
    try """
    import UV

    let list = [".", "/"]
    try EventLoop.run { loop in
      var sum: Int64 = 0
      for request in list.map(loop.files.stat) { sum += try await request.value.size }
      print("consumed", sum > 0)
    }
    """.write(to: sources.appendingPathComponent("main.swift"), atomically: true, encoding: .utf8)
    let build = try run(
      URL(fileURLWithPath: "/usr/bin/env"), ["swift", "run", "--disable-sandbox", "-v"], in: directory)
    #expect(build.status == 0, "\(build.output.suffix(4000))")
    #expect(build.output.contains("consumed true"))
    for module in ["OpenCombine", "ArgumentParser", "Histogram", "UVPromises", "UVFutures"] {
      #expect(!build.output.contains("-module-name \(module) "), "\(module) was compiled")
    }
    #expect(build.output.contains("-module-name UV "))
  }
}
