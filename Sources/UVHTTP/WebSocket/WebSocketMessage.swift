#if HTTP || Everything
import UV

/// A message of a ``WebSocket``: text or bytes.
///
/// A string literal is text, so you can write `socket.send("hello \(name)")`.
///
/// The source is RFC 6455, 5.6.
public enum WebSocketMessage: Sendable, Hashable {
  /// The kinds of messages.
  public enum Kind: Sendable {
    /// Text, which is sent as UTF-8.
    case text
    /// Bytes.
    case binary
  }

  /// Text. A message from the peer has been checked to be UTF-8.
  case text(String)
  /// Bytes.
  case binary(Bytes)

  /// Whether the message is text or bytes.
  public var kind: Kind {
    switch self {
    case .text: .text
    case .binary: .binary
    }
  }
}

extension WebSocketMessage: ExpressibleByStringInterpolation {
  /// A text.
  public init(stringLiteral value: String) { self = .text(value) }
}

/// A message for several ``WebSocket``s, which is encoded once.
///
/// ```swift
/// let news = WebSocketMessage.text("the game begins").encoded()
/// for player in players { player.send(news) { _ in } }
/// ```
///
/// All connections of a server share its bytes, if there are more than 16 KiB. So a long message that waits for many
/// slow readers is in memory once. A client's frames have masks, so only its payload is shared.
///
/// The source is RFC 6455, 5.2.
public struct EncodedWebSocketMessage: Sendable {
  let opcode: Opcode
  /// The frame as a server sends it.
  let frame: Bytes
  private let headSize: Int

  /// The bytes of the message, of a text as UTF-8.
  var payload: Bytes { Bytes(frame[headSize...]) }

  fileprivate init(_ message: WebSocketMessage) {
    let payload: Bytes
    switch message {
    case .text(let text): (opcode, payload) = (.text, Bytes(text))
    case .binary(let bytes): (opcode, payload) = (.binary, bytes)
    }
    var builder = BytesBuilder(capacity: payload.count + 10)
    FrameHead(opcode: opcode, isFinal: true, length: payload.count, size: 0).append(to: &builder)
    headSize = builder.count
    builder.append(payload)
    frame = builder.takeBytes()
  }
}

extension WebSocketMessage {
  /// Encodes the message, so that sending it to many takes little. Complexity: O(n).
  ///
  /// - Returns: The message for ``WebSocket/send(_:)-(EncodedWebSocketMessage)``, on any loop.
  public func encoded() -> EncodedWebSocketMessage { EncodedWebSocketMessage(self) }
}

extension WebSocket {
  /// Sends a message that is encoded already, as ``send(_:)-(WebSocketMessage)`` sends one.
  ///
  /// - Parameter message: What ``WebSocketMessage/encoded()`` has returned.
  /// - Returns: A request that ends and fails as that of ``send(_:)-(WebSocketMessage)``.
  public func send(_ message: EncodedWebSocketMessage) -> Request<Void> {
    Request(of: loop) { [self] in send(message, $0) }
  }

  /// Sends a message that is encoded already; see ``send(_:)-(EncodedWebSocketMessage)``.
  @discardableResult
  public func send(_ message: EncodedWebSocketMessage, _ done: @escaping Completion<Void>) -> PendingRequest {
    loop.requireOnLoop("WebSocket.send")
    return core.send(.encoded(message), done)
  }
}
#endif
