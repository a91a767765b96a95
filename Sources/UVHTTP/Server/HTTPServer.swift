#if HTTP || Everything
import UV

/// A server of HTTP: a source of the requests that come over its connections.
///
/// ```swift
/// for try await exchange in try loop.http.listen(port: 8080) {
///   loop.spawn {
///     do {
///       try await exchange.respond(HTTPResponse(status: .ok), "hello\n").value
///     } catch { print(error) }
///   }
/// }
/// ```
///
/// Each element is an ``HTTPExchange``: a request, and the way to answer it. Answer it in a task of its own, as
/// here, if that takes time, or if a client may be slow to take the answer: otherwise all others wait
/// meanwhile.
///
/// The server accepts connections and reads requests only while somebody asks for them. It has as many connections
/// as ``HTTPLimits/connections`` says. It ends without an error after ``close()``, and in a graceful shutdown, once
/// the last connection has ended. A server that nobody keeps and nobody asks closes: its listener at once, each
/// connection after the answer that is under way.
public final class HTTPServer: _SentSource<HTTPExchange> {
  private let core: ServerCore

  init(_ listener: some ConnectionSource, _ limits: HTTPLimits) {
    core = ServerCore(Accepting(listener), limits)
    super.init(core.makeSource(listener.loop))
  }

  init(_ connection: ByteStream, _ limits: HTTPLimits) {
    core = ServerCore(nil, limits)
    super.init(core.makeSource(connection.loop))
    core.add(connection)
  }

  /// The address at which the server listens, with the port that the system chose for port 0.
  ///
  /// - Throws: `badDescriptor` if the server is closed, and `notSupported` if it doesn't listen on TCP.
  ///
  /// The corresponding libuv function is `uv_tcp_getsockname`.
  public func localAddress() throws(UVError) -> SocketAddress {
    guard let accepting = core.accepting else { throw UVError(.notSupported, operation: "localAddress") }
    return try accepting.localAddress()
  }

  /// How many connections the server has, and how many there were.
  public var counts: HTTPServerCounts { core.counts }

  /// Ends the service. No more connections are accepted. Requests that have come are answered, and a
  /// connection ends with the answer that follows; a silent one ends after ``HTTPLimits/lastSilence``. Then the
  /// server's readers get nil. Calling this function again does nothing more.
  ///
  /// To end everything that the loop does, and to set a time limit, use `loop.shutdownGracefully(within:)`.
  ///
  /// The corresponding libuv function is `uv_close`, for the listener.
  public func close() { core.close() }
}

/// What an ``HTTPServer`` has now, and what has happened since it was made; see ``HTTPServer/counts``.
public struct HTTPServerCounts: Hashable, Sendable {
  /// Connections that are served now. Those that are refused don't count, nor do those that have become another
  /// protocol's, such as WebSockets.
  public var connections = 0

  /// Connections that were accepted to be served.
  public var accepted = 0
  /// Connections that were accepted to be refused, because there were too many; see
  /// ``HTTPLimits/refusedConnections``.
  public var refused = 0

  /// Creates counts.
  package init() {}
}
#endif
