import UV

/// A message of a ``WebSocket``: text or bytes.
///
/// A string literal is text, so you can write `socket.send("hello \(name)")`.
///
/// libuv has no corresponding type. The source is RFC 6455, 5.6.
public enum WebSocketMessage: Sendable, Hashable {
  /// What a message is made of.
  public enum Kind: Sendable {
    /// Text, which is sent as UTF-8.
    case text
    /// Bytes.
    case binary
  }

  /// Text. What comes from the peer has been checked to be UTF-8.
  case text(String)
  /// Bytes.
  case binary(Bytes)

  /// What the message is made of.
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
