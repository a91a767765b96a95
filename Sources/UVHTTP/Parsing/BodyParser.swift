#if HTTP || Everything
import HTTPTypes
import UV

/// Finds the parts of a body among the bytes that come, and where it ends (RFC 9112, 6 and 7).
struct BodyParser {
  /// The next part of a body.
  enum Part: Equatable {
    /// More bytes have to come.
    case incomplete
    /// Bytes of the body.
    case content(Range<Int>)
    /// The body has ended; the trailer's fields, if there are some, and the position after all.
    case end(trailer: Range<Int>, Int)
  }

  private enum Stage {
    case content(Int)
    case size
    case contentEnd
    case trailer
    case ended
  }

  /// More digits would be an attempt to make the size overflow.
  private static let mostDigits = 16

  private let limits: HTTPLimits
  private let isChunked: Bool
  private let isAnswer: Bool
  private var stage: Stage
  /// How many bytes of content have come.
  private(set) var count = 0
  private var extensionCount = 0

  /// How many bytes are left of a body with a length; nil for chunks.
  var rest: Int? { if case .content(let rest) = stage, !isChunked { rest } else { nil } }

  /// - Parameter isAnswer: Whether the body is that of an answer: servers are taken as they are, where no request can
  ///   be smuggled.
  init(_ framing: BodyFraming, _ limits: HTTPLimits, isAnswer: Bool = false) {
    (self.limits, self.isAnswer) = (limits, isAnswer)
    isChunked = framing == .chunked
    stage =
      switch framing {
      case .none: .ended
      case .length(let count): .content(count)
      case .chunked: .size
      }
  }

  /// A part that has been taken.
  enum Piece {
    /// More bytes have to come.
    case incomplete
    /// Bytes of the body.
    case content(Bytes)
    /// The body has ended; the trailer's fields, if there are some.
    case end(trailer: Bytes)
  }

  /// Takes the next part from the front of the bytes that have come.
  mutating func take(from input: inout Bytes) throws(Refusal) -> Piece {
    var position = 0
    let part = try next(input.span, at: &position)
    let here = input
    input = Bytes(input[position...])
    return switch part {
    case .incomplete: .incomplete
    case .content(let range): .content(Bytes(here[range]))
    case .end(let trailer, _): .end(trailer: Bytes(here[trailer]))
    }
  }

  /// Reads the next part.
  ///
  /// - Parameters:
  ///   - bytes: The bytes that have come.
  ///   - position: Where to begin. The parser moves it past the bytes that it has understood; pass the
  ///     others again.
  mutating func next(_ bytes: Span<UInt8>, at position: inout Int) throws(Refusal) -> Part {
    while true {
      switch stage {
      case .content(let rest):
        if rest == 0 {
          stage = isChunked ? .contentEnd : .ended
          continue
        }
        let part = min(rest, bytes.count - position)
        if part == 0 { return .incomplete }
        count += part
        if count > limits.body { throw .bodyTooLarge }
        stage = .content(rest - part)
        position += part
        return .content(position - part..<position)
      case .contentEnd:
        switch try LineEnd.read(bytes, at: position, orElse: "a chunk is longer than it says") {
        case .incomplete: return .incomplete
        case .end(let next): position = next
        }
        stage = .size
      case .size:
        guard let (size, next) = try readSize(bytes, at: position) else { return .incomplete }
        position = next
        if size > limits.body - count { throw .bodyTooLarge }
        stage = size == 0 ? .trailer : .content(size)
      case .trailer:
        guard let end = try readTrailer(bytes, at: position) else { return .incomplete }
        stage = .ended
        let trailer = position..<end - 2
        position = end
        return .end(trailer: trailer, end)
      case .ended: return .end(trailer: position..<position, position)
      }
    }
  }

  /// Reads the line with a chunk's size. Extensions are passed over, as long as all of them are within the
  /// limit.
  private mutating func readSize(_ bytes: Span<UInt8>, at start: Int) throws(Refusal) -> (Int, Int)? {
    var position = start
    var size = 0
    while position < bytes.count, let digit = bytes[position].hexadecimal {
      if position - start == Self.mostDigits || size > Int.max >> 4 {
        throw Refusal(status: .contentTooLarge, reason: "the size of a chunk is too large")
      }
      size = size << 4 | digit
      position += 1
    }
    if position == bytes.count { return nil }
    guard position > start else { throw .badRequest("the size of a chunk isn't a number") }
    let end = position
    let next = try ChunkExtensions.end(bytes, from: end, allowsBlank: isAnswer)
    position = next ?? bytes.count
    if extensionCount + (position - end) > limits.chunkExtensions {
      throw .badRequest("the extensions of chunks are too long")
    }
    if next == nil { return nil }
    switch try LineEnd.read(bytes, at: position, orElse: "the size of a chunk isn't a number") {
    case .incomplete: return nil
    case .end(let next):
      extensionCount += position - end
      return (size, next)
    }
  }

  /// The position after the trailer, if that has come completely.
  private func readTrailer(_ bytes: Span<UInt8>, at start: Int) throws(Refusal) -> Int? {
    var lines = FieldLines(from: start)
    while true {
      switch try lines.next(bytes, limits) {
      case .incomplete: return nil
      case .field: break
      case .end(let end): return end
      }
    }
  }
}
#endif
