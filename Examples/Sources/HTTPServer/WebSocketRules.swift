import NIOCore
import NIOWebSocket

/// What RFC 6455 asks of frames, and NIO's handlers leave to their users.
enum WebSocketRules {
  /// Why a connection must be closed after a frame, if it must. Data frames are whole messages.
  static func fault(of frame: WebSocketFrame, _ data: ByteBuffer) -> WebSocketErrorCode? {
    // They belong to extensions, and none was agreed on.
    guard !frame.rsv1, !frame.rsv2, !frame.rsv3 else { return .protocolError }
    switch frame.opcode {
    case .binary, .ping, .pong: return nil
    case .text: return isText(data) ? nil : .dataInconsistentWithMessage
    case .connectionClose: return fault(ofClose: data)
    default: return .protocolError
    }
  }

  private static func fault(ofClose data: ByteBuffer) -> WebSocketErrorCode? {
    guard data.readableBytes > 0 else { return nil }
    var reason = data
    switch reason.readInteger(as: UInt16.self) {
    case .some(1000...1003), .some(1007...1014), .some(3000...4999):
      return isText(reason) ? nil : .dataInconsistentWithMessage
    default: return .protocolError
    }
  }

  private static func isText(_ data: ByteBuffer) -> Bool {
    String(validating: data.readableBytesView, as: UTF8.self) != nil
  }
}
