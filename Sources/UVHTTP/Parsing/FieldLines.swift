#if HTTP || Everything
import HTTPTypes
import UV

/// The lines of a head's fields or of a trailer, as they come. It goes on at the line that wasn't complete, and
/// keeps to the limits of fields. Of an answer's head it waits for the byte after each field, with which the field may go
/// on (RFC 9112, 5.2).
struct FieldLines {
  /// Where the first line begins.
  private let start: Int
  /// Where the line begins that isn't complete.
  private var position: Int
  private var count = 0
  private let allowsFolds: Bool
  /// Where the field begins that goes on in the next line. It is read once the lines are one.
  private(set) var folded: Int?

  init(from start: Int, allowsFolds: Bool = false) {
    (self.start, position, self.allowsFolds) = (start, start, allowsFolds)
  }

  /// Reads the next line.
  ///
  /// - Parameter bytes: All that has come since the head's beginning, each time.
  mutating func next(_ bytes: Span<UInt8>, _ limits: HTTPLimits) throws(Refusal) -> FieldLine {
    var line = try FieldLine.read(bytes, at: position)
    folded = nil
    if allowsFolds, case .field(_, _, let end) = line {
      if end == bytes.count {
        line = .incomplete
      } else if bytes[end].isBlank {
        folded = position
        return .incomplete
      }
    }
    switch line {
    case .incomplete: if bytes.count - start > limits.fields { throw .fieldsTooLarge }
    case .field(_, _, let end):
      count += 1
      if count > limits.fieldCount { throw .tooManyFields }
      if end - start > limits.fields { throw .fieldsTooLarge }
      position = end
    case .end: break
    }
    return line
  }
}

extension HTTPFields {
  /// The fields among bytes that a parser has accepted.
  ///
  /// - Parameters:
  ///   - start: Where the first field begins.
  ///   - isWanted: Whether to take a field; its name, and where its value is.
  init(
    _ bytes: Bytes, from start: Int = 0,
    where isWanted: (HTTPField.Name, Range<Int>) -> Bool = { _, _ in true }
  ) {
    self.init()
    reserveCapacity(8)
    var position = start
    while case .field(let name, let value, let end)? = try? FieldLine.read(bytes.span, at: position) {
      position = end
      guard let name = HTTPField.Name(String(decoding: bytes[name], as: UTF8.self)), isWanted(name, value)
      else { continue }
      append(HTTPField(name: name, value: Bytes(bytes[value])))
    }
  }
}
#endif
