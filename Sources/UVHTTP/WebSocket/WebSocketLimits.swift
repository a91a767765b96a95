#if HTTP || Everything
/// How much the peer of a ``WebSocket`` may make a program spend: sizes, counts and times.
///
/// ```swift
/// var limits = WebSocketLimits()
/// limits.message = 16 * 1024
/// let socket = try await exchange.webSocket(limits: limits).value
/// ```
///
/// A peer that sends more than a size gets the code 1009, and the connection ends. A limit that useful
/// bytes renew has a total beside it: ``messageTimeout`` for a message, ``minimumRate`` for what is sent. A
/// connection itself lasts as long as both sides want.
public struct WebSocketLimits: Sendable {
  /// How many bytes a message may have, in all of its frames, 0 or more; 1,048,576 by default.
  public var message = 1 << 20
  /// How many bytes one frame may have, 0 or more; 1,048,576 by default.
  public var frame = 1 << 20
  /// How many frames a message may have, 1 or more; 1,024 by default.
  public var fragments = 1024
  /// How long a message may take from its first byte to its last; 60 s by default.
  public var messageTimeout = Duration.seconds(60)
  /// How long the peer may be silent, and how long it may take nothing of what waits for it; 60 s by default. The
  /// time in which the program doesn't ask for messages, and one is there, doesn't count.
  public var silence = Duration.seconds(60)
  /// After how long a silence the peer is sent a ping; 30 s by default. A peer that is there answers it, and so isn't
  /// silent. Nil sends no pings.
  public var keepAlive: Duration? = .seconds(30)
  /// How many bytes in a second the peer has to take of what waits for it, beyond ``silence``, 1 or more; 1,024 by
  /// default.
  public var minimumRate = 1024
  /// How long the end may take, from when a close has left until the connection is closed; 5 s by default. What is
  /// sent before has the time of ``silence`` and ``minimumRate``.
  public var closeTimeout = Duration.seconds(5)

  /// The default limits.
  public init() {}
}
#endif
