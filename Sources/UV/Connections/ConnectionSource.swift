import CUV

/// A source of connections that can be closed: what the server of a protocol is made of.
///
/// ``StreamListener`` and `TLSListener` are such sources. So `loop.http.serve(listener)` works over TCP, pipes
/// and TLS alike. A type of your own may be one, too.
public protocol ConnectionSource<Element>: EventSource where Element: ByteStream {
  /// The address at which the connections come.
  ///
  /// - Throws: `badDescriptor` if the source is closed, and `notSupported` if it has no address. The default
  ///   implementation throws the latter.
  func localAddress() throws(UVError) -> SocketAddress

  /// Ends the source. Its readers get nil. The connections that it has delivered stay open.
  ///
  /// - Returns: A request that succeeds when no more connections can come.
  @discardableResult
  func close() -> Request<Void>
}

extension ConnectionSource {
  /// Throws `notSupported`, for a source that has no address.
  public func localAddress() throws(UVError) -> SocketAddress {
    throw UVError(.notSupported, operation: "localAddress")
  }
}

extension StreamListener: ConnectionSource {}

extension ConnectionSource where Failure == UVError {
  /// The connections of a listener that stands behind load balancers: each begins with a header of the PROXY
  /// protocol, version 1 or 2, which is read and taken away before anything else. ``ByteStream/proxyHeader`` has
  /// it afterwards.
  ///
  /// ```swift
  /// let listener = try loop.tcp.listen(port: 8080).proxyProtocol(from: ["10.0.0.0/8", "::1"])
  /// for try await connection in listener { print(connection.proxyHeader?.source ?? "the load balancer") }
  /// ```
  ///
  /// A connection of any other peer is closed: a peer that may send a header can claim to be anybody, and a
  /// listener must not guess whether there is one. A Unix socket's permissions say who may connect to it, so
  /// its peers are trusted.
  ///
  /// - Parameters:
  ///   - peers: The addresses of the load balancers, such as `"10.0.0.7"`, `"10.0.0.0/8"` or `"fd00::/8"`.
  ///   - timeout: How long a header may take from the moment at which its connection is accepted.
  ///   - limit: How many headers may be awaited at a time, 1 or more. The connections that follow wait in the
  ///     system.
  ///   - onFailure: Called on the loop's thread with the error of each connection that is closed: that of
  ///     ``ByteStream/readProxyHeader()``, `timedOut`, or `permissionDenied` for a peer that isn't listed. The
  ///     listener goes on.
  /// - Returns: A source of the same connections, for `for try await`, for `loop.http.serve`, or for
  ///   `loop.tls.secure`. Closing it closes the listener.
  /// - Throws: `invalidArgument` if an address or the limit is none.
  public func proxyProtocol(
    from peers: [String], timeout: Duration = .seconds(5), limit: Int = 1024,
    onFailure: @escaping (UVError) -> Void = { _ in }
  ) throws(UVError) -> PreparedConnections<Element> {
    var ranges: [AddressRange] = []
    for peer in peers { ranges.append(try AddressRange(peer)) }
    return try PreparedConnections(self, limit: limit, onFailure: onFailure) { [ranges] connection in
      Request(of: connection.loop, operation: "accept") { done in
        if let stranger = connection.stranger(to: ranges) {
          return connection.loop.answer(done, stranger)
        }
        return connection.readProxyHeader().timeout(after: timeout).start { done($0.map { _ in connection }) }
      }
    }
  }
}

extension ByteStream {
  /// The error of a peer that isn't listed; nil if it is.
  fileprivate func stranger(to ranges: [AddressRange]) -> UVError? {
    if cuv_handle_type(block.handle) == UV_NAMED_PIPE { return nil }
    do throws(UVError) {
      let peer = try peerTCPAddress()
      if ranges.contains(where: { $0.contains(peer) }) { return nil }
      return UVError(
        .permissionDenied, operation: "accept",
        message: "\(peer.host) isn't among those who may send a PROXY header")
    } catch { return error }
  }
}

/// Leaves a listening socket alone for a while when the system has no descriptor or memory for its
/// connections.
///
/// The connections stay in the system's queue. They are tried again after 5 ms, and then after twice the time
/// each, up to a second.
package final class AcceptBackoff {
  private static let shortest = Duration.milliseconds(5)
  private static let longest = Duration.seconds(1)

  private let loop: EventLoop
  private var delay = shortest
  private var timer: PendingRequest?

  package init(_ loop: EventLoop) { self.loop = loop }

  /// Whether a code of libuv's, which is negative, says that the system has no room for a connection, rather
  /// than that one connection is gone.
  package static func isNeeded(_ code: Int32) -> Bool {
    switch code {
    case UV_EMFILE.rawValue, UV_ENFILE.rawValue, UV_ENOMEM.rawValue, UV_ENOBUFS.rawValue: true
    default: false
    }
  }

  /// Calls `resume` after the next delay, unless ``end()`` is called before.
  package func begin(_ resume: @escaping () -> Void) {
    timer = loop.sleep(for: delay) { [self] result in
      timer = nil
      if case .success = result { resume() }
    }
    delay = min(delay * 2, Self.longest)
  }

  /// A connection was accepted.
  package func succeed() { delay = Self.shortest }

  /// The listener is closed, or nobody asks any more.
  package func end() { timer.take()?.cancel() }
}
