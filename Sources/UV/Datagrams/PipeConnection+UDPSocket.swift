extension PipeConnection {
  /// Accepts a UDP socket that was passed.
  ///
  /// - Throws: The errors of ``acceptTCPConnection()``.
  ///
  /// The corresponding libuv function is `uv_accept`.
  public func acceptUDPSocket() throws(UVError) -> UDPSocket {
    try accept(.udp) { () throws(UVError) in try UDPSocket(loop: loop) }
  }
}
