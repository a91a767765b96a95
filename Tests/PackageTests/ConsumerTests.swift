import Foundation
import Testing

/// A package that uses `UV` alone, set up as the README says: it builds, its asynchronous functions stay on the loop,
/// and it does not pay for the other modules. What else users write is in `Tests/Consumers`.
@Suite struct ConsumerTests {
  @Test func buildsAsTheReadmeSays() throws {
    let directory = FileManager.default.temporaryDirectory
      .appendingPathComponent("swift-uv-consumer-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: directory) }
    let sources = directory.appendingPathComponent("Sources/Server")
    try FileManager.default.createDirectory(at: sources, withIntermediateDirectories: true)
    let manifest = directory.appendingPathComponent("Package.swift")
    let program = sources.appendingPathComponent("main.swift")

    try Self.manifest().write(to: manifest, atomically: true, encoding: .utf8)
    try Self.program().write(to: program, atomically: true, encoding: .utf8)
    let first = try Self.build(in: directory)
    for module in ["OpenCombine", "ArgumentParser", "Histogram", "UVPromises", "UVFutures"] {
      #expect(!first.contains("-module-name \(module) "), "\(module) was compiled")
    }
    #expect(first.contains("-module-name UV "))
  }

  /// The README's manifest, with this checkout in place of the repository.
  private static func manifest() throws -> String {
    let manifest = try "// swift-tools-version" + readme(from: "```swift\n// swift-tools-version", to: "```")
    let dependency = #".package(url: "https://github.com/swift-uv/swift-uv", branch: "main")"#
    #expect(manifest.contains(dependency))
    return manifest.replacingOccurrences(
      of: dependency, with: #".package(name: "swift-uv", path: "\#(Checkout.root.path)")"#)
  }

  /// The README's function, in a program that ends.
  private static func program() throws -> String {
    let echo =
      "func echo" + (try readme(from: "func echo", to: "\ntry EventLoop.run"))
    return """
      import UV

      \(echo)
      func staysOnTheLoop(_ loop: EventLoop) async -> Bool { loop.executor.isOnLoop }

      let list = [".", "/"]
      try EventLoop.run { loop in
        var sum: Int64 = 0
        for request in list.map(loop.files.stat) { sum += try await request.value.size }
        let listener = try loop.tcp.listen(host: "127.0.0.1", port: 0)
        let client = try await loop.tcp.connect(to: listener.localAddress()).value
        let connection = try await listener.accept().value
        loop.spawn {
          do { try await echo(connection) } catch { print(error) }
        }
        try await client.write("hello").value
        let answer = try await client.read().value
        print("consumed", sum > 0, answer == "hello", await staysOnTheLoop(loop))
        client.close()
      }
      """
  }

  private static func readme(from start: String, to end: String) throws -> String {
    let readme = try String(contentsOf: Checkout.root.appendingPathComponent("README.md"), encoding: .utf8)
    let rest = try #require(readme.components(separatedBy: start).dropFirst().first)
    return try #require(rest.components(separatedBy: end).first)
  }

  /// Builds and runs the package; the compiler's output.
  private static func build(in directory: URL) throws -> String {
    let build = try run(
      URL(fileURLWithPath: "/usr/bin/env"), ["swift", "run", "--disable-sandbox", "-v"], in: directory)
    let (output, status) = (build.output, build.status)
    #expect(status == 0, "\(output.suffix(4000))")
    #expect(output.split(separator: "\n").contains("consumed true true true"))
    let complaints = output.split(separator: "\n").filter {
      $0.contains("main.swift:") && $0.contains(" warning: ")
    }
    #expect(complaints == [])
    return output
  }
}
