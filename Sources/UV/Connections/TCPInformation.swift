import CUV

/// The system's figures about the way to the peer of a TCP connection, at one moment.
///
/// The corresponding option of Linux is `TCP_INFO`, and that of Apple's systems is `TCP_CONNECTION_INFO`.
public struct TCPInformation: Hashable, Sendable {
  /// How long a packet takes to the peer and its acknowledgement back, smoothed over the last ones. Linux
  /// measures microseconds, Apple's systems milliseconds.
  public var roundTripTime: Duration
  /// By how much the round-trip time varies.
  public var roundTripVariation: Duration
  /// How many packets have been sent again since the connection began. Each was lost, or late.
  public var retransmissionCount: Int
  /// How many bytes the system sends at most before an acknowledgement must come. It grows while nothing is
  /// lost.
  public var congestionWindow: Int

  /// Creates a value; for test doubles.
  public init(
    roundTripTime: Duration, roundTripVariation: Duration, retransmissionCount: Int, congestionWindow: Int
  ) {
    self.roundTripTime = roundTripTime
    self.roundTripVariation = roundTripVariation
    self.retransmissionCount = retransmissionCount
    self.congestionWindow = congestionWindow
  }

  init(_ information: cuv_tcp_information) {
    self.init(
      roundTripTime: .microseconds(Int64(information.round_trip)),
      roundTripVariation: .microseconds(Int64(information.variation)),
      retransmissionCount: Int(information.retransmissions), congestionWindow: Int(information.window))
  }
}

extension Handle {
  package func systemTCPInformation() throws(UVError) -> TCPInformation {
    _ = try tcp("tcp_info")
    var information = cuv_tcp_information()
    try check(cuv_tcp_information(fileDescriptor(), &information), "tcp_info")
    return TCPInformation(information)
  }
}
