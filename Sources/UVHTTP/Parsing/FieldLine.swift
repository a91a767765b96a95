#if HTTP || Everything
import UV

/// One line of a head or of a trailer, which is a field or the empty line at the end (RFC 9112, 5).
enum FieldLine: Equatable {
  /// The line hasn't come completely.
  case incomplete
  /// The empty line. The position is the one after it.
  case end(Int)
  /// A field: its name, its value without the blanks around it, and the position after the line.
  case field(name: Range<Int>, value: Range<Int>, end: Int)

  /// Reads the line that begins at `start`.
  ///
  /// A name is a token, and the colon follows at once. So a line that goes on with the one before it
  /// (obs-fold) is refused, and so is a space before the colon. A value has no control characters, and its
  /// line ends with CR LF.
  static func read(_ bytes: Span<UInt8>, at start: Int) throws(Refusal) -> FieldLine {
    let count = bytes.count
    var position = start
    while position < count, bytes[position].isToken { position += 1 }
    if position == count { return .incomplete }
    let nameEnd = position
    if bytes[position] != UInt8(ascii: ":") {
      guard nameEnd == start else { throw .badRequest("a field's name isn't a token with a colon after it") }
      return try readEnd(bytes, at: position)
    }
    guard nameEnd > start else { throw .badRequest("a field has no name") }
    position += 1
    while position < count, bytes[position].isBlank { position += 1 }
    let value = position
    while position < count, bytes[position].isFieldValue { position += 1 }
    let lineEnd = position
    switch try LineEnd.read(bytes, at: position, orElse: "a field's value has a control character") {
    case .incomplete: return .incomplete
    case .end(let next):
      var end = lineEnd
      while end > value, bytes[end - 1].isBlank { end -= 1 }
      return .field(name: start..<nameEnd, value: value..<end, end: next)
    }
  }

  private static func readEnd(_ bytes: Span<UInt8>, at position: Int) throws(Refusal) -> FieldLine {
    if bytes[position].isBlank { throw .badRequest("a line begins with a blank") }
    switch try LineEnd.read(bytes, at: position, orElse: "a field has no name") {
    case .incomplete: return .incomplete
    case .end(let next): return .end(next)
    }
  }
}

/// CR LF, and nothing else, ends a line (RFC 9112, 2.2).
enum LineEnd {
  /// It hasn't come completely.
  case incomplete
  /// The position after it.
  case end(Int)

  /// - Parameter reason: Why the message is refused if there is another character than CR or LF.
  static func read(_ bytes: Span<UInt8>, at position: Int, orElse reason: String) throws(Refusal) -> LineEnd {
    if position == bytes.count { return .incomplete }
    switch bytes[position] {
    case .carriageReturn:
      if position + 1 == bytes.count { return .incomplete }
      guard bytes[position + 1] == .lineFeed else { throw .bareLineEnd }
      return .end(position + 2)
    case .lineFeed: throw .bareLineEnd
    default: throw .badRequest(reason)
    }
  }
}
#endif
