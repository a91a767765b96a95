/// A datagram that was received, or that you are about to send.
public struct Datagram: Hashable, Sendable {
  /// The bytes that it carries; there may be none.
  public var bytes: Bytes

  /// The sender of a received datagram, or the receiver of one that you send. Nil sends to the peer that the
  /// socket is connected to.
  public var address: SocketAddress?

  /// Whether the received datagram was longer than the buffer, so that its end is lost.
  public var isTruncated = false

  /// Creates a datagram to send.
  ///
  /// - Parameters:
  ///   - bytes: The bytes that it carries.
  ///   - address: The receiver; nil for the peer that the socket is connected to.
  public init(_ bytes: Bytes, to address: SocketAddress? = nil) {
    self.bytes = bytes
    self.address = address
  }

  /// A datagram that was received.
  init(_ bytes: Bytes, from address: SocketAddress?, isTruncated: Bool) {
    self.bytes = bytes
    self.address = address
    self.isTruncated = isTruncated
  }
}
