#if HTTP || Everything
import UV

/// The connections to an origin. One that has just become free stays at hand until the loop waits: most
/// programs that ask much ask again at once.
final class ClientPool: Flushable {
  private let pool: Pool<ClientConnection>
  private let isKeeping: Bool
  /// The proxy that its requests are sent to as they are; nil if the server or a tunnel gets them.
  private let proxy: HTTPProxy?
  /// Leases of connections that are free.
  @exclusivity(unchecked) private var free: [PoolLease<ClientConnection>] = []
  @exclusivity(unchecked) private var reuseCount = 0
  /// Whether the loop gives them back before it waits.
  @exclusivity(unchecked) private var isToFlush = false
  /// The head that the origin's servers have sent last.
  @exclusivity(unchecked) var lastAnswer: ClientResponse?
  /// How many requests wait for a connection.
  private var waitCount = 0

  /// After so many requests the pool looks whether a connection is too old.
  private static let requestsBetweenLooks = 64

  private let loop: EventLoop

  init(_ pool: Pool<ClientConnection>, isKeeping: Bool, _ proxy: HTTPProxy?) {
    (self.pool, self.isKeeping, self.proxy, loop) = (pool, isKeeping, proxy, pool.loop)
  }

  /// The head of a request as the other end of the connections gets it.
  func head(of outgoing: OutgoingRequest) -> Bytes {
    proxy == nil ? outgoing.head : RequestBytes.head(outgoing, to: proxy)
  }

  /// A connection that is at hand; nil if there is none. Not inlined, as the caller would count references to this.
  @inline(never)
  func take() -> PoolLease<ClientConnection>? {
    while let lease = free.popLast() {
      if lease.resource.isReusable {
        reuseCount += 1
        return lease
      }
      lease.giveBack()
    }
    return pool.leaseAtOnce()
  }

  /// Asks the pool for a connection.
  func lease(
    within limit: Duration, _ done: @escaping Completion<PoolLease<ClientConnection>>
  ) -> PendingRequest {
    waitCount += 1
    return pool.lease().timeout(after: limit).start { [self] result in
      waitCount -= 1
      done(result)
    }
  }

  /// Takes a connection back that is free.
  func put(_ lease: consuming PoolLease<ClientConnection>) {
    guard isKeeping, waitCount == 0, !loop.isShuttingDown,
      lease.resource.servedCount % Self.requestsBetweenLooks != 0
    else { return lease.giveBack() }
    if !isToFlush { loop.flushNextTurn(self) }
    isToFlush = true
    // So the stream doesn't pause meanwhile.
    lease.resource.read()
    free.append(consume lease)
  }

  package func flush() {
    isToFlush = false
    let leases = free
    free.removeAll(keepingCapacity: true)
    for lease in leases { lease.giveBack() }
  }

  var counts: PoolCounts {
    var counts = pool.counts
    counts.leased -= free.count
    counts.idle += free.count
    counts.leases += reuseCount
    return counts
  }

  /// Whether no request needs it now.
  var isIdle: Bool {
    let counts = counts
    return counts.leased + counts.creating + counts.waiting == 0
  }

  func close() -> Request<Void> {
    flush()
    return pool.close()
  }
}
#endif
