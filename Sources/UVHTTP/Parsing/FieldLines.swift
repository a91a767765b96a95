import UV

/// The lines of a head's fields or of a trailer, as they come. It goes on at the line that wasn't complete, and
/// keeps to the limits of fields.
struct FieldLines {
  /// Where the first line begins.
  private let start: Int
  /// Where the line begins that isn't complete.
  private var position: Int
  private var count = 0

  init(from start: Int) { (self.start, position) = (start, start) }

  /// Reads the next line.
  ///
  /// - Parameter bytes: All that has come since the head's beginning, each time.
  mutating func next(_ bytes: Span<UInt8>, _ limits: HTTPLimits) throws(Refusal) -> FieldLine {
    let line = try FieldLine.read(bytes, at: position)
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
