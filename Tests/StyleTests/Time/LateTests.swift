#if Everything
import Foundation
import Testing
import UV
import UVFutures
import UVPromises
import UVTestSupport

/// Each thing that has a date, while the loop's thread computes.
///
/// Nothing may come later than its date, or than the end of the turn that was under way then. What computed before that
/// must not count: that was the fault of libuv's, which counts its wait from the beginning of the turn.
@Suite struct LateTests {
  /// Something with a date: it is begun, and calls back when its time has come.
  enum Thing: String, CaseIterable {
    case sleep, quietSleep, sleepOfATask, clock, timer, timeout, timeoutOfATask, deadline, tick, secondTick,
      retry
    case lease, idleResource, readTimeout, idleTimeout, totalTimeout
    case promiseAfter, promiseTimeout, promiseDelay, publisherDelay, publisherDebounce, schedule

    /// Whether it can be early. An idle resource's time counts from the beginning of the turn that gives it back.
    var mayBeEarly: Bool { self == .idleResource }

    /// Whether its time begins when the turn has computed: a task begins later, and an attempt ends later.
    var beginsLater: Bool { [.sleepOfATask, .clock, .timeoutOfATask, .deadline, .retry].contains(self) }

    /// What it needs in all, for each length that it is given.
    var factor: Int { self == .secondTick ? 2 : 1 }
  }

  enum Work: CaseIterable {
    /// The turn computes, and then begins the thing.
    case before
    /// The turn begins the thing, and then computes until shortly before its date.
    case after
    /// A later turn computes until shortly before the date.
    case laterTurn
  }

  fileprivate static let stretch = Duration.milliseconds(600)
  /// Far more than a busy machine takes, and less than the stretch.
  private static let slack = Duration.milliseconds(400)

  @Test(
    "Nothing that has a date is late by what was computed before it",
    .onTheMachine("a clock that goes on while a program computes"), arguments: Work.allCases)
  func late(_ work: Work) async throws {
    let late = Log<String>()
    try await withThread {
      let things = Thing.allCases.filter { work != .after || !$0.beginsLater }
      let threads = things.map { thing in
        let done = DispatchSemaphore(value: 0)
        Thread {
          var (lateness, tries) = (Self.lateness(of: thing, work), 1)
          // A machine that has other work may be late now and then. What was computed before counts each time.
          while lateness > Self.slack, tries < 5 {
            lateness = Self.lateness(of: thing, work)
            tries += 1
          }
          if lateness < .zero && !thing.mayBeEarly || lateness > Self.slack {
            late.append("\(thing): \(lateness)")
          }
          done.signal()
        }.start()
        return done
      }
      for done in threads { done.wait() }
    }
    #expect(late.values == [], "\(work)")
  }

  /// How late a thing is on a loop of its own, whose thread doesn't run meanwhile.
  private static func lateness(of thing: Thing, _ work: Work) -> Duration {
    let length: Duration = work == .before ? .milliseconds(50) : .milliseconds(700)
    let end = Log<LoopClock.Instant>()
    let start = Log<LoopClock.Instant>()
    EventLoop.runCallbacks { loop in
      func compute() { usleep(UInt32(stretch / .microseconds(1))) }
      // It keeps the loop running, without a timer.
      let keeper = CustomSource<Void>(loop, "keeper") { _ in }
      keeper.next { _ in }
      var things: Things? = Things(loop, length)
      let begin = things!.begin(thing) {
        end.append(.now)
        things = nil
        loop.stop()
      }
      // The first turns of a loop are short, so that libuv's time is that of the turn.
      loop.sleep(for: .milliseconds(5)) { _ in
        if work == .before { compute() }
        start.append(.now)
        begin()
        if work == .after { compute() }
        if work == .laterTurn { loop.sleep(for: .milliseconds(20)) { _ in compute() } }
      }
    }
    return start.values[0].duration(to: end.values[0]) - length * thing.factor
  }
}

/// What the things need.
private final class Things {
  private let loop: EventLoop
  private let length: Duration
  private var kept: [Any] = []

  init(_ loop: EventLoop, _ length: Duration) { (self.loop, self.length) = (loop, length) }

  /// Prepares a thing, and returns what begins it.
  func begin(_ thing: LateTests.Thing, _ end: @escaping () -> Void) -> () -> Void {
    let (loop, length) = (loop, length)
    let forever = loop.sleep(for: .untilCancelled)
    switch thing {
    case .sleep: return { loop.sleep(for: length) { _ in end() } }
    case .quietSleep: return { _ = loop.sleepQuietly(for: length) { _ in end() } }
    case .sleepOfATask: return task(end) { try await loop.sleep(for: length).value }
    case .clock: return task(end) { try await loop.clock.sleep(for: length) }
    case .timer:
      let timer = try? LoopTimer(loop)
      kept.append(timer as Any)
      return { try? timer?.start(after: length) { end() } }
    case .timeout: return { forever.timeout(after: length).start { _ in end() } }
    case .timeoutOfATask: return task(end) { try await forever.timeout(after: length).value }
    case .deadline: return task(end) { try await loop.withDeadline(length) { try await forever.value } }
    case .tick, .secondTick:
      var rest = thing.factor
      return {
        loop.ticks(every: length).start { _ in
          rest -= 1
          if rest == 0 { end() }
        }
      }
    case .retry:
      let policy = RetryPolicy(attempts: 2, backoff: .constant(length))
      let failing = Request<Void>(loop) { done in
        loop.queueMicrotask { done(.failure(UVError(.noSuchFile, operation: "test"))) }
        return PendingRequest()
      }
      return { failing.retry(policy).start { _ in end() } }
    case .lease:
      var limits = PoolLimits()
      limits.wait = length
      let pool = Pool<Resource>(loop, limits: limits) {
        try await loop.sleep(for: .untilCancelled).value
        return Resource(loop) {}
      }
      kept.append(pool)
      return { pool.lease { _ in end() } }
    case .idleResource:
      var limits = PoolLimits()
      limits.idle = length
      let pool = Pool<Resource>(loop, limits: limits) { Resource(loop, end) }
      var lease: PoolLease<Resource>?
      pool.lease { lease = try? $0.get() }
      kept.append(pool)
      return { lease.take()?.giveBack() }
    case .readTimeout, .idleTimeout, .totalTimeout:
      var pair: [Int32] = [0, 0]
      socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &pair)
      guard let stream = try? loop.pipes.open(fileDescriptor: pair[0]),
        let other = try? loop.pipes.open(fileDescriptor: pair[1])
      else { return {} }
      kept.append(other)
      return {
        if thing == .readTimeout { stream.readTimeout = length }
        if thing == .idleTimeout { stream.idleTimeout = length }
        if thing == .totalTimeout { stream.totalTimeout = length }
        stream.next { _ in end() }
      }
    case .promiseAfter: return { after(length).done { end() } }
    case .promiseTimeout:
      return { forever.promise().timeout(after: length).catch(policy: .allErrors) { _ in end() } }
    case .promiseDelay: return { Promise<Int>.value(1).delay(length).done { _ in end() }.cauterize() }
    case .publisherDelay: return subscribe(end) { Just(1).delay(for: .init(length), scheduler: loop) }
    case .publisherDebounce:
      let subject = PassthroughSubject<Int, Never>()
      let begin = subscribe(end) { subject.debounce(for: .init(length), scheduler: loop) }
      return {
        begin()
        subject.send(1)
      }
    case .schedule:
      return {
        let now: EventLoop.SchedulerTimeType = loop.now
        loop.schedule(after: now.advanced(by: .init(length))) { end() }
      }
    }
  }

  private func task(
    _ end: @escaping () -> Void, _ body: nonisolated(nonsending) @escaping () async throws -> Void
  ) -> () -> Void {
    let loop = loop
    return {
      loop.spawn {
        try? await body()
        end()
      }
    }
  }

  private func subscribe<P: Publisher>(_ end: @escaping () -> Void, _ make: @escaping () -> P) -> () -> Void
  where P.Failure == Never {
    { [self] in kept.append(make().sink { _ in end() }) }
  }

  private final class Resource: PoolResource {
    private let loop: EventLoop
    private let closed: () -> Void

    var isReusable: Bool { true }

    init(_ loop: EventLoop, _ closed: @escaping () -> Void) { (self.loop, self.closed) = (loop, closed) }

    func close() -> Request<Void> {
      closed()
      return loop.sleep(for: .zero)
    }
  }
}
#endif
