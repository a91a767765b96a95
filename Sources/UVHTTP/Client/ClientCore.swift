import UV

/// The pools of a client, which its requests keep.
final class ClientCore {
  /// The client of each loop that needs no options.
  static let ofLoop = LoopLocal { HTTPClient($0) }

  private let connector: Connector
  private var pools: [HTTPOrigin: ClientPool] = [:]
  /// That of the last request. Most go where the one before went.
  private var last: (scheme: String, authority: String, pool: ClientPool)?
  private var isClosed = false
  /// The limits of the parsers.
  let limits: HTTPLimits

  init(_ connector: Connector) {
    self.connector = connector
    limits = connector.options.parsing
  }

  var loop: EventLoop { connector.loop }
  var options: HTTPClientOptions { connector.options }

  func send(
    _ outgoing: OutgoingRequest, _ done: @escaping Completion<HTTPClientResponse>
  ) -> PendingRequest {
    loop.requireOnLoop("HTTPClient.send")
    let call = ClientCall(self, outgoing, done)
    call.begin()
    return PendingRequest("http", subject: { outgoing.request.authority }) { call.cancel() }
  }

  /// The pool for a request's origin.
  ///
  /// - Throws: `invalidArgument` if the request has none, and `badDescriptor` if the client is closed.
  func pool(for request: HTTPRequest) throws(UVError) -> ClientPool {
    guard let scheme = request.scheme, let authority = request.authority else { throw Self.noOrigin }
    if let last, last.authority == authority, last.scheme == scheme { return last.pool }
    guard let origin = HTTPOrigin(scheme: scheme, authority: authority) else { throw Self.noOrigin }
    if isClosed { throw UVError(.badDescriptor, operation: "http") }
    let pool = pools[origin] ?? makePool(origin)
    last = (scheme, authority, pool)
    return pool
  }

  private static var noOrigin: UVError {
    UVError(
      .invalidArgument, operation: "http", message: "the URL isn't one of http or https, with a host")
  }

  private func makePool(_ origin: HTTPOrigin) -> ClientPool {
    if pools.count >= max(options.origins, 1) { dropIdlePools() }
    let limits = options.connections
    let pool = ClientPool(
      Pool(connector.connect(to: origin), limits: limits, retry: options.connecting),
      isKeeping: limits.idle > .zero)
    pools[origin] = pool
    return pool
  }

  /// Closes the connections to origins that have no requests now.
  private func dropIdlePools() {
    for (origin, pool) in pools where pool.isIdle { pools[origin] = nil }
    last = nil
  }

  var counts: PoolCounts { pools.values.reduce(into: PoolCounts()) { $0 += $1.counts } }

  func close() -> Request<Void> {
    isClosed = true
    let closing = pools.values.map { $0.close() }
    pools = [:]
    last = nil
    return closing.reduce(.value(loop, ())) { all, one in all.then { one } }
  }
}
