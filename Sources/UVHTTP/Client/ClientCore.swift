#if HTTP || Everything
import HTTPTypes
import UV

/// The pools of a client, which its requests keep.
final class ClientCore {
  /// The client of each loop that needs no options.
  static let ofLoop = LoopLocal { HTTPClient($0) }

  let loop: EventLoop
  private let connector: Connector
  private var pools: [HTTPOrigin: ClientPool] = [:]
  /// The counts of pools that are gone.
  private var past = PoolCounts()
  /// That of the last request. Most go where the one before went.
  @exclusivity(unchecked) private var last: (scheme: String, authority: String, pool: ClientPool)?
  /// The request that knows its pool.
  @exclusivity(unchecked) private var lastGet: OutgoingRequest?
  /// A call that has ended, to be used again.
  @exclusivity(unchecked) private var spare: ClientCall?
  private var isClosed = false
  /// The limits of the parsers.
  let limits: HTTPLimits
  /// Some of the options, in nanoseconds.
  let total, headTimeout: UInt64
  let idleTimeout: Duration
  let jar: HTTPCookieJar?

  init(_ connector: Connector, _ jar: HTTPCookieJar? = nil) {
    (self.connector, loop, self.jar) = (connector, connector.loop, jar)
    limits = connector.options.parsing
    total = connector.options.total.nanoseconds
    headTimeout = connector.options.headTimeout.nanoseconds
    idleTimeout = connector.options.idleTimeout
  }

  var options: HTTPClientOptions { connector.options }

  /// The error of a request whose time is over.
  var overdue: UVError { UVError(.timedOut, operation: "http", subject: "total, \(options.total)") }

  func send(
    _ outgoing: OutgoingRequest, _ done: @escaping Completion<HTTPClientResponse>
  ) -> PendingRequest {
    send(outgoing, telling: .plain(done))
  }

  func send(_ outgoing: OutgoingRequest, telling done: consuming ClientCall.Done) -> PendingRequest {
    loop.requireOnLoop("HTTPClient.send")
    let call = takeSpare() ?? ClientCall()
    call.begin(self, outgoing, done)
    return PendingRequest(call)
  }

  /// A call that nobody else holds, so that nobody can cancel its first use any more.
  private func takeSpare() -> ClientCall? {
    guard spare != nil, isKnownUniquelyReferenced(&spare) else { return nil }
    return spare.take()
  }

  /// Keeps a call that has ended.
  func keep(_ call: ClientCall) { spare = call }

  /// Has a request know its pool from the first time on, in place of the one before.
  func remember(_ outgoing: OutgoingRequest) {
    lastGet?.pool = nil
    lastGet = outgoing
  }

  /// The pool for a request's origin.
  ///
  /// - Throws: `invalidArgument` if the request has none, and `badDescriptor` if the client is closed.
  func pool(for outgoing: OutgoingRequest) throws(UVError) -> ClientPool {
    if let pool = outgoing.pool { return pool }
    let pool = try pool(for: outgoing.request, isUpgrade: outgoing.isUpgrade)
    if outgoing === lastGet { outgoing.pool = pool }
    return pool
  }

  private func pool(for request: HTTPRequest, isUpgrade: Bool) throws(UVError) -> ClientPool {
    guard let scheme = request.scheme, let authority = request.authority else { throw Self.noOrigin }
    if !isUpgrade, let last, last.authority == authority, last.scheme == scheme { return last.pool }
    guard var origin = HTTPOrigin(scheme: scheme, authority: authority) else { throw Self.noOrigin }
    if isClosed { throw UVError(.badDescriptor, operation: "http") }
    // A proxy that sends requests on knows no other protocol.
    origin.isTunnelled = isUpgrade && options.forwardingProxy(for: origin) != nil
    let pool = pools[origin] ?? makePool(origin)
    if !isUpgrade { last = (scheme, authority, pool) }
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
      isKeeping: limits.idle > .zero, options.forwardingProxy(for: origin))
    pools[origin] = pool
    return pool
  }

  /// Closes the connections to origins that have no requests now.
  private func dropIdlePools() {
    for (origin, pool) in pools where pool.isIdle {
      past += pool.counts.events
      pools[origin] = nil
    }
    last = nil
    lastGet?.pool = nil
  }

  var counts: PoolCounts { pools.values.reduce(into: past) { $0 += $1.counts } }

  func close() -> Request<Void> {
    isClosed = true
    // They stay for the counts, and for the requests that have connections.
    let closing = pools.values.map { $0.close() }
    last = nil
    lastGet?.pool = nil
    return closing.reduce(.value(loop, ())) { all, one in all.then { one } }
  }
}
#endif
