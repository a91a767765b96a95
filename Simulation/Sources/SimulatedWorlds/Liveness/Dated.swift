import UV
import UVFutures
import UVPromises
import UVSimulation

/// Something that has a date.
enum Dated: String, CaseIterable {
  case sleep, sleepRequest, sleepOfATask, clock, taskSleep, timer, repeatingTimer, ticks, ticksOfATask
  case timeout, timeoutOfATask, deadline, retry
  case promiseAfter, promiseTimeout, promiseDelay, publisherDelay, publisherDebounce, schedule
  case lease, creation, idleResource
  case readTimeout, idleTimeout, totalTimeout, writeTimeout, handshake
  case httpHead, httpIdle, httpTotal, httpServerHead
}

/// Begins things with a date, and judges each when it fires.
final class DatedThings {
  let loop: EventLoop
  let lateness: Lateness
  private let ledger: Ledger
  private var lastNumber = 0
  private var kept: [Int: [Any]] = [:]
  /// How many things haven't fired.
  private(set) var open = 0 {
    didSet { if open == 0 { waiter.take()?.resume() } }
  }
  private var waiter: CheckedContinuation<Void, Never>?

  init(_ lateness: Lateness, _ ledger: Ledger) {
    (loop, self.lateness, self.ledger) = (lateness.loop, lateness, ledger)
  }

  /// Waits until all things have fired, without a timer of its own.
  nonisolated(nonsending) func wait() async {
    if open > 0 { await withCheckedContinuation { waiter = $0 } }
  }

  /// A request that nothing ends but a limit.
  var forever: Request<Void> { loop.sleep(for: .seconds(1 << 30)) }

  /// Begins a thing that waits for `length`.
  func begin(_ thing: Dated, _ length: Duration) throws(UVError) {
    open += 1
    lastNumber += 1
    let number = lastNumber
    let noted: Completion<Void> = ledger.ask("\(thing)") { [self] _ in
      open -= 1
      kept[number] = nil
    }
    let over = { noted(.success(())) }
    switch thing {
    case .sleep, .sleepRequest, .sleepOfATask, .clock, .taskSleep, .timer, .repeatingTimer, .ticks,
      .ticksOfATask:
      try beginTimer(thing, length, over) { kept[number, default: []].append($0) }
    case .timeout, .timeoutOfATask, .deadline, .retry: beginLimit(thing, length, over)
    case .promiseAfter, .promiseTimeout, .promiseDelay, .publisherDelay, .publisherDebounce, .schedule:
      beginInStyle(thing, length, over) { kept[number, default: []].append($0) }
    case .lease, .creation, .idleResource: beginInPool(thing, length, over)
    case .readTimeout, .idleTimeout, .totalTimeout, .writeTimeout, .handshake:
      try beginOnStream(thing, length, over)
    case .httpHead, .httpIdle, .httpTotal, .httpServerHead: try beginHTTP(thing, length, number, over)
    }
  }

  /// What judges a thing that begins now.
  func judge(
    _ thing: Dated, _ length: Duration, _ precision: Lateness.Precision = .exact, mayBeEarly: Bool = false
  ) -> () -> Void {
    let start = LoopClock.Instant.now
    return { [lateness] in
      lateness.judge("\(thing)", since: start, length, precision, mayBeEarly: mayBeEarly)
    }
  }

  // MARK: Timers

  private func beginTimer(
    _ thing: Dated, _ length: Duration, _ over: @escaping () -> Void, keep: (Any) -> Void
  ) throws(UVError) {
    let (loop, lateness) = (loop, lateness)
    let judge = judge(thing, length)
    func end() {
      judge()
      over()
    }
    func task(_ body: nonisolated(nonsending) @escaping () async throws -> Void) {
      loop.spawn { [self] in
        // A clock's time begins when Swift's own function runs, behind what else the turn has to do.
        let judge = self.judge(thing, length, thing == .sleepOfATask ? .exact : .afterWork)
        try? await body()
        judge()
        over()
      }
    }
    switch thing {
    case .sleepRequest: loop.sleep(for: length).start { _ in end() }
    case .sleepOfATask: task { try await loop.sleep(for: length).value }
    case .clock: task { try await loop.clock.sleep(for: length) }
    case .taskSleep: task { try await Task.sleep(for: length) }
    case .timer:
      let timer = try LoopTimer(loop)
      keep(timer)
      try timer.start(after: length) {
        end()
        timer.close()
      }
    case .repeatingTimer:
      let timer = try LoopTimer(loop)
      keep(timer)
      var count = 0
      // libuv counts each repetition from the call before it.
      var judge = judge
      try timer.start(after: length, repeating: length) { [self] in
        judge()
        judge = self.judge(thing, length, mayBeEarly: true)
        count += 1
        if count < 3 { return }
        timer.close()
        over()
      }
    case .ticks, .ticksOfATask:
      let (start, ticks) = (LoopClock.Instant.now, loop.ticks(every: length))
      func look(_ tick: Tick, since asked: LoopClock.Instant) {
        // The first that came due when somebody asked.
        let date = start.advanced(by: length * (tick.index - tick.missed + 1))
        if asked <= date { lateness.judge("\(thing)", since: date, .zero) }
      }
      if thing == .ticks {
        ticks.start { result in
          guard case .success(let tick?) = result else { return }
          look(tick, since: start)
          if tick.index < 3 { return }
          ticks.stop()
          over()
        }
      } else {
        loop.spawn {
          var asked = LoopClock.Instant.now
          while let tick = try? await ticks.next().value, tick.index < 3 {
            look(tick, since: asked)
            asked = .now
          }
          over()
        }
      }
    default: loop.sleep(for: length) { _ in end() }
    }
  }

  // MARK: Limits of requests

  private func beginLimit(_ thing: Dated, _ length: Duration, _ over: @escaping () -> Void) {
    let (loop, forever) = (loop, forever)
    switch thing {
    case .timeoutOfATask:
      loop.spawn { [self] in
        let judge = judge(thing, length)
        try? await forever.timeout(after: length).value
        judge()
        over()
      }
    case .deadline:
      loop.spawn { [self] in
        let judge = judge(thing, length)
        try? await loop.withDeadline(length) { try await forever.value }
        judge()
        over()
      }
    case .retry:
      var judge: (() -> Void)?
      let failing = Request<Void>(loop) { done in
        loop.queueMicrotask { [self] in
          judge?()
          judge = self.judge(thing, length)
          done(.failure(UVError(.noSuchFile, operation: "test")))
        }
        return PendingRequest()
      }
      failing.retry(RetryPolicy(attempts: 3, backoff: .constant(length))).start { _ in over() }
    default:
      let judge = judge(thing, length)
      forever.timeout(after: length).start { _ in
        judge()
        over()
      }
    }
  }

  // MARK: Promises and publishers

  private func beginInStyle(
    _ thing: Dated, _ length: Duration, _ over: @escaping () -> Void, keep: (Any) -> Void
  ) {
    let judge = judge(thing, length)
    let end = {
      judge()
      over()
    }
    switch thing {
    case .promiseAfter: after(length).done { end() }
    case .promiseTimeout: forever.promise().timeout(after: length).catch(policy: .allErrors) { _ in end() }
    case .promiseDelay: Promise<Int>.value(1).delay(length).done { _ in end() }.cauterize()
    case .publisherDelay: keep(Just(1).delay(for: .init(length), scheduler: loop).sink { _ in end() })
    case .publisherDebounce:
      let subject = PassthroughSubject<Int, Never>()
      keep(subject)
      keep(subject.debounce(for: .init(length), scheduler: loop).sink { _ in end() })
      subject.send(1)
    default:
      let now: EventLoop.SchedulerTimeType = loop.now
      loop.schedule(after: now.advanced(by: .init(length))) { end() }
    }
  }
}
