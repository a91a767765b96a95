import CUV

/// A listening TCP socket whose connections are of another kind than ``TCPConnection``.
package final class SocketListener<Connection: ByteStream>: StreamListener<Connection> {
  /// - Parameter connection: Makes a connection of each socket, with ``StreamOrigin/socket(_:)``. If it
  ///   throws, the socket is closed, and the listener goes on.
  package init(
    loop: EventLoop, _ binding: TCPBinding,
    connection: @escaping (AcceptedSocket) throws(UVError) -> Connection
  ) throws(UVError) {
    try super.init(
      loop: loop, size: MemoryLayout<uv_tcp_t>.size, "tcp_init",
      { uv_tcp_init_ex(loop.raw, $0.assumingMemoryBound(to: uv_tcp_t.self), UInt32(binding.family)) },
      connection: { loop, descriptor throws(UVError) in
        try connection(AcceptedSocket(loop: loop, descriptor: descriptor))
      })
    try binding.apply(to: self)
  }
}
