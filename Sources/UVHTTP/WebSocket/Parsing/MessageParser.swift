#if HTTP || Everything
import UV

/// Puts messages together from the frames that come, and finds the control frames between them (RFC 6455, 5).
struct MessageParser {
  enum Event: Equatable {
    /// More bytes have to come.
    case incomplete
    case message(WebSocketMessage)
    case ping(Bytes)
    case pong(Bytes)
    case close(WebSocketClose)
  }

  private let limits: WebSocketLimits
  /// Whether the peer is a client.
  private let isMasked: Bool
  /// The kind of the message that has begun.
  private var kind: WebSocketMessage.Kind?
  private var frameCount = 0
  /// How many bytes the message has, with those of its frame that are still to come.
  private var count = 0
  /// The parts that have come.
  private var content = BytesBuilder()
  private var text = TextCheck()
  /// The data frame whose payload is coming, and how much of that is missing.
  private var frame: FrameHead?
  private var rest = 0

  init(_ limits: WebSocketLimits, isMasked: Bool) { (self.limits, self.isMasked) = (limits, isMasked) }

  /// Whether a message has begun that isn't complete.
  var isWithinMessage: Bool { kind != nil }

  /// Takes what comes next from the front of the bytes that have come.
  mutating func next(from input: inout Bytes) throws(WebSocketFault) -> Event {
    while true {
      if frame == nil {
        guard
          let head = try FrameHead.read(input.span, isMasked: isMasked, isWithinMessage: isWithinMessage)
        else { return .incomplete }
        if head.opcode.isControl {
          guard input.count >= head.size + head.length else { return .incomplete }
          var mask = head.mask
          // It is kept for longer than what has come with it.
          let payload = mask.removed(from: Bytes(input[head.size..<head.size + head.length])).copy()
          input = Bytes(input[(head.size + head.length)...])
          return try Self.control(head.opcode, payload)
        }
        input = Bytes(input[head.size...])
        try begin(head)
      }
      let part = min(rest, input.count)
      if let message = try take(Bytes(input[..<part])) {
        input = Bytes(input[part...])
        return .message(message)
      }
      input = Bytes(input[part...])
      if rest > 0 { return .incomplete }
    }
  }

  private mutating func begin(_ head: FrameHead) throws(WebSocketFault) {
    if head.length > limits.frame { throw .tooBig("a frame is larger than \(limits.frame) bytes") }
    if head.length > limits.message - count {
      throw .tooBig("a message is larger than \(limits.message) bytes")
    }
    frameCount += 1
    if frameCount > limits.fragments { throw .tooBig("a message has more than \(limits.fragments) frames") }
    switch head.opcode {
    case .text: kind = .text
    case .binary: kind = .binary
    default: break
    }
    count += head.length
    frame = head
    rest = head.length
  }

  /// Takes the next bytes of the frame.
  ///
  /// - Returns: The message, if it is complete.
  private mutating func take(_ part: Bytes) throws(WebSocketFault) -> WebSocketMessage? {
    guard let head = frame, let kind else { return nil }
    rest -= part.count
    if head.isFinal, rest == 0, part.count == count {
      // The usual case: all of the message is there, in one frame.
      var mask = head.mask
      let whole = mask.removed(from: part)
      defer { reset() }
      if kind == .binary { return .binary(whole) }
      guard let text = String(validating: whole, as: UTF8.self) else { throw .notText }
      return .text(text)
    }
    if !part.isEmpty {
      let start = content.count
      part.withUnsafeBytes { frame?.mask.append($0, to: &content) }
      if kind == .text {
        let piece = Bytes(Bytes(content)[start...])
        guard text.accepts(piece.bytes) else { throw .notText }
      }
    }
    if rest > 0 { return nil }
    frame = nil
    if !head.isFinal { return nil }
    guard text.isComplete else { throw .notText }
    defer { reset() }
    let whole = content.takeBytes()
    return kind == .binary ? .binary(whole) : .text(String(decoding: whole, as: UTF8.self))
  }

  private mutating func reset() {
    (kind, frame, frameCount, count, text) = (nil, nil, 0, 0, TextCheck())
    if content.capacity > 0 { content = BytesBuilder() }
  }

  private static func control(_ opcode: Opcode, _ payload: Bytes) throws(WebSocketFault) -> Event {
    switch opcode {
    case .ping: return .ping(payload)
    case .pong: return .pong(payload)
    default: break
    }
    if payload.isEmpty { return .close(WebSocketClose(code: .noStatus, reason: "")) }
    guard payload.count >= 2 else { throw .wrong("a close has half a code") }
    let code = WebSocketCloseCode(rawValue: UInt16(payload[0]) << 8 | UInt16(payload[1]))
    guard code.isValid else { throw .wrong("a close has the code \(code)") }
    guard let reason = String(validating: payload.dropFirst(2), as: UTF8.self) else { throw .notText }
    return .close(WebSocketClose(code: code, reason: reason))
  }
}
#endif
