import UV
import UVSimulation

/// How much others may do while one waits. What is starved waits for as long as they go on. A loop that polls without a wait
/// lets other threads run after 64 such turns at the latest, and a turn's budget is 2,048 steps.
private let bound = 64 * 2048 * 3

/// Waiters for a pool's resource get it in the order in which they asked, or an error within the limit, while some hold theirs
/// for long, and creations are stuck or fail.
func fairPool(_ world: World, _ ledger: Ledger) throws {
  world.node("a", mayBeBusy: false) { loop in
    var limits = PoolLimits()
    limits.resources = 1 + loop.draw(3)
    limits.wait = .seconds(20)
    limits.creation = .seconds(2)
    let pool = Pool<FairResource>(loop, limits: limits, retry: RetryPolicy(attempts: 1)) {
      if loop.isDrawn(oneIn: 4) { try await loop.sleep(for: .seconds(3600)).value }
      if loop.isDrawn(oneIn: 4) { throw UVError(.connectionRefused, operation: "create") }
      try await loop.dawdle()
      return FairResource(loop)
    }
    // The waiters' tickets.
    var waiting: Set<Int> = []
    var lastTicket = 0
    var tasks: [LoopTask<Void, any Error>] = []
    for user in 0..<8 {
      let isGreedy = user < 4
      tasks.append(
        loop.spawn { () async throws in
          for round in 0..<5 {
            lastTicket += 1
            let ticket = lastTicket
            waiting.insert(ticket)
            let start = loop.clock.now
            let request = Request<PoolLease<FairResource>>(loop) { done in
              pool.lease { result in
                waiting.remove(ticket)
                if case .success = result, let first = waiting.min(), first < ticket {
                  ledger.complain("waiter \(ticket) has a resource before waiter \(first)")
                }
                done(result)
              }
            }
            let lease: PoolLease<FairResource>? = try? await request.value
            let time = start.duration(to: loop.clock.now)
            try expect(
              time <= limits.wait + .milliseconds(3), "user \(user) in round \(round) waits for \(time)")
            let hold = isGreedy ? 3000 : 10
            try await loop.sleep(for: .milliseconds(Int64(loop.draw(hold)))).value
            if loop.isDrawn(oneIn: 5) { lease?.discard() } else { lease?.giveBack() }
            if !isGreedy { try await loop.dawdle() }
          }
        })
    }
    for task in tasks { try await task.value }
    try await pool.close().value
  }
}

private struct FairResource: PoolResource {
  let loop: EventLoop
  init(_ loop: EventLoop) { self.loop = loop }
  var isReusable: Bool { true }
  func close() -> Request<Void> { loop.sleep(for: .zero) }
}

/// Everything that a loop waits for comes while something else goes on without end: files, messages from its own thread and
/// others, microtasks, a source, a peer that sends without a pause.
func fairLoop(_ world: World, _ ledger: Ledger) throws {
  world.node("a", mayBeBusy: false) { loop in
    try await loop.files.writeFile("/tmp/file", message(1, 1000)).value
    let greed = Greed(loop)
    try greed.begin()
    let (here, there) = try loop.pipes.socketPair()
    there.start { result in
      if case .success(let bytes?) = result { there.write(bytes) { _ in } }
    }
    for round in 0..<12 {
      let before = greed.steps
      let kind = loop.draw(7)
      let waited: LoopTask<Void, any Error> = loop.spawn { () async throws in
        switch kind {
        case 0: try await loop.sleep(for: .zero).value
        case 1: _ = try await loop.files.stat("/tmp/file").value
        case 2: _ = try await loop.work { 1 }.value
        case 3:
          try await here.write("x").value
          _ = try await here.read(exactly: 1).value
        case 4: _ = try await loop.executor.submit { _ in 1 }
        case 5: await Task.detached {}.value
        default: _ = try await loop.files.readFile("/tmp/file").value
        }
      }
      greed.limit = before + bound
      try await waited.value
      if greed.hasReachedLimit { throw Violation("round \(round): \(greed.kind) starves \(kind)") }
    }
    greed.end()
    here.close()
    there.close()
  }
}

/// Something that goes on as long as it is let.
private final class Greed {
  enum Kind: CaseIterable { case files, messages, microtasks, source, tasks, works }

  let kind: Kind
  private let loop: EventLoop
  private(set) var steps = 0
  /// Where it ends at the latest.
  var limit = bound
  private(set) var hasReachedLimit = false
  private var isOver = false
  private var source: CustomSource<Int>?

  init(_ loop: EventLoop) {
    self.loop = loop
    kind = Kind.allCases[loop.draw(Kind.allCases.count)]
  }

  /// Notes a step. Returns whether there is another.
  private func goOn() -> Bool {
    steps += 1
    if steps >= limit { hasReachedLimit = true }
    return !isOver && !hasReachedLimit
  }

  func begin() throws(UVError) {
    for _ in 0..<8 { step() }
    guard kind == .source else { return }
    let source = CustomSource<Int>(loop, "greedy") { _ in }
    self.source = source
    source.start { [self] _ in
      if goOn() { _ = source.send(1) } else { source.stop() }
    }
    _ = source.send(1)
  }

  private func step() {
    switch kind {
    case .files:
      loop.files.readFile("/tmp/file") { [self] _ in if goOn() { step() } }
    case .messages:
      let next = Shared({ [self] in if goOn() { step() } })
      try? loop.executor.execute { _ in next.value() }
    case .microtasks: loop.queueMicrotask { [self] in if goOn() { step() } }
    case .tasks: loop.spawn { [self] in if goOn() { step() } }
    case .works: loop.work { 1 }.start { [self] _ in if goOn() { step() } }
    case .source: break
    }
  }

  func end() { isOver = true }
}
