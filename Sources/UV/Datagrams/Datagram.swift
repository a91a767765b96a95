/// A datagram that was received, or that is to be sent.
public struct Datagram: Hashable, Sendable {
  /// What it carries; there may be no bytes at all.
  public var bytes: Bytes

  /// Who sent it, or to whom it goes; nil to send to the peer that the socket is connected to.
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
