#if Everything
import Foundation
import Testing
import UV
import UVHTTP

/// What a program gets that sets no limit.
@Suite struct DefaultsTests {
  private static var saying: Regex<(Substring, Substring, Substring?, Substring?)> {
    /([0-9,]+( (ms|s|min))?|an hour|none|as many as there are) by default/
  }

  /// The defaults that the comments of a type say, by property.
  private static func stated(_ file: String) throws -> [String: String] {
    let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("../..")
    let source = try String(contentsOf: root.appendingPathComponent("Sources/\(file)"), encoding: .utf8)
    var (comment, found) = ("", [String: String]())
    for line in source.split(separator: "\n").map({ $0.trimmingCharacters(in: .whitespaces) }) {
      if line.hasPrefix("///") {
        comment += line.dropFirst(3)
        continue
      }
      if let name = line.firstMatch(of: /^public var (\w+)/)?.output.1,
        let said = comment.firstMatch(of: saying)
      {
        found[String(name)] = String(said.output.1)
      }
      comment = ""
    }
    return found
  }

  /// A default in the words of a comment.
  private static func text(_ value: Any) -> [String] {
    switch value {
    case let time as Duration:
      let milliseconds = Int(time / .milliseconds(1))
      return ["\(milliseconds) ms", "\(milliseconds / 1000) s", "\(milliseconds / 60000) min"]
        + (time == .seconds(3600) ? ["an hour"] : [])
    case Int.max as Int: return ["as many as there are"]
    case let number as Int:
      let digits = "\(number)".reversed().enumerated().map { $0 > 0 && $0 % 3 == 0 ? "\($1)," : "\($1)" }
      return [digits.reversed().joined(), number == 0 ? "none" : ""]
    default: return []
    }
  }

  @Test(
    "Each size, count and time has the default that its comment says",
    arguments: [
      ("UV/Pools/PoolLimits.swift", PoolLimits() as any Sendable, 6),
      ("UVHTTP/HTTPLimits.swift", HTTPLimits(), 15),
      ("UVHTTP/WebSocket/WebSocketLimits.swift", WebSocketLimits(), 8),
      ("UVHTTP/Client/HTTPClientOptions.swift", HTTPClientOptions(), 9),
    ])
  func defaults(file: String, limits: any Sendable, count: Int) throws {
    let stated = try Self.stated(file)
    var numbers = 0
    for (name, value) in Mirror(reflecting: limits).children {
      let texts = Self.text(value)
      guard let name, !texts.isEmpty else { continue }
      numbers += 1
      let said = try #require(stated[name], "\(name)")
      #expect(texts.contains(said), "\(name): \(texts)")
    }
    #expect(numbers >= count)
  }

  @Test func `Idle connections of a client end before most servers end them`() {
    #expect(HTTPClientOptions().connections.idle == .seconds(30))
  }
}
#endif
