/// A listening TCP socket whose connections are encrypted: a source of connections whose handshake is done.
///
/// A handshake that fails, or that takes too long, ends its connection alone.
///
/// The listener accepts connections only while somebody asks. Closing it ends a `for try await` loop over it
/// without an error. The connections that came through it stay open; handshakes that are under way end.
///
/// The corresponding functions are libuv's `uv_listen` and OpenSSL's `SSL_accept`.
public final class TLSListener: _SentSource<TLSConnection>, ConnectionSource {
  private let acceptor: TLSAcceptor

  init(_ acceptor: TLSAcceptor) {
    self.acceptor = acceptor
    super.init(
      CustomSource(acceptor.loop, "accept") {
        acceptor.resume($0)
      } pause: { _ in
        acceptor.pause()
      })
  }

  /// The address that the listener is bound to, with the port that the system chose for port 0.
  ///
  /// - Throws: `badDescriptor` if the listener is closed.
  ///
  /// The corresponding libuv function is `uv_tcp_getsockname`.
  public func localAddress() throws(UVError) -> SocketAddress { try acceptor.listener.localAddress() }

  /// Accepts one connection. It does the same as `EventSource.next()`, except that the listener's end is an
  /// error: `cancelled`.
  ///
  /// - Returns: A request for the connection, whose handshake is done.
  ///
  /// The corresponding functions are libuv's `uv_accept` and OpenSSL's `SSL_accept`.
  public func accept() -> Request<TLSConnection> {
    Request(of: loop) { [self] in accept($0) }
  }

  /// Accepts one connection; see ``accept()``.
  ///
  /// The corresponding functions are libuv's `uv_accept` and OpenSSL's `SSL_accept`.
  @discardableResult
  public func accept(_ done: @escaping Completion<TLSConnection>) -> PendingRequest {
    next { result in
      done(
        result.flatMap { connection in
          connection.map { .success($0) } ?? .failure(UVError(.cancelled, operation: "accept"))
        })
    }
  }

  /// Closes the listener. Handshakes that are under way end; connections that have been delivered stay open.
  ///
  /// - Returns: A request that succeeds when the socket is closed.
  ///
  /// The corresponding libuv function is `uv_close`.
  @discardableResult
  public func close() -> Request<Void> {
    acceptor.end()
    source.finish()
    return acceptor.listener.close()
  }
}
