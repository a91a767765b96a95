import CUV

/// A TCP connection, accepted or established.
///
/// ```swift
/// let connection = try await loop.tcp.connect(host: "localhost", port: 7).value
/// try await connection.write("hello").value
/// try await connection.shutdown().value
/// for try await chunk in connection { print(chunk) }
/// ```
///
/// The corresponding libuv type is `uv_tcp_t`.
public final class TCPConnection: ByteStream, TCPTransport, PassableHandle {
  var tcp: UnsafeMutablePointer<uv_tcp_t> { block.raw.assumingMemoryBound(to: uv_tcp_t.self) }

  init(loop: EventLoop) throws(UVError) {
    try super.init(loop: loop, size: MemoryLayout<uv_tcp_t>.size, "tcp_init") { raw in
      uv_tcp_init(loop.raw, raw.assumingMemoryBound(to: uv_tcp_t.self))
    }
  }

  /// Closes the connection by a reset. The bytes that are queued are thrown away, and the peer's next read
  /// fails with `connectionReset`. If ``ByteStream/shutdown()`` is under way, the connection is
  /// closed the usual way.
  ///
  /// - Returns: A request that succeeds when the connection is closed.
  ///
  /// The corresponding libuv function is `uv_tcp_close_reset`.
  @discardableResult
  public func closeReset() -> Request<Void> {
    block.header.pointee.closesByReset = true
    return close()
  }

  /// Closes the connection by a reset; see ``closeReset()``.
  ///
  /// The corresponding libuv function is `uv_tcp_close_reset`.
  @discardableResult
  public func closeReset(_ done: @escaping Completion<Void>) -> PendingRequest {
    block.header.pointee.closesByReset = true
    return close(done)
  }
}
