import UV

/// The pools of a client, which its requests keep.
final class ClientCore {
  /// The client of each loop that needs no options.
  static let ofLoop = LoopLocal { HTTPClient($0) }

  private let connector: Connector
  private var pools: [HTTPOrigin: Pool<ClientConnection>] = [:]
  private var isClosed = false

  init(_ connector: Connector) { self.connector = connector }

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

  func pool(for origin: HTTPOrigin) throws(UVError) -> Pool<ClientConnection> {
    if isClosed { throw UVError(.badDescriptor, operation: "http") }
    if let pool = pools[origin] { return pool }
    if pools.count >= max(options.origins, 1) { dropIdlePools() }
    let pool = Pool(connector.connect(to: origin), limits: options.connections, retry: options.connecting)
    pools[origin] = pool
    return pool
  }

  /// Closes the connections to origins that have no requests now.
  private func dropIdlePools() {
    for (origin, pool) in pools {
      let counts = pool.counts
      if counts.leased + counts.creating + counts.waiting == 0 { pools[origin] = nil }
    }
  }

  var counts: PoolCounts { pools.values.reduce(into: PoolCounts()) { $0 += $1.counts } }

  func close() -> Request<Void> {
    isClosed = true
    let closing = pools.values.map { $0.close() }
    pools = [:]
    return closing.reduce(.value(loop, ())) { all, one in all.then { one } }
  }
}
