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
#endif
