import Foundation
import Testing

/// The article of limits says what the code does.
@Suite struct LimitsTests {
  private func text(_ path: String) throws -> String {
    try String(contentsOf: Checkout.root.appendingPathComponent(path), encoding: .utf8)
  }

  /// The rows below a mark of the article: the first two cells of each.
  private func rows(_ name: String) throws -> [(limit: String, value: String)] {
    let article = try text("Sources/UV/UV.docc/Limits.md")
    let part = try #require(article.components(separatedBy: "<!-- limits: \(name) -->\n").dropFirst().first)
    return part.split(separator: "\n", omittingEmptySubsequences: false).prefix { $0.hasPrefix("|") }
      .dropFirst(2).map { line in
        let cells = line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
        return (cells[0], cells[1])
      }
  }

  /// A number as Swift's sources write it: `16 * 1024`, `64 << 20`, `10_000`.
  private func number(_ text: Substring) -> Int? {
    let words = text.replacing("_", with: "").split(separator: " ")
    guard let first = words.first.flatMap({ Int($0) }) else { return nil }
    guard words.count == 3, let second = Int(words[2]) else { return words.count == 1 ? first : nil }
    return words[1] == "*" ? first * second : words[1] == "<<" ? first << second : nil
  }

  @Test(
    "The table of an example has each of its limits, with the default of the option",
    arguments: ["FileServer", "RedisServer", "Proxy", "Chat", "HTTPServer"])
  func example(name: String) throws {
    let folder = Checkout.root.appendingPathComponent("Examples/Sources/\(name)")
    let sources = try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
      .filter { $0.pathExtension == "swift" }.map { try String(contentsOf: $0, encoding: .utf8) }
    var defaults: [String: Int] = [:]
    for match in sources.joined().matches(
      of: /@Option\([^@]*?\)\s+var (?<name>\w+) =\s+(?<value>[0-9][^\n]*)/)
    {
      let option = match.name.replacing(/[A-Z]/) { "-\($0.output.lowercased())" }
      defaults["--\(option)"] = try #require(number(match.value), "\(match.value)")
    }
    // What isn't a limit of a peer.
    for other in ["--port", "--loops"] { defaults[other] = nil }
    var listed: [String: Int] = [:]
    for row in try rows(name) {
      let option = try #require(row.limit.firstMatch(of: /`(--[a-z-]+)`/)?.output.1)
      listed[String(option)] = try #require(Int(row.value))
    }
    #expect(listed == defaults)
    #expect(listed.count >= 4)
  }

  @Test(
    "The tables of HTTP and of WebSocket have each of their limits, with its default",
    arguments: [("UVHTTP", "HTTPLimits.swift", 14), ("WebSocket", "WebSocket/WebSocketLimits.swift", 8)])
  func http(name: String, file: String, count: Int) throws {
    let source = try text("Sources/UVHTTP/\(file)")
    var defaults: [String: Int] = [:]
    let limit =
      /public var (?<name>\w+)(: Duration\?)? = ((Duration)?\.seconds\()?(?<value>[0-9_< ]+)/
    for match in source.matches(of: limit) {
      defaults[String(match.name)] = try #require(number(match.value))
    }
    var listed: [String: Int] = [:]
    for row in try rows(name) {
      let name = try #require(row.limit.firstMatch(of: /^`(\w+)`/)?.output.1, "\(row)")
      listed[String(name)] = try #require(row.value.split(separator: " ").first.flatMap { Int($0) })
    }
    #expect(listed == defaults)
    #expect(listed.count >= count)
  }

  @Test func `The numbers of the library are those of its code`() throws {
    for (limit, path, code) in [
      ("`handshakeTimeout` of TLS", "Sources/UVTLS/TLS.swift", "handshakeTimeout: Duration = .seconds(10)"),
      ("`handshakeLimit` of a TLS listener", "Sources/UVTLS/TLS.swift", "handshakeLimit: Int = 128"),
      (
        "questions that a resolver of `UVDNS` asks at once; others wait", "Sources/UVDNS/Channel.swift",
        "static let limit = 10_000"
      ),
      ("backlog of a listener", "Sources/UV/Connections/TCP.swift", "backlog: Int = 511"),
      ("a turn's budget", "Sources/UV/Loop/EventLoop+Microtasks.swift", "static let full = 2048"),
      ("a stream's share of a turn", "Sources/UV/Handles/ReadBuffer.swift", "static let limit = 128 << 10"),
      (
        "blocks of 4,096 bytes for reads of files that a loop keeps", "Sources/UV/Handles/ReadBuffer.swift",
        "static let limit = 64"
      ),
      (
        "objects for requests to other loops that a loop keeps", "Sources/UV/Requests/RequestList.swift",
        "unusedRemotes = UnusedRequests(atMost: 1024)"
      ),
      (
        "``ByteStream/highWaterMark``", "Sources/UV/Streams/WriteQueue.swift",
        "usualHighWaterMark = 65536"
      ),
      (
        "a TLS handshake once a graceful shutdown has begun", "Sources/UVTLS/TLSHandshake.swift",
        "timeInShutdown = Duration.seconds(1)"
      ),
      (
        "parts of a file that `UVHTTPFiles` sends in one answer; for more, the file",
        "Sources/UVHTTPFiles/ByteRanges.swift", "static let limit = 16"
      ),
      (
        "`memory` of `UVHTTPFiles`, on a loop", "Sources/UVHTTPFiles/HTTPFilesOptions.swift",
        "memory = 16 << 20"
      ),
      (
        "`largestInMemory` of `UVHTTPFiles`; larger files are sent from the file",
        "Sources/UVHTTPFiles/HTTPFilesOptions.swift", "largestInMemory = 64 << 10"
      ),
      (
        "what TLS itself has to send, before the connection reads no more",
        "Sources/UV/Streams/WriteQueue+Filter.swift", "mostOutput = 65536"
      ),
      (
        "what a TLS peer sends that carries nothing, before it is cut off", "Sources/UVTLS/TLSSession.swift",
        "mostWithoutBytes = 262_144"
      ),
    ] {
      let value = try #require(try rows("library").first { $0.limit == limit }, "\(limit)").value
      #expect(try text(path).contains(code), "\(limit): \(code)")
      let stated = try #require(value.split(separator: " ").first.flatMap { Int($0) })
      let words = code.firstMatch(of: /[0-9][0-9_]*( (\*|<<) [0-9]+)?/)
      #expect(words.flatMap { number($0.output.0) } == stated, "\(limit)")
    }
  }
}
