#if Everything
import Testing

@testable import UVHTTP

/// What a parser says of a message, as text that a table can hold.
enum Verdict: Equatable, CustomStringConvertible {
  case incomplete
  case refused(Int)
  case accepted(String)

  var description: String {
    switch self {
    case .incomplete: "incomplete"
    case .refused(let code): "refused with \(code)"
    case .accepted(let text): "accepted: \(text)"
    }
  }
}

/// A message of the table, the clause of RFC 9112 that it is about, and what has to become of it.
struct Message: CustomTestStringConvertible, Sendable {
  let clause: String
  let text: String
  let status: Int?

  /// - Parameter status: The status of the refusal; nil if the message is accepted.
  init(_ clause: String, _ text: String, _ status: Int? = nil) {
    (self.clause, self.text, self.status) = (clause, text, status)
  }

  var testDescription: String { "\(clause): \(text.debugDescription.prefix(80))" }
}

/// Parses bytes that come one at a time, and all at once, and says what becomes of them. Both have to be the
/// same.
func verdict(
  _ text: String, _ limits: HTTPLimits = HTTPLimits(), sourceLocation: SourceLocation = #_sourceLocation
) -> (verdict: Verdict, head: RequestHead?) {
  let bytes = Bytes(text)
  let whole = parseWhole(bytes, limits)
  // Each cut into two parts.
  for cut in 0...bytes.count {
    var parser = HeadParser(limits)
    var result: (verdict: Verdict, head: RequestHead?) = (.incomplete, nil)
    for end in [cut, bytes.count] where result.verdict == .incomplete {
      result = parse(&parser, Bytes(bytes[..<end]))
    }
    #expect(result.verdict == whole.verdict, "cut at \(cut)", sourceLocation: sourceLocation)
    #expect(result.head == whole.head, "cut at \(cut)", sourceLocation: sourceLocation)
  }
  // A byte at a time.
  var parser = HeadParser(limits)
  var result: (verdict: Verdict, head: RequestHead?) = (.incomplete, nil)
  for end in 0...bytes.count where result.verdict == .incomplete {
    result = parse(&parser, Bytes(bytes[..<end]))
  }
  #expect(result.verdict == whole.verdict, "a byte at a time", sourceLocation: sourceLocation)
  #expect(result.head == whole.head, "a byte at a time", sourceLocation: sourceLocation)
  return whole
}

private func parseWhole(_ bytes: Bytes, _ limits: HTTPLimits) -> (verdict: Verdict, head: RequestHead?) {
  var parser = HeadParser(limits)
  return parse(&parser, bytes)
}

private func parse(_ parser: inout HeadParser, _ bytes: Bytes) -> (verdict: Verdict, head: RequestHead?) {
  do throws(Refusal) {
    guard let head = try parser.parse(bytes.span) else { return (.incomplete, nil) }
    return (.accepted(""), head)
  } catch {
    return (.refused(error.status.code), nil)
  }
}

/// Parses a body whose bytes come in parts of `size`, and says what it has.
func bodyVerdict(
  _ text: String, _ framing: BodyFraming = .chunked, size: Int = .max, _ limits: HTTPLimits = HTTPLimits()
) -> Verdict {
  let bytes = Bytes(text)
  var parser = BodyParser(framing, limits)
  var content = ""
  // The bytes that have come and haven't been understood are `start..<end`.
  var (start, end) = (0, 0)
  do throws(Refusal) {
    while true {
      let come = Bytes(bytes[start..<end])
      var position = 0
      let part = try parser.next(come.span, at: &position)
      switch part {
      case .incomplete:
        start += position
        if end == bytes.count { return .incomplete }
        end += min(size, bytes.count - end)
      case .content(let range):
        content += String(decoding: come[range], as: UTF8.self)
        start += position
      case .end(let trailer, let next):
        let fields = String(decoding: come[trailer], as: UTF8.self)
        let rest = String(decoding: bytes[(start + next)...], as: UTF8.self)
        return .accepted(
          [content, fields, size == .max ? rest : ""].filter { !$0.isEmpty }.joined(separator: "|"))
      }
    }
  } catch {
    return .refused(error.status.code)
  }
}
#endif
