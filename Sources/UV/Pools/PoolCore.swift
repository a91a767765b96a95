/// The part of a pool's state that doesn't know the type of the resource.
class AnyPoolCore: ServiceObserver {
  let loop: EventLoop
  /// Reaches the pool from any thread.
  private(set) lazy var reference = LoopReference<AnyPoolCore>(self, of: loop)

  init(_ loop: EventLoop) { self.loop = loop }

  func leaseWasDropped(_ number: UInt) {}

  /// Ends the pool.
  func end() {}

  /// The loop's service begins to end.
  func serviceEnds() {}
}

/// A resource in a pool.
final class PoolEntry<Resource: PoolResource> {
  let number: UInt
  let resource: Resource
  /// When its life is over.
  let lifeEnd: LoopClock.Instant
  /// When it is to be closed, while it is idle.
  var idleEnd: LoopClock.Instant
  /// The wait until it becomes useless, while it is idle, and which one that is. The answer of an earlier one
  /// may still be on its way.
  var watch: PendingRequest?
  var watchNumber = 0

  init(_ number: UInt, _ resource: Resource, _ lifeEnd: LoopClock.Instant) {
    (self.number, self.resource, self.lifeEnd, idleEnd) = (number, resource, lifeEnd, lifeEnd)
  }
}

/// The state of a pool. Each resource is idle or lent, and somebody waits only if none is idle.
final class PoolCore<Resource: PoolResource>: AnyPoolCore {
  private let creation: Request<Resource>
  private let limits: PoolLimits
  private var counts = PoolCounts()
  private var lastNumber: UInt = 0
  private var creations: [UInt: PendingRequest] = [:]
  private var leased: [UInt: PoolEntry<Resource>] = [:]
  /// The one that was used last is last.
  private var idle: [PoolEntry<Resource>] = []
  private var waiters = WaitingLine<PoolWaiter<Resource>>()
  private var closingCount = 0
  private var hasEnded = false
  private var endWaiters = Waiters<Void>()
  /// Keeps the loop running while a caller waits for the end, and reports the loop's own.
  private var endTimer: PendingRequest?
  private var expiryTimer = PendingRequest()
  private var expiry: LoopClock.Instant?

  init(_ creation: Request<Resource>, _ limits: PoolLimits, _ retry: RetryPolicy) {
    self.creation = creation.timeout(after: limits.creation).retry(retry)
    self.limits = limits
    super.init(creation.loop)
  }

  func begin() {
    loop.requireOnLoop("Pool.init")
    _ = reference
    loop.ending.add(self)
  }

  // MARK: Looking

  private var count: Int { idle.count + leased.count + creations.count }
  private var limit: Int { max(limits.resources, 1) }

  /// The numbers of resources, for the error of a waiter.
  var state: String { "\(leased.count) of \(limit) are lent, \(creations.count) are being created" }

  var currentCounts: PoolCounts {
    loop.assertOnLoop()
    var counts = counts
    (counts.leased, counts.idle) = (leased.count, idle.count)
    (counts.creating, counts.waiting) = (creations.count, waiters.count)
    return counts
  }

  // MARK: Asking

  func lease(_ done: @escaping Completion<PoolLease<Resource>>) -> PendingRequest {
    if loop.isClosed || hasEnded {
      return refuse(loop.isClosed ? .loopClosed : .badDescriptor, nil, done)
    }
    let waiter = PoolWaiter(self, done)
    if waiters.isEmpty, let entry = takeIdle() {
      lend(entry, to: waiter)
      return PendingRequest(waiter)
    }
    if count >= limit, waiters.count - creations.count >= limits.waiters {
      counts.refused += 1
      return refuse(.busy, "\(waiters.count) wait; \(state)", done)
    }
    waiters.append(waiter)
    waiter.limit(limits.wait)
    createIfNeeded()
    return PendingRequest(waiter)
  }

  /// Lends a resource that is idle, if nobody waits for one.
  func leaseAtOnce() -> PoolLease<Resource>? {
    guard !loop.isClosed, !hasEnded, waiters.isEmpty, let entry = takeIdle() else { return nil }
    leased[entry.number] = entry
    counts.leases += 1
    return PoolLease(self, entry)
  }

  private func refuse(
    _ code: UVError.Code, _ subject: String?, _ done: @escaping Completion<PoolLease<Resource>>
  ) -> PendingRequest {
    loop.answer { done(.failure(UVError(code, operation: "lease", subject: subject))) }
    return PendingRequest()
  }

  func waiterLeft() { waiters.oneLeft() }

  func waiterTimedOut(_ waiter: PoolWaiter<Resource>) {
    counts.timeouts += 1
    loop.microtasks.state.pointee.counts.timeouts += 1
    waiter.fail(UVError(.timedOut, operation: "lease", subject: "\(limits.wait); \(state)"))
    waiters.oneLeft()
  }

  private func lend(_ entry: PoolEntry<Resource>, to waiter: PoolWaiter<Resource>) {
    leased[entry.number] = entry
    counts.leases += 1
    counts.waitTime += waiter.start.duration(to: loop.now)
    waiter.grant(entry)
  }

  // MARK: Creating

  private func createIfNeeded() {
    while !hasEnded, !loop.isClosed, creations.count < waiters.count, count < limit {
      lastNumber += 1
      let number = lastNumber
      creations[number] = PendingRequest()
      let pending = creation.start { [self] in didCreate(number, $0) }
      // A request of somebody's own may end as it starts.
      if creations[number] != nil { creations[number] = pending }
    }
  }

  private func didCreate(_ number: UInt, _ result: Result<Resource, UVError>) {
    creations[number] = nil
    switch result {
    case .success(let resource):
      counts.created += 1
      // They must not all end at once.
      let life = limits.lifetime * Double.random(in: 0.9...1)
      offer(PoolEntry(number, resource, loop.now.advanced(by: life)))
    case .failure(let error):
      if !hasEnded { counts.failed += 1 }
      // Resources that are lent may still come back for the others.
      repeat { waiters.popFirst()?.fail(error) } while leased.isEmpty && !waiters.isEmpty
      createIfNeeded()
    }
    finishIfDone()
  }

  // MARK: Giving back

  func giveBack(_ number: UInt, isBroken: Bool) {
    guard let entry = leased.removeValue(forKey: number) else { return }
    if isBroken || !entry.resource.isReusable {
      counts.discarded += 1
      close(entry)
    } else if entry.lifeEnd <= loop.now {
      counts.expired += 1
      close(entry)
    } else {
      offer(entry)
    }
    createIfNeeded()
    finishIfDone()
  }

  override func leaseWasDropped(_ number: UInt) {
    guard leased[number] != nil else { return }
    counts.dropped += 1
    giveBack(number, isBroken: true)
  }

  /// Lends a resource to the first waiter, or keeps it.
  private func offer(_ entry: PoolEntry<Resource>) {
    if hasEnded || loop.isClosed { return close(entry) }
    if let waiter = waiters.popFirst() { return lend(entry, to: waiter) }
    if loop.isShuttingDown || limits.idle <= .zero { return close(entry) }
    entry.idleEnd = min(loop.now.advanced(by: limits.idle), entry.lifeEnd)
    idle.append(entry)
    // A watch of somebody's own may end as it starts.
    entry.watch = PendingRequest()
    entry.watchNumber += 1
    let number = entry.watchNumber
    let watch = entry.resource.idling { [self] _ in
      if entry.watchNumber == number { becameUseless(entry) }
    }
    if entry.watch != nil { entry.watch = watch }
    scheduleExpiry(at: entry.idleEnd)
  }

  private func close(_ entry: PoolEntry<Resource>) {
    closingCount += 1
    entry.resource.close().start { [self] _ in
      closingCount -= 1
      finishIfDone()
    }
  }

  // MARK: Idle resources

  private func takeIdle() -> PoolEntry<Resource>? {
    while let entry = idle.popLast() {
      endWatch(entry)
      if entry.idleEnd > loop.now, entry.resource.isReusable { return entry }
      if entry.idleEnd > loop.now { counts.gone += 1 } else { counts.expired += 1 }
      close(entry)
    }
    return nil
  }

  private func endWatch(_ entry: PoolEntry<Resource>) {
    let watch = entry.watch.take()
    watch?.cancel()
  }

  private func becameUseless(_ entry: PoolEntry<Resource>) {
    // It is in use, or closed.
    if entry.watch.take() == nil { return }
    idle.removeAll { $0 === entry }
    counts.gone += 1
    close(entry)
  }

  private func closeIdle(_ isOver: (PoolEntry<Resource>) -> Bool) {
    let entries = idle.filter(isOver)
    idle.removeAll(where: isOver)
    for entry in entries {
      endWatch(entry)
      close(entry)
    }
  }

  /// One timer serves all. It doesn't keep the loop running, nor the pool alive.
  private func scheduleExpiry(at date: LoopClock.Instant) {
    if let expiry, expiry <= date { return }
    expiry = date
    expiryTimer.cancel()
    expiryTimer = loop.sleepQuietly(until: date) { [weak self] result in
      if case .success = result { self?.expire() }
    }
  }

  private func expire() {
    expiry = nil
    loop.updateTime()
    let (now, before) = (loop.now, idle.count)
    closeIdle { $0.idleEnd <= now }
    counts.expired += before - idle.count
    if let next = idle.map(\.idleEnd).min() { scheduleExpiry(at: next) }
  }

  override func serviceEnds() { closeIdle { _ in true } }

  // MARK: The end

  override func end() {
    loop.requireOnLoop("close()")
    if hasEnded { return }
    hasEnded = true
    expiryTimer.cancel()
    closeIdle { _ in true }
    for pending in creations.values { pending.cancel() }
    while let waiter = waiters.popFirst() { waiter.fail(PoolWaiter<Resource>.cancellation) }
  }

  private var isDone: Bool { hasEnded && leased.isEmpty && creations.isEmpty && closingCount == 0 }

  func waitForEnd(_ done: @escaping Completion<Void>) -> PendingRequest {
    if isDone || loop.isClosed {
      loop.complete(done, .close)
      return PendingRequest()
    }
    let number = endWaiters.add(done)
    endTimer =
      endTimer
      ?? loop.sleep(for: .seconds(Int64.max)) { [self] result in
        if case .failure = result { reportEnd(.failure(UVError(.cancelled, operation: "close"))) }
      }
    return PendingRequest("close", subject: { [self] in state }) { [self] in
      guard let done = endWaiters.take(number) else { return }
      loop.queueMicrotask { done(.failure(UVError(.cancelled, operation: "close"))) }
      if endWaiters.isEmpty { dropEndTimer() }
    }
  }

  private func finishIfDone() { if isDone { reportEnd(.success(())) } }

  private func reportEnd(_ result: Result<Void, UVError>) {
    for done in endWaiters.takeAll() { loop.queueMicrotask { done(result) } }
    dropEndTimer()
  }

  private func dropEndTimer() {
    let timer = endTimer.take()
    timer?.drop()
  }
}
