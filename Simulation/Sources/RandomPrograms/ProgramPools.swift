import SimulatedWorlds
import UV
import WorldSupport

/// A pool, whose resources know who has them. Some become useless after a time, of which some say so while they are idle.
final class ProgramPoolModel {
  final class Resource: PoolResource {
    let model: ProgramPoolModel
    var isLent = false
    private var isClosed = false
    private let saysSo: Bool
    /// When it is of no use any more; nil if it always is.
    let end: LoopClock.Instant?
    fileprivate private(set) var idleSince: LoopClock.Instant?
    private var whenUseless: Completion<Void>?

    init(_ model: ProgramPoolModel, _ number: Int) {
      self.model = model
      saysSo = number % 2 == 0
      let life = Duration.milliseconds([30, 400, 3000][number % 3])
      end = number % 5 < 2 ? model.loop.clock.now.advanced(by: life) : nil
      if end != nil { model.loop.sleep(for: life) { [weak self] _ in self?.becomeUseless() } }
    }

    private func becomeUseless() {
      let done = whenUseless
      whenUseless = nil
      done?(.success(()))
    }

    var isReusable: Bool { end.map { model.loop.clock.now < $0 } ?? true }

    func idling(_ done: @escaping Completion<Void>) -> PendingRequest {
      idleSince = model.loop.clock.now
      if saysSo { whenUseless = done }
      return PendingRequest { [self] in
        idleSince = nil
        whenUseless = nil
      }
    }

    /// What is wrong with it now; nil if nothing is.
    fileprivate func complaint(_ now: LoopClock.Instant, _ slack: Duration) -> String? {
      guard let idleSince, !isClosed else { return nil }
      if idleSince.duration(to: now) > .milliseconds(model.limits.idle) + slack { return "idle for too long" }
      if saysSo, let end, max(end, idleSince).duration(to: now) > slack { return "useless, and not closed" }
      return nil
    }

    func close() -> Request<Void> {
      if isClosed { model.world.complain("a resource is closed twice") }
      if isLent { model.world.complain("a resource is closed while it is lent") }
      isClosed = true
      idleSince = nil
      model.live.removeAll { $0 === self }
      return model.loop.sleep(for: .zero)
    }
  }

  let loop: EventLoop
  let world: ProgramWorld
  fileprivate let limits: ProgramPool
  private var pool: Pool<Resource>!
  fileprivate var live: [Resource] = []
  private var created = 0
  private weak var side: ProgramSide?
  /// How often in a row somebody was seen to wait although there was room.
  private var looks = 0
  private var isClosed = false
  private var closedSince: LoopClock.Instant?
  private var lastTicket = 0
  private var waiting: Set<Int> = []

  init(_ loop: EventLoop, _ world: ProgramWorld, _ side: ProgramSide?, _ limits: ProgramPool) {
    self.side = side
    (self.loop, self.world, self.limits) = (loop, world, limits)
    var bounds = PoolLimits()
    bounds.resources = limits.resources
    bounds.wait = .milliseconds(limits.wait)
    bounds.idle = .milliseconds(limits.idle)
    bounds.lifetime = .milliseconds(limits.lifetime)
    pool = Pool(loop, limits: bounds) { [unowned self] in
      if limits.creation > 0 { try await loop.sleep(for: .milliseconds(limits.creation)).value }
      created += 1
      let resource = Resource(self, created)
      live.append(resource)
      if live.count > limits.resources {
        world.complain("\(live.count) resources of a pool of \(limits.resources)")
      }
      return resource
    }
  }

  /// Looks whether somebody waits although there is room, and whether something useless is kept.
  func look() {
    let (now, counts) = (loop.clock.now, pool.counts)
    let slack = side?.slack ?? .seconds(1)
    for resource in live {
      if let text = resource.complaint(now, slack) { world.complain("a resource of a pool is \(text)") }
    }
    let isThereRoom = counts.idle > 0 || counts.leased + counts.creating < limits.resources
    looks = counts.waiting > counts.creating && isThereRoom ? looks + 1 : 0
    if looks > 3 { world.complain("\(counts.waiting) wait for a resource, and there is room") }
  }

  func lease(
    _ step: ProgramStep, _ track: ProgramTrack, _ side: ProgramSide, _ holding: Int, _ isDiscarded: Bool
  ) async {
    let request = { [self] in
      Request<PoolLease<Resource>>(loop) { [self] done in
        lastTicket += 1
        let (ticket, begin) = (lastTicket, loop.clock.now)
        waiting.insert(ticket)
        let pending = pool.lease { [self] result in
          waiting.remove(ticket)
          if case .success = result, let first = waiting.min(), first < ticket {
            world.complain("\(step): waiter \(ticket) has a resource before waiter \(first)")
          }
          let time = begin.duration(to: loop.clock.now)
          if time > .milliseconds(limits.wait) + side.slack {
            world.complain("\(step) has waited for \(time)")
          }
          if case .failure(let error) = result, error.code == .timedOut, time < .milliseconds(limits.wait) {
            world.complain("\(step) has waited for \(time) only")
          }
          if case .failure = result, let closedSince,
            max(closedSince, begin).duration(to: loop.clock.now) > side.slack
          {
            world.complain("\(step) hears of the pool's close too late")
          }
          done(result)
        }
        return PendingRequest { [self] in
          waiting.remove(ticket)
          pending.cancel()
        }
      }
    }
    await side.ask(
      step, track,
      mayFail: { [self] in $0.code == .timedOut || isClosed && ($0.isCancelled || $0.code == .badDescriptor)
      },
      request
    ) { [self] result in
      guard case .success(let lease)? = result else { return }
      if let end = lease.resource.end, end.duration(to: loop.clock.now) > side.slack {
        world.complain("\(step): the resource is useless")
      }
      if lease.resource.isLent { world.complain("\(step): the resource is somebody else's") }
      lease.resource.isLent = true
      loop.sleep(for: .microseconds(holding)) { _ in
        lease.resource.isLent = false
        if isDiscarded { lease.discard() } else { lease.giveBack() }
      }
    }
  }

  func close(_ step: ProgramStep, _ track: ProgramTrack, _ side: ProgramSide) async {
    isClosed = true
    let begin = { [self] in closedSince = closedSince ?? loop.clock.now }
    await side.ask(
      step, track,
      callback: { [self] done in
        begin()
        return pool.close(done)
      },
      { [self] in
        begin()
        return pool.close()
      }
    ) { [self] result in
      if case .success? = result, !live.isEmpty { world.complain("\(step): \(live.count) are left") }
    }
  }

  nonisolated(nonsending) func end() async throws {
    isClosed = true
    try await pool.close().value
  }

  func check() throws { try expect(live.isEmpty, "\(live.count) resources of a pool are left") }
}
