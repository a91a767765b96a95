/// What a load balancer says of a connection that it passes on: whose it is, by the PROXY protocol, version 1
/// or 2.
///
/// [The specification](https://www.haproxy.org/download/3.0/doc/proxy-protocol.txt) is HAProxy's.
///
/// libuv has no corresponding type.
public struct ProxyHeader: Hashable, Sendable {
  /// A further fact, in version 2.
  public struct Field: Hashable, Sendable {
    /// Its type: 0x01 is the protocol that TLS has chosen, 0x02 the name of the host that the client has asked
    /// for, 0x05 a unique identifier, 0x20 what TLS says of the client, 0x30 a network's name, 0xE0 to 0xEF are
    /// your own.
    public var type: UInt8
    /// Its bytes.
    public var bytes: Bytes

    /// Creates a field; for test doubles.
    public init(type: UInt8, bytes: Bytes) {
      self.type = type
      self.bytes = bytes
    }
  }

  /// The address of the client. Nil if the load balancer speaks for itself, as for a check of health, or
  /// doesn't know.
  public var source: SocketAddress?
  /// The address that the client has connected to; nil with ``source``.
  public var destination: SocketAddress?
  /// The further facts, in their order. Those that pad the header are left out.
  public var fields: [Field]

  /// Creates a header; for test doubles.
  public init(source: SocketAddress? = nil, destination: SocketAddress? = nil, fields: [Field] = []) {
    self.source = source
    self.destination = destination
    self.fields = fields
  }

  /// The bytes of the first field of a type; nil if there is none.
  public subscript(type: UInt8) -> Bytes? { fields.first { $0.type == type }?.bytes }
}

extension ByteStream {
  /// What the load balancer has said of this connection; nil if nothing was read of it. A TLS connection has
  /// what was said before its handshake.
  ///
  /// libuv has no corresponding function.
  public var proxyHeader: ProxyHeader? { isClosing ? nil : sidecar?.proxyHeader }

  /// Reads the header of the PROXY protocol, with which a load balancer begins a connection. What follows it is
  /// left for whoever reads next.
  ///
  /// Only ask peers whom you trust: whoever connects can claim to be anybody. `proxyProtocol(from:)` of a
  /// listener looks at whose connection it is, and limits the time.
  ///
  /// - Returns: A request for the header, which ``proxyHeader`` has afterwards, too. It fails with
  ///   `protocolError` and a reason if the peer sends something else or more than 4,096 bytes, with `endOfFile`
  ///   if it ends before, and with the errors of ``read()``. After a failure the bytes stay.
  ///
  /// The corresponding libuv function is `uv_read_start`.
  public final func readProxyHeader() -> Request<ProxyHeader> {
    Request(self.loop) { [self] in readProxyHeader($0) }
  }

  /// Reads the header of the PROXY protocol; see ``readProxyHeader()``.
  ///
  /// The corresponding libuv function is `uv_read_start`.
  @discardableResult
  public final func readProxyHeader(_ done: @escaping Completion<ProxyHeader>) -> PendingRequest {
    read(Frame(.proxyHeader)) { [self] result in
      done(
        result.flatMap { bytes in
          guard let bytes, let (header, _) = try? ProxyHeader.parse(bytes.span) else {
            return .failure(UVError(.endOfFile, operation: "read", subject: "a PROXY header"))
          }
          if !isClosing { makeSidecar().proxyHeader = header }
          return .success(header)
        })
    }
  }
}
