/// A datagram that was received, or that is to be sent.
public struct Datagram: Hashable, Sendable {
  /// The bytes that it carries; there may be none.
  public var bytes: Bytes

  /// The address of its sender, or of its receiver; nil to send to the peer that the socket is connected to.
  public var address: SocketAddress?

  /// Whether the datagram was longer than what there was room for, and its end is lost.
  public var isTruncated = false

  /// A datagram to be sent.
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
