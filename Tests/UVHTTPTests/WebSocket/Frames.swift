#if Everything
import Testing

@testable import UVHTTP

/// A frame as a client or a server sends it, made by hand.
///
/// - Parameters:
///   - first: The first byte: 0x80 for the last frame of its message, and the opcode.
///   - mask: The key of a client's frame; nil for a server's.
///   - lengthSize: How many bytes the length has after the first seven bits; as few as it needs by default.
func frame(_ first: UInt8, _ payload: Bytes, mask: UInt32? = 0x37fa_213d, lengthSize: Int? = nil) -> Bytes {
  var bytes = BytesBuilder()
  bytes.append(first)
  let bit: UInt8 = mask == nil ? 0 : 0x80
  switch lengthSize ?? (payload.count < 126 ? 0 : payload.count < 65536 ? 2 : 8) {
  case 0: bytes.append(bit | UInt8(payload.count))
  case 2:
    bytes.append(bit | 126)
    bytes.append(bigEndian: UInt16(payload.count))
  default:
    bytes.append(bit | 127)
    bytes.append(bigEndian: UInt64(payload.count))
  }
  let key = mask.map { key in (0..<4).map { UInt8(truncatingIfNeeded: key >> UInt32(24 - 8 * $0)) } }
  if let key { bytes.append(contentsOf: key) }
  for (place, byte) in payload.enumerated() { bytes.append(key.map { byte ^ $0[place % 4] } ?? byte) }
  return bytes.takeBytes()
}

func frames(_ parts: [Bytes]) -> Bytes { Bytes(parts.flatMap { Array($0) }) }

/// What a parser says of bytes, as text that a table can hold: `text "a", ping "b"`.
///
/// - Parameter size: How many bytes come at a time.
func verdict(
  _ bytes: Bytes, _ limits: WebSocketLimits = WebSocketLimits(), isMasked: Bool = true, cuts: [Int]
) -> String {
  var parser = MessageParser(limits, isMasked: isMasked)
  var input = Bytes()
  var said: [String] = []
  var start = 0
  do throws(WebSocketFault) {
    for end in cuts + [bytes.count] {
      input = frames([input, Bytes(bytes[start..<end])])
      start = end
      events: while true {
        switch try parser.next(from: &input) {
        case .incomplete: break events
        case .message(.text(let text)): said.append("text \(text.debugDescription)")
        case .message(.binary(let bytes)):
          said.append(bytes.count > 20 ? "\(bytes.count) bytes" : "binary \(Array(bytes))")
        case .ping(let data): said.append("ping \"\(data)\"")
        case .pong(let data): said.append("pong \"\(data)\"")
        case .close(let close): said.append("close \(close.code) \(close.reason.debugDescription)")
        }
      }
    }
    if !input.isEmpty || parser.isWithinMessage { said.append("incomplete") }
  } catch {
    said.append("refused \(error.code)")
  }
  return said.joined(separator: ", ")
}
#endif
