import Testing
import UV
import UVTestSupport

@Suite struct TimerTests {
  @Test func aSleepIsNotEarly() async throws {
    try await withLoop { loop in
      for nanoseconds in [1, 999_999, 1_000_000, 1_000_001, 7_300_000] {
        let start = loop.clock.now
        try await loop.sleep(for: .nanoseconds(nanoseconds)).value
        #expect(start.duration(to: loop.clock.now) >= .nanoseconds(nanoseconds))
      }
    }
  }

  @Test("A sleep of a second can be started and cancelled before a run, between runs and after the shutdown")
  func longSleepsOutsideCallbacks() async throws {
    try await withThread {
      let loop = try EventLoop()
      let log = Log<Int>()
      loop.sleep(for: .untilCancelled) { _ in log.append(1) }.cancel()
      let before = loop.sleep(for: .untilCancelled) { _ in log.append(2) }
      try loop.runCallbacks { loop in
        loop.queueMicrotask { before.cancel() }
        let other = loop.sleep(for: .untilCancelled) { _ in log.append(3) }
        // A check within the callback that starts the timer sees it.
        #expect(loop.isAlive)
        #expect(loop.backendTimeout != nil)
        other.cancel()
      }
      #expect(log.values == [1, 3, 2])
      // A body that throws leaves its timer to the next run.
      #expect(throws: UVError(.busy, operation: "body")) {
        try loop.runCallbacks { loop throws(UVError) in
          loop.sleep(for: .untilCancelled) { _ in log.append(4) }
          throw UVError(.busy, operation: "body")
        }
      }
      #expect(loop.backendTimeout.map { $0 > .zero && $0 <= .untilCancelled } == true)
      loop.shutdown()
      #expect(log.values == [1, 3, 2, 4])
    }
  }

  @Test func sleepsEndInOrderAcrossTheWheelsLevels() async throws {
    let log = Log<Int>()
    let delays = (0..<2000).map { ($0 * 7919) % 613 }
    try await withCallbackLoop { loop in
      for (index, delay) in delays.enumerated() {
        loop.sleep(for: .milliseconds(delay + 1)) { _ in log.append(index) }
      }
    }
    let expected = delays.indices.sorted { (delays[$0], $0) < (delays[$1], $1) }
    #expect(log.values.count == delays.count)
    // Starting them takes a while, so neighbours in time may lie in either order; equal ones started together
    // do not.
    let places = Dictionary(uniqueKeysWithValues: log.values.enumerated().map { ($1, $0) })
    for (a, b) in zip(expected, expected.dropFirst()) where delays[a] == delays[b] {
      #expect(places[a]! < places[b]!)
    }
  }

  @Test func zeroLetsInputIn() async throws {
    try await withLoop { loop in
      let listener = try loop.tcp.listen(host: "127.0.0.1", port: 0)
      var isAccepted = false
      let server = loop.spawn { () async throws(UVError) in
        _ = try await listener.accept().value
        isAccepted = true
      }
      let client = try await loop.tcp.connect(to: listener.localAddress()).value
      var turns = 0
      while !isAccepted, turns < 1000 {
        try await loop.sleep(for: .zero).value
        turns += 1
      }
      #expect(isAccepted)
      try await server.value
      client.close()
      listener.close()
    }
  }

  @Test func cancellingASleep() async throws {
    let log = Log<UVError.Code?>()
    try await withCallbackLoop { loop in
      let pending = loop.sleep(for: .untilCancelled) { result in
        log.append(result.error?.code)
      }
      pending.cancel()
      pending.cancel()
      #expect(log.values.isEmpty)
      loop.sleep(for: .milliseconds(2)) { _ in log.append(nil) }
    }
    #expect(log.values == [.cancelled, nil])
  }

  @Test func `A sleep that is cancelled beside others that end keeps nothing running`() async throws {
    let log = Log<Bool>()
    try await withCallbackLoop { loop in
      var long = PendingRequest()
      loop.sleep(for: .zero) { _ in long.cancel() }
      loop.sleep(for: .zero) { _ in }
      long = loop.sleep(for: .untilCancelled) { log.append($0.error?.isCancelled == true) }
    }
    #expect(log.values == [true])
  }

  @Test("A sleep that is started when the last one was cancelled ends in time, whichever is longer")
  func oneAfterAnother() async throws {
    try await withLoop { loop in
      for (first, second) in [(1_000_000, 3), (2, 5), (3, 3)] {
        loop.sleep(for: .milliseconds(first)) { _ in }.cancel()
        let start = loop.clock.now
        try await loop.sleep(for: .milliseconds(second)).value
        #expect(start.duration(to: loop.clock.now) >= .milliseconds(second))
        #expect(loop.statistics.timers == 0)
      }
    }
  }

  @Test("A request that ends within its limit leaves no timer, and the loop doesn't wait for the limit")
  func limitNotReached() async throws {
    let log = Log<Int>()
    try await withCallbackLoop { loop in
      let request = Request<Int>(loop) { done in
        loop.queueMicrotask { done(.success(7)) }
        return PendingRequest()
      }
      request.timeout(after: .seconds(1_000_000)).start { result in
        log.append((try? result.get()) ?? 0)
        log.append(loop.statistics.timers)
      }
      request.timeout(after: .seconds(1_000_000)).map { $0 + 1 }.start { log.append((try? $0.get()) ?? 0) }
    }
    #expect(log.values == [7, 1, 8])
  }

  @Test func `Cancelling a request with a limit ends it once, with the error of its work`() async throws {
    let log = Log<UVError?>()
    try await withCallbackLoop { loop in
      let pending = loop.sleep(for: .seconds(1000)).timeout(after: .seconds(2000)).start {
        log.append($0.error)
      }
      pending.cancel()
      pending.cancel()
      #expect(loop.statistics.timers == 0)
    }
    #expect(log.values.map { $0?.code } == [.cancelled])
    #expect(log.values.first??.operation == "sleep")
  }

  @Test func aVeryLongSleepCanBeCancelled() async throws {
    try await withLoop { loop in
      for seconds in [3600, 86400 * 365 * 100, Int.max] {
        let task = loop.spawn { () async throws(UVError) in
          try await loop.sleep(for: .seconds(seconds)).value
        }
        try await loop.sleep(for: .zero).value
        task.cancel()
        await expectError(.cancelled, of: try await task.value)
      }
    }
  }

  @Test func aTimeoutEndsARequest() async throws {
    try await withLoop { loop in
      let slow = loop.sleep(for: .untilCancelled).timeout(after: .milliseconds(2))
      await expectError(.timedOut, of: try await slow.value)
      let atOnce = loop.sleep(for: .untilCancelled).timeout(after: .zero)
      await expectError(.timedOut, of: try await atOnce.value)
      try await loop.sleep(for: .milliseconds(1)).timeout(after: .seconds(100)).value
    }
  }

  @Test func ticksTellWhatWasMissed() async throws {
    try await withLoop { loop in
      let ticks = loop.ticks(every: .milliseconds(2))
      var iterator = ticks.makeAsyncIterator()
      // A machine that is busy elsewhere may miss the first.
      let first = try #require(try await iterator.next())
      #expect(first.index == first.missed)
      try await loop.sleep(for: .milliseconds(9)).value
      let late = try #require(try await iterator.next())
      #expect(late.missed >= 3)
      #expect(late.index == first.index + 1 + late.missed)
      let next = try #require(try await iterator.next())
      #expect(next.index == late.index + 1 + next.missed)
    }
  }

  @Test func ticksWithAHandlerGoOnUntilTheyAreStopped() async throws {
    let log = Log<Int>()
    try await withCallbackLoop { loop in
      let ticks = loop.ticks(every: .milliseconds(1))
      ticks.start { result in
        log.append(try! result.get()!.index)
        if log.values.count == 5 { ticks.stop() }
      }
    }
    #expect(log.values.count == 5)
    #expect(log.values == log.values.sorted())
  }

  @Test func theTimerHandleRepeatsAndStops() async throws {
    let log = Log<Int>()
    try await withCallbackLoop { loop in
      let timer = try LoopTimer(loop)
      #expect(timer.dueIn == .zero)
      #expect(throws: UVError(.invalidArgument, operation: "timer_again")) { try timer.again() }
      try timer.start(after: .milliseconds(1), repeating: .milliseconds(1)) {
        log.append(log.values.count)
        if log.values.count == 3 { timer.close() }
      }
      #expect(timer.repeatInterval == .milliseconds(1))
      #expect(timer.isActive)
      #expect(timer.dueIn > .zero)
    }
    #expect(log.values == [0, 1, 2])
  }

  @Test(arguments: [1, 10_000, 281_474_976_710_655, Int64.max / 1_000_000])
  func theTimerHandleReportsItsTimesExactly(milliseconds: Int64) async throws {
    try await withCallbackLoop { loop in
      let timer = try LoopTimer(loop)
      let time = Duration.milliseconds(milliseconds)
      try timer.start(after: time, repeating: time) {}
      #expect(timer.dueIn == time)
      #expect(timer.repeatInterval == time)
      try timer.again()
      #expect(timer.dueIn == time)
      timer.repeatInterval = time + .milliseconds(1)
      #expect(timer.repeatInterval == time + .milliseconds(1))
      timer.close()
    }
  }

  @Test func theTimerHandleFiresWithoutAnybodyHoldingIt() async throws {
    let log = Log<Int>()
    try await withCallbackLoop { loop in
      try LoopTimer(loop).start(after: .milliseconds(1)) { log.append(1) }
    }
    #expect(log.values == [1])
  }

  @Test func theClockSleepsFromAnyTask() async throws {
    let clock = try await withLoop { loop in
      let clock = loop.clock
      let task = Task.detached {
        let start = clock.now
        try await clock.sleep(for: .milliseconds(3))
        return start.duration(to: clock.now)
      }
      let elapsed = try await task.value
      #expect(elapsed >= .milliseconds(3))
      let cancelled = Task.detached { try await clock.sleep(for: .untilCancelled) }
      cancelled.cancel()
      await #expect(throws: CancellationError.self) { try await cancelled.value }
      return clock
    }
    await #expect(throws: CancellationError.self) { try await clock.sleep(for: .zero) }
  }

  @Test(
    "A sleep on the loop's clock that its task, or the loop's end, cuts short throws what every Clock throws")
  func aSleepThatIsCutShort() async throws {
    let sleeper = try await withThread {
      let loop = try EventLoop()
      defer { loop.shutdown() }
      return try loop.run { loop in
        let clock = loop.clock
        let task = loop.spawn { () async throws in try await clock.sleep(for: .untilCancelled) }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        let sleeper = Task.detached { try await clock.sleep(for: .untilCancelled) }
        try await loop.until { loop.statistics.timers != 0 }
        loop.stop()
        return sleeper
      }
    }
    await #expect(throws: CancellationError.self) { try await sleeper.value }
  }

  @Test func `A limit on a request that ends as it starts leaves no timer behind`() async throws {
    try await withLoop { loop in
      let request = Request<Int>(loop) { done in
        done(.success(1))
        return PendingRequest()
      }
      let value = try await request.timeout(after: .seconds(3600)).value
      #expect(value == 1)
    }
  }

  @Test func `A timer that has been stopped goes with the one who holds it`() async throws {
    try await withLoop { loop in
      weak var left: LoopTimer?
      do {
        let timer = try LoopTimer(loop)
        left = timer
        try timer.start(after: .seconds(1000)) {}
        timer.stop()
      }
      #expect(left == nil)
    }
  }

  @Test("A timer that has fired lets its handler go, and is not started again without one")
  func aTimerThatHasFired() async throws {
    final class Token {}
    try await withLoop { loop in
      weak var kept: Token?
      let timer = try LoopTimer(loop)
      let fired = Log<Int>()
      do {
        let token = Token()
        kept = token
        try timer.start(after: .milliseconds(1)) { [token] in
          _ = token
          fired.append(1)
        }
      }
      try await loop.until { !fired.values.isEmpty }
      #expect(kept == nil)
      timer.repeatInterval = .milliseconds(1)
      #expect(throws: UVError.self) { try timer.again() }
      try timer.start(after: .milliseconds(1), repeating: .milliseconds(1)) { fired.append(2) }
      timer.stop()
      #expect(throws: UVError.self) { try timer.again() }
      #expect(!timer.isActive)
      timer.close()
    }
  }

  @Test func `A handler that stops and starts a ticker is called once for each tick`() async throws {
    let log = Log<Int>()
    try await withCallbackLoop { loop in
      let ticks = loop.ticks(every: .milliseconds(2))
      // That the program ends shows that no tick is left; this one is never due.
      let never = loop.ticks(every: .seconds(Int64.max))
      never.start { _ in log.append(-1) }
      func again(_ result: Result<Tick?, UVError>) {
        guard case .success(let tick?) = result else { return }
        log.append(tick.index)
        ticks.stop()
        if log.values.count < 5 { ticks.start(again) } else { never.stop() }
      }
      ticks.start(again)
    }
    #expect(log.values.count == 5)
    #expect(log.values == log.values.sorted() && Set(log.values).count == 5 && !log.values.contains(-1))
  }

  @Test func `Durations of any size are taken`() async throws {
    try await withLoop { loop in
      for duration in [Duration.seconds(Int64.max) * 2, .seconds(Int64.min) * 2, .nanoseconds(Int64.max)] {
        let task = loop.spawn { () async throws(UVError) in try await loop.sleep(for: duration).value }
        try await loop.sleep(for: .zero).value
        task.cancel()
        _ = try? await task.value
      }
    }
  }
}
