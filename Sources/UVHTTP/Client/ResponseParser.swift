#if HTTP || Everything
import UV

/// Reads the head of an answer, as its bytes come (RFC 9112, 4 to 6).
///
/// It is as strict about framing as the parser of requests: what a client and a proxy could understand in two
/// ways is refused. But a field that goes on in the next line is read as one with blanks, as RFC 9112, 5.2, has it. The
/// code of a refusal doesn't matter, since nobody is answered.
struct ResponseParser {
  private let limits: HTTPLimits
  private let question: Question
  private var head = AnswerHead()
  /// The lines after the status line; nil while that isn't complete.
  private var lines: FieldLines?
  private var meaning = FieldMeaning()

  /// The parts of a request that say where its answer ends.
  struct Question {
    var isHead = false
    var isConnect = false
  }

  init(_ limits: HTTPLimits, _ question: Question) {
    self.limits = limits
    self.question = question
  }

  /// Reads on.
  ///
  /// - Parameter bytes: All that has come since the head's beginning, each time. Line ends within a field become blanks.
  /// - Returns: The head; nil if it isn't complete. More bytes may follow its end.
  mutating func parse(_ bytes: inout Bytes) throws(Refusal) -> AnswerHead? {
    while true {
      if let head = try parse(bytes.span) { return head }
      guard let start = lines?.folded else { return nil }
      bytes = Self.unfolded(bytes, from: start)
    }
  }

  /// The bytes with the lines of one field put together.
  private static func unfolded(_ bytes: Bytes, from start: Int) -> Bytes {
    var bytes = Array(bytes)
    var place = start
    while place + 2 < bytes.count {
      if bytes[place] == .carriageReturn, bytes[place + 1] == .lineFeed {
        if !bytes[place + 2].isBlank { break }
        (bytes[place], bytes[place + 1]) = (.space, .space)
      }
      place += 1
    }
    return Bytes(bytes)
  }

  private mutating func parse(_ bytes: Span<UInt8>) throws(Refusal) -> AnswerHead? {
    if lines == nil, try !readStatusLine(bytes) { return nil }
    while true {
      switch try lines?.next(bytes, limits) {
      case nil, .incomplete: return nil
      case .field(let name, let value, _): try meaning.takeOfAnswer(bytes, name, value)
      case .end(let end):
        head.end = end
        try meaning.apply(to: &head, question)
        return head
      }
    }
  }

  /// Reads `HTTP/1.1 200 OK`. Each byte is looked at as it comes. A server may leave out the reason, and the
  /// space before it, which many do.
  private mutating func readStatusLine(_ bytes: Span<UInt8>) throws(Refusal) -> Bool {
    let pattern: StaticString = "HTTP/1.0 000"
    let count = min(bytes.count, pattern.utf8CodeUnitCount)
    let isRight = pattern.withUTF8Buffer { pattern in
      for index in 0..<count where bytes[index] != pattern[index] {
        if pattern[index] != 0x30 || !bytes[index].isDigit { return false }
      }
      return true
    }
    guard isRight else { throw .badRequest("the answer isn't one of HTTP/1.1") }
    if count < pattern.utf8CodeUnitCount { return false }
    var place = pattern.utf8CodeUnitCount
    let status = (9..<12).reduce(0) { $0 * 10 + Int(bytes[$1] &- 0x30) }
    guard status >= 100 else { throw .badRequest("the status is no number from 100 on") }
    if place < bytes.count, bytes[place] == .space { place += 1 }
    let reason = place
    while place < bytes.count, bytes[place].isFieldValue { place += 1 }
    if place > limits.requestLine { throw .badRequest("the status line is too long") }
    switch try LineEnd.read(bytes, at: place, orElse: "the reason has a control character") {
    case .incomplete: return false
    case .end(let end):
      guard reason == place || bytes[reason - 1] == .space else { throw .badRequest("the status isn't one") }
      head.status = status
      head.reason = reason..<place
      head.minorVersion = bytes[7] == 0x30 ? 0 : 1
      head.fields = end
      lines = FieldLines(from: end, allowsFolds: true)
      return true
    }
  }
}

extension FieldMeaning {
  /// Takes a field of an answer. Fewer fields matter than in a request.
  mutating func takeOfAnswer(
    _ bytes: Span<UInt8>, _ name: Range<Int>, _ value: Range<Int>
  ) throws(Refusal) {
    switch name.count {
    case 10, 14, 17:
      if bytes.isWord(name, "connection") || bytes.isWord(name, "content-length")
        || bytes.isWord(name, "transfer-encoding")
      {
        try take(bytes, name, value)
      }
    default: break
    }
  }

  /// Says where the body of an answer ends (RFC 9112, 6.3), and whether the connection goes on (9.3).
  func apply(to head: inout AnswerHead, _ question: ResponseParser.Question) throws(Refusal) {
    if hasEncoding, length != nil { throw .badRequest("there are a length and a transfer encoding") }
    if hasEncoding, head.minorVersion == 0 { throw .badRequest("HTTP/1.0 has no transfer encoding") }
    if isTooLong { throw .bodyTooLarge }
    if question.isConnect, 200..<300 ~= head.status {
      head.framing = .tunnel
    } else if question.isHead || head.status < 200 || head.status == 204 || head.status == 304 {
      head.framing = .body(.none)
    } else if hasEncoding {
      head.framing = .body(.chunked)
    } else if let length {
      head.framing = .body(length == 0 ? .none : .length(length))
    } else {
      head.framing = .untilClose
    }
    head.keepsAlive = !closes && (head.minorVersion > 0 || keepsAlive) && head.framing != .untilClose
  }
}
#endif
