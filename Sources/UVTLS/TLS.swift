import UV

/// TLS on a loop: listening, connecting, and securing what is connected already.
public struct TLS {
  let loop: EventLoop

  /// Listens for connections, and does a handshake with each before it is delivered.
  ///
  /// ```swift
  /// let identity = try TLSIdentity(certificateChain: "server.pem", privateKey: "server.key")
  /// let listener = try loop.tls.listen(port: 443, .server(identity, protocols: ["h2", "http/1.1"]))
  /// for try await connection in listener { loop.spawn { … } }
  /// ```
  ///
  /// - Parameters:
  ///   - host: The address to bind, as a literal; nil for all addresses, of IPv6 and IPv4. See
  ///     `TCP.listen(host:port:backlog:reusePort:)`.
  ///   - port: 0…65535. With 0 the system chooses a port.
  ///   - context: The server's certificates and what else its connections have in common.
  ///   - backlog: How many connections may wait in the system to be accepted, 1 or more.
  ///   - reusePort: Whether other listeners may share the port.
  ///   - handshakeTimeout: How long a handshake may take from the moment at which its connection is accepted.
  ///     It then ends, and the connection is closed.
  ///   - handshakeLimit: How many handshakes may be under way, 1 or more. A handshake begins with the peer's
  ///     first byte. Peers that speak while there is no place wait for one. A place is taken from a peer that
  ///     has sent only a part of its first message, or that has held the place for a second.
  ///   - silentLimit: How many connections may wait for their handshake to begin, 1 or more. Each costs some
  ///     kilobytes and a descriptor. When there are more, or when the system has no descriptor left, the one
  ///     that has been silent for the longest time is closed. If all have spoken, others wait in the system;
  ///     the system resets those that still wait when the listener closes or the loop is shut down.
  ///   - onHandshakeFailure: Called on the loop's thread with the error of each handshake that fails, or that
  ///     didn't begin. It is `connectionAborted` for a connection that was closed in favour of others. The
  ///     listener goes on.
  /// - Throws: The errors of `TCP.listen(host:port:backlog:reusePort:)`, and `invalidArgument` for a client's
  ///   context or a limit below 1.
  ///
  /// The corresponding functions are libuv's `uv_listen` and OpenSSL's `SSL_accept`.
  public func listen(
    host: String? = nil, port: Int, _ context: TLSContext, backlog: Int = 511, reusePort: Bool = false,
    handshakeTimeout: Duration = .seconds(10), handshakeLimit: Int = 128,
    silentLimit: Int = 1024, onHandshakeFailure: @escaping (UVError) -> Void = { _ in }
  ) throws(UVError) -> TLSListener {
    guard context.isServer else {
      throw UVError(.invalidArgument, operation: "listen", subject: "a client's context")
    }
    guard handshakeLimit >= 1 else {
      throw UVError(.invalidArgument, operation: "listen", subject: "handshakeLimit \(handshakeLimit)")
    }
    guard silentLimit >= 1 else {
      throw UVError(.invalidArgument, operation: "listen", subject: "silentLimit \(silentLimit)")
    }
    let wanted = try WantedAddress(host: host, port: port)
    return try TCPBinding.listen(on: wanted, backlog: backlog, reusePort: reusePort) {
      binding throws(UVError) in
      TLSListener(
        try TLSAcceptor(
          loop, binding, context, timeout: handshakeTimeout, limit: handshakeLimit, silentLimit: silentLimit,
          onHandshakeFailure))
    }
  }

  /// Does a handshake with each connection of a source, before it is delivered: of a listener from which
  /// something else is read first, as by `proxyProtocol(from:)`, or of Unix sockets.
  ///
  /// ```swift
  /// let proxied = try loop.tcp.listen(port: 443).proxyProtocol(from: ["10.0.0.0/8"])
  /// for try await connection in try loop.tls.listen(over: proxied, .server(identity)) { … }
  /// ```
  ///
  /// - Parameters:
  ///   - listener: The source of the connections. Closing what this function returns closes it.
  ///   - context: The server's certificates and what else its connections have in common.
  ///   - handshakeTimeout: How long a handshake may take. It then ends, and the connection is closed.
  ///   - handshakeLimit: How many handshakes may be under way, 1 or more. Unlike those of a listener of its own,
  ///     they don't give way to others, and silent peers count.
  ///   - onHandshakeFailure: Called on the loop's thread with the error of each handshake that fails.
  /// - Throws: `invalidArgument` for a client's context or a limit below 1.
  ///
  /// The corresponding OpenSSL function is `SSL_accept`.
  public func listen<Listener: ConnectionSource>(
    over listener: Listener, _ context: TLSContext, handshakeTimeout: Duration = .seconds(10),
    handshakeLimit: Int = 128, onHandshakeFailure: @escaping (UVError) -> Void = { _ in }
  ) throws(UVError) -> PreparedConnections<TLSConnection> where Listener.Failure == UVError {
    guard context.isServer else {
      throw UVError(.invalidArgument, operation: "listen", subject: "a client's context")
    }
    return try PreparedConnections(listener, limit: handshakeLimit, onFailure: onHandshakeFailure) {
      [self] plain in secure(plain, context, handshakeTimeout: handshakeTimeout)
    }
  }

  /// Connects to a host by its name or address, and does a handshake. The host's certificate is verified.
  ///
  /// - Parameters:
  ///   - host: A name such as `"example.org"`, or an address. The certificate must be for it: a name is
  ///     compared with the certificate's alternative names, and never with its common name; an address
  ///     without its zone.
  ///   - port: 1…65535.
  ///   - context: Whom the client trusts, and what else its connections have in common; nil for the system's
  ///     roots.
  ///   - handshakeTimeout: How long the handshake may take once the connection is there.
  /// - Returns: A request for the connection. It fails as `TCP.connect(host:port:)` does, with `tls` and the
  ///   reason if the handshake fails, with `tlsTruncated` if the peer closes the connection meanwhile, with
  ///   `timedOut`, and with `invalidArgument` for a server's context, and for a host that is neither an
  ///   address nor a name of letters, digits, hyphens, underscores and dots. Cancelling the request closes
  ///   the socket.
  ///
  /// The corresponding functions are libuv's `uv_tcp_connect` and OpenSSL's `SSL_connect`.
  public func connect(
    host: String, port: Int, _ context: TLSContext? = nil, handshakeTimeout: Duration = .seconds(10)
  ) -> Request<TLSConnection> {
    Request(of: loop) { connect(host: host, port: port, context, handshakeTimeout: handshakeTimeout, $0) }
  }

  /// Connects to a host; see ``connect(host:port:_:handshakeTimeout:)``.
  ///
  /// The corresponding functions are libuv's `uv_tcp_connect` and OpenSSL's `SSL_connect`.
  @discardableResult
  public func connect(
    host: String, port: Int, _ context: TLSContext? = nil, handshakeTimeout: Duration = .seconds(10),
    _ done: @escaping Completion<TLSConnection>
  ) -> PendingRequest {
    let name: TLSHost
    do throws(UVError) { name = try TLSHost(host, "connect") } catch {
      return loop.answer(done, error)
    }
    var stage = PendingRequest()
    stage = loop.tcp.connect(host: host, port: port) { [self] result in
      switch result {
      case .failure(let error): done(.failure(error))
      case .success(let plain):
        stage = secure(plain, context, name, port, "connect", "\(host):\(port)", handshakeTimeout, done)
      }
    }
    return PendingRequest("TLS connect", subject: { "\(host):\(port)" }) { stage.cancel() }
  }

  /// Does a handshake on a connection that is open already, as STARTTLS and proxies need it.
  ///
  /// The plain stream is used up: the secured connection takes over its connection and all that was set on
  /// it, such as timeouts and requests for `quiescing()`, and the plain stream is closed. Bytes that it has
  /// read and nobody has taken belong to the handshake.
  ///
  /// - Parameters:
  ///   - plain: A TCP connection, a pipe, or a TLS connection. Everything that was written to it must have
  ///     left.
  ///   - context: A server's or a client's context.
  ///   - host: The name or address that a client verifies, as ``connect(host:port:_:handshakeTimeout:)``
  ///     does; nil for a server. A client that verifies needs it.
  ///   - handshakeTimeout: How long the handshake may take.
  /// - Returns: A request for the secured connection. It fails as the handshake of
  ///   ``connect(host:port:_:handshakeTimeout:)`` does, with `busy` if the stream has bytes to write, with
  ///   `brokenPipe` if its writing side has ended, and with `notSupported` if it is another kind of stream.
  ///   If it fails before the handshake begins, the plain stream is as it was; otherwise the connection is
  ///   closed.
  ///
  /// The corresponding OpenSSL function is `SSL_do_handshake`.
  public func secure(
    _ plain: ByteStream, _ context: TLSContext, host: String? = nil,
    handshakeTimeout: Duration = .seconds(10)
  ) -> Request<TLSConnection> {
    Request(of: loop) { secure(plain, context, host: host, handshakeTimeout: handshakeTimeout, $0) }
  }

  /// Does a handshake on a connection that is open already; see ``secure(_:_:host:handshakeTimeout:)``.
  ///
  /// The corresponding OpenSSL function is `SSL_do_handshake`.
  @discardableResult
  public func secure(
    _ plain: ByteStream, _ context: TLSContext, host: String? = nil,
    handshakeTimeout: Duration = .seconds(10), _ done: @escaping Completion<TLSConnection>
  ) -> PendingRequest {
    do throws(UVError) {
      let name = try host.map { host throws(UVError) in try TLSHost(host, "secure") }
      // Sessions with the mail server of a host are none of its web server's.
      let port = try? plain.peerTCPAddress().port
      return secure(plain, context, name, port.map { Int($0) }, "secure", host, handshakeTimeout, done)
    } catch {
      return loop.answer(done, error)
    }
  }

  private func secure(
    _ plain: ByteStream, _ context: TLSContext?, _ host: TLSHost?, _ port: Int?, _ operation: String,
    _ subject: String?, _ limit: Duration, _ done: @escaping Completion<TLSConnection>
  ) -> PendingRequest {
    do throws(UVError) {
      let context = if let context { context } else { try TLSContext.client.get() }
      if context.isServer, operation == "connect" {
        throw UVError(.invalidArgument, operation: operation, subject: "a server's context")
      }
      if context.isVerifying, host == nil {
        throw UVError(
          .invalidArgument, operation: operation, subject: "a client verifies a host, which is missing")
      }
      let session = try TLSSession(context, host: host, port: port)
      let connection = try TLSConnection(over: plain, session)
      return TLSHandshake(connection, operation, subject, done).begin(within: limit)
    } catch {
      // A connection of our own; the caller's stays as it was.
      if operation == "connect" { plain.close() }
      return loop.answer(done, error)
    }
  }
}

extension EventLoop {
  /// TLS on this loop.
  public var tls: TLS { TLS(loop: self) }
}

/// TLS for other modules' clients.
extension TLS: StreamSecurity {
  /// Secures a client's connection, with the system's roots, and verifies the peer.
  ///
  /// The corresponding OpenSSL function is `SSL_do_handshake`.
  public func secure(_ stream: ByteStream, host: String) -> Request<ByteStream> {
    do throws(UVError) {
      return client(try TLSContext.client.get()).secure(stream, host: host)
    } catch {
      return .failure(loop, error)
    }
  }

  /// TLS with a context of your own, for a client that takes a `StreamSecurity`.
  ///
  /// ```swift
  /// let context = try TLSContext.client(trust: .certificates("root.pem"))
  /// let client = HTTPClient(loop, security: loop.tls.client(context))
  /// ```
  ///
  /// - Parameter context: A client's context.
  ///
  /// The corresponding OpenSSL function is `SSL_do_handshake`.
  public func client(_ context: TLSContext) -> any StreamSecurity {
    ClientSecurity(tls: self, context: context)
  }
}

private struct ClientSecurity: StreamSecurity {
  let tls: TLS
  let context: TLSContext

  func secure(_ stream: ByteStream, host: String) -> Request<ByteStream> {
    tls.secure(stream, context, host: host).map { $0 }
  }
}
