#if HTTP || Everything
import UV

/// The kind of a frame (RFC 6455, 5.2).
enum Opcode: UInt8 {
  case continuation = 0
  case text = 1
  case binary = 2
  case close = 8
  case ping = 9
  case pong = 10

  var isControl: Bool { rawValue >= 8 }
}

/// The head of a frame: what it is for, how long it is, and its mask (RFC 6455, 5.2).
struct FrameHead: Equatable {
  /// The most bytes of a control frame.
  static let mostControl = 125

  var opcode: Opcode
  /// Whether it is the last frame of its message.
  var isFinal: Bool
  var length: Int
  var mask = FrameMask()
  /// How many bytes the head has.
  var size: Int

  /// Reads a head. Each byte is looked at as it comes.
  ///
  /// - Parameters:
  ///   - bytes: What has come since the head's beginning.
  ///   - isMasked: Whether the peer masks its frames, as a client does and a server doesn't.
  ///   - isWithinMessage: Whether a message has begun that isn't complete.
  /// - Returns: The head; nil if it isn't complete.
  static func read(
    _ bytes: Span<UInt8>, isMasked: Bool, isWithinMessage: Bool
  ) throws(WebSocketFault) -> FrameHead? {
    if bytes.isEmpty { return nil }
    var head = try readFirst(bytes[0], isWithinMessage: isWithinMessage)
    if bytes.count < 2 { return nil }
    guard (bytes[1] & 0x80 != 0) == isMasked else {
      throw .wrong(isMasked ? "a client's frame isn't masked" : "a server's frame is masked")
    }
    guard let (length, end) = try readLength(bytes, isControl: head.opcode.isControl) else { return nil }
    head.length = length
    head.size = end
    if !isMasked { return head }
    guard bytes.count >= end + 4 else { return nil }
    head.mask = FrameMask((0..<4).reduce(0 as UInt32) { $0 | UInt32(bytes[end + $1]) << UInt32(8 * $1) })
    head.size = end + 4
    return head
  }

  private static func readFirst(_ byte: UInt8, isWithinMessage: Bool) throws(WebSocketFault) -> FrameHead {
    // They belong to extensions, and none has been agreed on.
    if byte & 0x70 != 0 { throw .wrong("a reserved bit is set") }
    guard let opcode = Opcode(rawValue: byte & 0x0f) else { throw .wrong("the opcode is unknown") }
    let isFinal = byte & 0x80 != 0
    if opcode.isControl {
      if !isFinal { throw .wrong("a control frame is fragmented") }
    } else if (opcode == .continuation) != isWithinMessage {
      throw .wrong(
        isWithinMessage ? "a message begins within another one" : "there is no message to be continued")
    }
    return FrameHead(opcode: opcode, isFinal: isFinal, length: 0, size: 0)
  }

  /// Reads a length, which has to have as few bytes as it can. A longer one in a few bytes more could hide from
  /// an observer of frames on their way.
  private static func readLength(
    _ bytes: Span<UInt8>, isControl: Bool
  ) throws(WebSocketFault) -> (length: Int, end: Int)? {
    let short = Int(bytes[1] & 0x7f)
    if short < 126 { return (short, 2) }
    if isControl { throw .wrong("a control frame is longer than 125 bytes") }
    let end = short == 126 ? 4 : 10
    if end == 10, bytes.count > 2, bytes[2] & 0x80 != 0 { throw .wrong("a length has the highest bit") }
    guard bytes.count >= end else { return nil }
    let length = (2..<end).reduce(0) { $0 << 8 | Int(bytes[$1]) }
    guard length > (end == 4 ? 125 : 0xffff) else { throw .wrong("a length has more bytes than it needs") }
    return (length, end)
  }

  /// Appends the head of a frame that is sent.
  func append(to bytes: inout BytesBuilder) {
    bytes.append((isFinal ? 0x80 : 0) | opcode.rawValue)
    let bit: UInt8 = mask.isUsed ? 0x80 : 0
    switch length {
    case ..<126: bytes.append(bit | UInt8(length))
    case ...0xffff:
      bytes.append(bit | 126)
      bytes.append(bigEndian: UInt16(length))
    default:
      bytes.append(bit | 127)
      bytes.append(bigEndian: UInt64(length))
    }
    if mask.isUsed { bytes.append(littleEndian: mask.key) }
  }
}
#endif
