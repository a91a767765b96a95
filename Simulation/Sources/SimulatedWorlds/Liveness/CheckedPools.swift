import UV
import UVSimulation

/// A pool whose resources become useless, lent or idle, and which is closed while some are lent.
///
/// Nobody gets one that is useless, or whose life was over as it came back. One that says so while it is idle is closed at once, and so is each one whose idle time
/// is over. Nobody waits while there is room for another resource. When the pool closes, those that wait are notified at
/// once, what is lent may be used on, and the request succeeds when the last one is closed, and not before.
func checkedPools(_ world: World, _ ledger: Ledger) throws {
  world.node("a", mayBeBusy: false) { loop in
    let users = PoolUsers(loop, ledger)
    // Few of them leave resources idle.
    let tasks = (0..<(1 + loop.draw(8))).map { _ in loop.spawn { () async throws in try await users.use() } }
    let watching = loop.spawn { () async throws in try await users.watch() }
    try await loop.sleep(for: .milliseconds(Int64(loop.draw(20_000)))).value
    try await users.close()
    for task in tasks { try await task.value }
    watching.cancel()
    _ = try? await watching.value
    try users.check()
  }
}

/// A resource that becomes useless at some time. Some say so while they are idle, others only when they are asked.
private final class CheckedResource: PoolResource {
  unowned let users: PoolUsers
  let saysSo: Bool
  var isLent = false
  private(set) var isClosed = false
  let created = LoopClock.Instant.now
  /// When it was given back last.
  var givenBack: LoopClock.Instant?
  /// Since when it has been of no use, and since when it has been idle.
  var uselessSince: LoopClock.Instant?
  private(set) var idleSince: LoopClock.Instant?
  private var whenUseless: Completion<Void>?

  init(_ users: PoolUsers) {
    self.users = users
    saysSo = users.loop.isDrawn(oneIn: 2)
    users.live.append(self)
    if users.loop.isDrawn(oneIn: 3) { return }
    users.loop.sleep(for: .milliseconds(Int64(users.loop.draw(5000)))) { [self] _ in
      uselessSince = users.loop.clock.now
      let done = whenUseless
      whenUseless = nil
      done?(.success(()))
    }
  }

  var isReusable: Bool { uselessSince == nil }

  func idling(_ done: @escaping Completion<Void>) -> PendingRequest {
    idleSince = users.loop.clock.now
    if saysSo { whenUseless = done }
    return PendingRequest { [self] in
      idleSince = nil
      whenUseless = nil
    }
  }

  func close() -> Request<Void> {
    if isClosed { users.ledger.complain("a resource is closed twice") }
    if isLent { users.ledger.complain("a resource is closed while it is lent") }
    isClosed = true
    idleSince = nil
    users.closed += 1
    return users.loop.sleep(for: .milliseconds(Int64(users.loop.draw(50)))).map { [self] in
      users.live.removeAll { $0 === self }
    }
  }

  /// What is wrong with it now; nil if nothing is.
  func complaint(_ now: LoopClock.Instant, _ idle: Duration) -> String? {
    guard let idleSince else { return nil }
    if idleSince.duration(to: now) > idle + PoolUsers.slack { return "a resource is idle for too long" }
    if saysSo, let uselessSince, max(uselessSince, idleSince).duration(to: now) > PoolUsers.slack {
      return "a resource that has said that it is useless isn't closed"
    }
    return nil
  }
}

/// Those that use one pool, and what they know of it.
private final class PoolUsers {
  static let slack = Duration.milliseconds(5)

  let loop: EventLoop
  let ledger: Ledger
  var live: [CheckedResource] = []
  var closed = 0
  private var created = 0
  private let limits: PoolLimits
  private var pool: Pool<CheckedResource>!
  private var closedSince: LoopClock.Instant?
  /// Since when somebody has waited although there is room.
  private var roomSince: LoopClock.Instant?
  private var lastTicket = 0
  private var waiting: Set<Int> = []

  init(_ loop: EventLoop, _ ledger: Ledger) {
    (self.loop, self.ledger) = (loop, ledger)
    var limits = PoolLimits()
    limits.resources = 1 + loop.draw(3)
    limits.wait = .milliseconds(Int64(200 + loop.draw(5000)))
    limits.idle = .milliseconds(Int64([20, 300, 20_000][loop.draw(3)]))
    limits.lifetime = .seconds([1, 100][loop.draw(2)])
    self.limits = limits
    pool = Pool(loop, limits: limits, retry: RetryPolicy(attempts: 1)) { [unowned self] in
      try await loop.sleep(for: .milliseconds(Int64(loop.draw(30)))).value
      if loop.isDrawn(oneIn: 8) { throw UVError(.connectionRefused, operation: "create") }
      created += 1
      return CheckedResource(self)
    }
  }

  /// Leases one after the other until the pool is closed.
  nonisolated(nonsending) func use() async throws {
    while closedSince == nil {
      if let lease = try await lease() {
        let resource = lease.resource
        if resource.isLent { ledger.complain("a resource is lent twice") }
        if let since = resource.uselessSince, since.duration(to: loop.clock.now) > Self.slack {
          ledger.complain("a useless resource is lent")
        }
        if let date = resource.givenBack, resource.created.duration(to: date) > limits.lifetime + Self.slack {
          ledger.complain("a resource is lent again that came back after its life")
        }
        resource.isLent = true
        try await loop.sleep(for: .milliseconds(Int64(loop.draw([5, 2000][loop.draw(2)])))).value
        if resource.isClosed { ledger.complain("a resource was closed under its user") }
        resource.isLent = false
        resource.givenBack = loop.clock.now
        if loop.isDrawn(oneIn: 6) { lease.discard() } else { lease.giveBack() }
      }
      try await loop.dawdle()
    }
  }

  private nonisolated(nonsending) func lease() async throws -> PoolLease<CheckedResource>? {
    lastTicket += 1
    let (ticket, begin) = (lastTicket, loop.clock.now)
    waiting.insert(ticket)
    let request = Request<PoolLease<CheckedResource>>(loop) { [self] done in
      pool.lease { [self] result in
        waiting.remove(ticket)
        if case .success = result, let first = waiting.min(), first < ticket {
          ledger.complain("waiter \(ticket) has a resource before waiter \(first)")
        }
        done(result)
      }
    }
    defer { waiting.remove(ticket) }
    let gives = loop.isDrawn(oneIn: 5) ? Duration.milliseconds(Int64(loop.draw(3000))) : nil
    do throws(UVError) {
      if let gives { return try await request.timeout(after: gives).value }
      return try await request.value
    } catch {
      let now = loop.clock.now
      let time = begin.duration(to: now)
      switch error.code {
      case .timedOut: try expect(time >= min(limits.wait, gives ?? limits.wait), "given up after \(time)")
      case .connectionRefused: break
      case .cancelled, .badDescriptor: if closedSince == nil { throw error }
      default: throw error
      }
      if let closedSince {
        let late = max(closedSince, begin).duration(to: now)
        try expect(
          late <= Self.slack, "a waiter hears of the close after \(late), having waited for \(time): \(error)"
        )
      }
      try expect(time <= limits.wait + Self.slack, "a waiter waits for \(time)")
      return nil
    }
  }

  /// Looks at the pool every few milliseconds.
  nonisolated(nonsending) func watch() async throws {
    while true {
      try await loop.sleep(for: .milliseconds(1)).value
      let (now, counts) = (loop.clock.now, pool.counts)
      for resource in live { if let text = resource.complaint(now, limits.idle) { ledger.complain(text) } }
      if counts.leased + counts.idle + counts.creating > limits.resources {
        ledger.complain("\(counts.leased) and \(counts.idle) of \(limits.resources) resources")
      }
      let isThereRoom = counts.idle > 0 || counts.leased + counts.creating < limits.resources
      guard counts.waiting > counts.creating, isThereRoom, closedSince == nil else {
        roomSince = nil
        continue
      }
      let since = roomSince ?? now
      roomSince = since
      if since.duration(to: now) > Self.slack { ledger.complain("\(counts.waiting) wait, and there is room") }
    }
  }

  /// Closes the pool while some are lent.
  nonisolated(nonsending) func close() async throws {
    closedSince = loop.clock.now
    let closing = pool.close()
    if loop.isDrawn(oneIn: 2) {
      let second = pool.close(ledger.ask("a second close"))
      loop.sleep(for: .milliseconds(Int64(loop.draw(30)))) { _ in second.cancel() }
    }
    try expect(pool.counts.idle == 0, "idle resources stay when the pool closes")
    try await closing.value
    try expect(!live.contains { $0.isLent }, "the pool is closed while a resource is lent")
    try expect(live.isEmpty, "\(live.count) resources are left of a closed pool")
    do throws(UVError) {
      _ = try await pool.lease().value
      ledger.complain("a closed pool lends")
    } catch { try expect(error.code == .badDescriptor, "a closed pool: \(error)") }
  }

  func check() throws {
    try expect(created == closed, "\(closed) resources of \(created) are closed")
    try expect(pool.counts.leased == 0, "\(pool.counts.leased) are lent at the end")
  }
}
