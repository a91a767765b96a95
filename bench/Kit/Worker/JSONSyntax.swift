/// Finds where a text stops being JSON: the decoder says no more than that it does.
public struct JSONSyntax {
  /// A place in a text, both counted from 1.
  public struct Place: Equatable, CustomStringConvertible, Sendable {
    /// The line.
    public var line: Int
    /// The byte in the line.
    public var column: Int

    /// `line 3, column 14`.
    public var description: String { "line \(line), column \(column)" }
  }

  private struct Failure: Error {}

  private let bytes: [UInt8]
  private var index = 0

  private init(_ text: String) { bytes = Array(text.utf8) }

  /// Where `text` stops being JSON, which may be its end; nil when it is JSON.
  public static func failure(in text: String) -> Place? {
    var syntax = JSONSyntax(text)
    do {
      try syntax.value(depth: 0)
      syntax.skipSpace()
      if syntax.index == syntax.bytes.count { return nil }
    } catch {}
    let before = syntax.bytes[..<syntax.index]
    let lines = before.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    return Place(line: lines.count, column: (lines.last?.count ?? 0) + 1)
  }

  private var next: UInt8? { index < bytes.count ? bytes[index] : nil }

  private mutating func skipSpace() { while let next, [32, 9, 10, 13].contains(next) { index += 1 } }

  private mutating func take(_ character: Unicode.Scalar) -> Bool {
    skipSpace()
    guard next == UInt8(ascii: character) else { return false }
    index += 1
    return true
  }

  private mutating func value(depth: Int) throws {
    skipSpace()
    guard let next, depth < 500 else { throw Failure() }
    switch next {
    case UInt8(ascii: "{"):
      try list(until: "}") { syntax in
        syntax.skipSpace()
        try syntax.string()
        guard syntax.take(":") else { throw Failure() }
        try syntax.value(depth: depth + 1)
      }
    case UInt8(ascii: "["): try list(until: "]") { try $0.value(depth: depth + 1) }
    case UInt8(ascii: "\""): try string()
    case UInt8(ascii: "t"): try word("true")
    case UInt8(ascii: "f"): try word("false")
    case UInt8(ascii: "n"): try word("null")
    default: try number()
    }
  }

  private mutating func list(
    until end: Unicode.Scalar, _ element: (inout JSONSyntax) throws -> Void
  ) throws {
    index += 1
    if take(end) { return }
    repeat { try element(&self) } while take(",")
    guard take(end) else { throw Failure() }
  }

  private mutating func string() throws {
    guard next == UInt8(ascii: "\"") else { throw Failure() }
    index += 1
    while let next, next != UInt8(ascii: "\"") {
      guard next >= 32 else { throw Failure() }
      index += next == UInt8(ascii: "\\") && index + 1 < bytes.count ? 2 : 1
    }
    guard next != nil else { throw Failure() }
    index += 1
  }

  private mutating func word(_ word: String) throws {
    for byte in word.utf8 {
      guard next == byte else { throw Failure() }
      index += 1
    }
  }

  private mutating func number() throws {
    let begin = index
    while let next, "+-.0123456789eE".utf8.contains(next) { index += 1 }
    guard let text = String(validating: bytes[begin..<index], as: UTF8.self), Double(text) != nil else {
      index = begin
      throw Failure()
    }
  }
}
