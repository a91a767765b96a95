#if HTTP || Everything
import UV

/// HTTP/1.1 and HTTP/1.0 on a loop.
public struct HTTP {
  let loop: EventLoop

  /// Listens for TCP connections, and reads requests from them.
  ///
  /// ```swift
  /// let server = try loop.http.listen(port: 8080)
  /// for try await exchange in server {
  ///   try await exchange.respond(HTTPResponse(status: .ok), "hello\n").value
  /// }
  /// ```
  ///
  /// - Parameters:
  ///   - host: The address to bind, as a literal such as `"127.0.0.1"`, for this machine only. Nil is all
  ///     addresses, of IPv6 and IPv4; see `TCP.listen(host:port:backlog:reusePort:)`.
  ///   - port: 0…65535. With 0 the system chooses a port; ``HTTPServer/localAddress()`` returns it.
  ///   - limits: How much a client may make the server spend.
  ///   - backlog: How many connections may wait in the system to be accepted, 1 or more.
  ///   - reusePort: Whether other listeners may share the port. Use it for one server on each of several
  ///     loops.
  /// - Returns: The source of the requests.
  /// - Throws: The errors of `TCP.listen(host:port:backlog:reusePort:)`: `addressInUse`, `permissionDenied` (a
  ///   port below 1024), `addressNotAvailable`, `invalidArgument`.
  ///
  /// The corresponding libuv functions are `uv_tcp_bind` and `uv_listen`.
  public func listen(
    host: String? = nil, port: Int, limits: HTTPLimits = HTTPLimits(), backlog: Int = 511,
    reusePort: Bool = false
  ) throws(UVError) -> HTTPServer {
    serve(
      try loop.tcp.listen(host: host, port: port, backlog: backlog, reusePort: reusePort), limits: limits)
  }

  /// Reads requests from the connections of a listener: TCP, a pipe, TLS, or one of your own.
  ///
  /// ```swift
  /// let server = loop.http.serve(try loop.tls.listen(port: 8443, .server(identity)))
  /// ```
  ///
  /// - Parameters:
  ///   - listener: The source of the connections. It is closed with the server.
  ///   - limits: How much a client may make the server spend.
  /// - Returns: The source of the requests. It ends with the error of the listener, if that has one.
  public func serve(_ listener: some ConnectionSource, limits: HTTPLimits = HTTPLimits()) -> HTTPServer {
    HTTPServer(listener, limits)
  }

  /// Reads requests from one connection, such as one that an `EventLoopGroup` has given to this loop.
  ///
  /// ```swift
  /// try await group.serve(port: 8080) { connection in
  ///   do {
  ///     for try await exchange in connection.loop.http.serve(connection) { … }
  ///   } catch { print(error) }
  /// }
  /// ```
  ///
  /// - Parameters:
  ///   - connection: An open connection of this loop, which nobody else reads or writes.
  ///   - limits: How much the client may make the server spend.
  /// - Returns: The source of the requests. It ends with the connection, whatever ended that.
  public func serve(_ connection: ByteStream, limits: HTTPLimits = HTTPLimits()) -> HTTPServer {
    HTTPServer(connection, limits)
  }
}

extension EventLoop {
  /// HTTP on this loop.
  public var http: HTTP { HTTP(loop: self) }
}
#endif
