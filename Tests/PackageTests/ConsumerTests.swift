import Foundation
import Testing

/// A package that uses `UV` alone, set up as the README says: it builds, and its asynchronous functions stay on the loop.
/// What else users write is in `Tests/Consumers`; what such a package fetches, in `FetchTests`.
@Suite struct ConsumerTests {
  @Test func buildsAsTheReadmeSays() throws {
    let consumer = try Consumer(
      "ReadMe", manifest: Self.manifest(), sources: ["Server": Self.program()])
    let build = try consumer.swift(["run", "--disable-sandbox"])
    #expect(build.status == 0, "\(build.output.suffix(4000))")
    let lines = build.output.split(separator: "\n")
    #expect(lines.contains("consumed true true true"))
    #expect(lines.filter { $0.contains("main.swift:") && $0.contains(" warning: ") } == [])
  }

  /// The README's manifest, with a repository of this checkout in place of the public one.
  private static func manifest() throws -> String {
    let manifest = try "// swift-tools-version" + readme(from: "```swift\n// swift-tools-version", to: "```")
    let dependency = #".package(url: "https://github.com/swift-uv/swift-uv", branch: "main")"#
    #expect(manifest.contains(dependency))
    return manifest.replacingOccurrences(
      of: dependency, with: try Consumer.dependency())
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
}
