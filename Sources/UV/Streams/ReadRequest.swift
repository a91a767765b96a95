import CUV

/// The wish of a reader of a stream: the next bytes as they come, or bytes that belong together.
@usableFromInline
struct ReadRequest {
  @usableFromInline
  enum Kind: UInt8 {
    /// As many bytes as have come, at least one.
    case any
    /// A number of bytes.
    case exactly
    /// A number of bytes, which stay.
    case peek
    /// The bytes before a delimiter.
    case until
    /// The bytes before a delimiter, which are dropped.
    case skip
    /// The bytes before the end of a line.
    case line
    /// The bytes before the end of a line, which must be CR LF.
    case strictLine
    /// All bytes before the stream's end.
    case rest
    /// As many bytes as have come, at least one, in the caller's memory.
    case into
    /// A header of the PROXY protocol.
    case proxyHeader
  }

  /// The most bytes that a number of bytes may be.
  static let largest = 1 << 30

  /// The delimiter of `until` and `skip`; for `into`, the caller's memory.
  @usableFromInline let delimiter: Bytes?
  /// The number of bytes, or the limit of it.
  @usableFromInline let count: Int
  @usableFromInline let kind: Kind

  @inlinable
  @inline(__always)
  init(_ kind: Kind, _ count: Int = 0, _ delimiter: Bytes? = nil) {
    self.kind = kind
    self.count = count
    self.delimiter = delimiter
  }

  /// The limit, as a number that can be added to.
  var limit: Int { min(count, 1 << 48) }

  /// Whether the numbers make sense.
  var isValid: Bool {
    switch kind {
    case .exactly, .peek: 0...Self.largest ~= count
    case .until, .skip: count >= 0 && !delimiter!.isEmpty
    case .line, .strictLine, .rest: count >= 0
    case .into: count > 0
    case .any, .proxyHeader: true
    }
  }

  /// How many bytes end the frame and aren't a part of it.
  var delimiterCount: Int { kind == .until || kind == .skip ? delimiter!.count : 1 }

  // MARK: Errors

  var invalid: UVError { UVError(.invalidArgument, operation: "read", subject: "\(wish)") }

  var tooLong: UVError {
    UVError(.messageTooLong, operation: "read", subject: "\(wish) within \(count) bytes")
  }

  /// The error of a line with a carriage return or a line feed that stands alone.
  var hasBareEnd: UVError {
    UVError(
      .protocolError, operation: "read",
      subject: "\(wish), in which a carriage return or a line feed is alone")
  }

  /// The error if the stream ends after a part of the frame.
  func isCutShort(after count: Int) -> UVError {
    let missing =
      switch kind {
      case .exactly, .peek: "\(self.count - count) of them missing"
      default: "missing after \(count) bytes"
      }
    return UVError(.endOfFile, operation: "read", subject: "\(wish), \(missing)")
  }

  /// The wish in words.
  var wish: String {
    switch kind {
    case .any: "bytes"
    case .exactly, .peek, .into: "\(count) bytes"
    case .until, .skip: "until \(delimiter!.isEmpty ? "nothing" : delimiter!.description.debugDescription)"
    case .line: "until the end of a line"
    case .strictLine: "until a line's CR LF"
    case .rest: "to the end"
    case .proxyHeader: "a PROXY header"
    }
  }
}
