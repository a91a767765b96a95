import Testing
import UV
import UVTestSupport

/// How long a loop's turns take, as the loop itself reports.
@Suite struct LagTests {
  /// Keeps the loop's thread busy.
  private func spin(for duration: Duration) {
    let end = LoopClock.Instant.now.advanced(by: duration)
    while LoopClock.Instant.now < end {}
  }

  @Test func aLoopThatIsNotAskedMeasuresNothing() async throws {
    try await withLoop { loop in
      try await loop.sleep(for: .milliseconds(1)).value
      #expect(loop.lag == LoopLag())
      #expect(loop.lag.percentile(99) == .zero)
      #expect(loop.lag.waitPercentile(99) == .zero)
      #expect(loop.lag.mean == .zero)
    }
  }

  @Test func aTurnThatTakesLongIsTheLongest() async throws {
    try await withLoop { loop in
      try loop.configure(.lag)
      try await loop.sleep(for: .milliseconds(1)).value
      spin(for: .milliseconds(40))
      // On a busy machine a short turn may take long, too, but not each of these.
      for _ in 0..<50 { try await loop.sleep(for: .zero).value }
      let lag = loop.lag
      #expect(lag.max >= .milliseconds(40))
      #expect(lag.percentile(100) == lag.max)
      #expect(lag.percentile(0) < .milliseconds(40))
      #expect(lag.count >= 2)
      #expect(lag.busyTime >= .milliseconds(40))
      #expect(lag.mean >= lag.busyTime / lag.count - .nanoseconds(1))
      #expect(lag.elapsedTime >= lag.busyTime)
    }
  }

  @Test("An event waits half of a turn on average, and what is measured later is kept apart")
  func waits() async throws {
    try await withLoop { loop in
      #expect(LoopLag().waitMean == .zero && LoopLag().waitStandardDeviation == .zero)
      #expect(LoopLag().utilization == 0)
      try loop.configure(.lag)
      try await loop.sleep(for: .milliseconds(1)).value
      spin(for: .milliseconds(40))
      try await loop.sleep(for: .milliseconds(1)).value
      let lag = loop.lag
      #expect(lag.waitMean > .zero && lag.waitMean <= lag.max / 2)
      #expect(lag.waitStandardDeviation > .zero && lag.waitStandardDeviation <= lag.max)
      #expect(lag.utilization == lag.busyTime / lag.elapsedTime)
      try await loop.sleep(for: .milliseconds(1)).value
      let later = loop.lag.since(lag)
      #expect(later.count > 0 && later.count + lag.count == loop.lag.count)
      #expect(later.busyTime + lag.busyTime == loop.lag.busyTime)
      #expect(later.max <= loop.lag.max)
      #expect(lag.since(lag).max == .zero && lag.since(lag).count == 0)
      // It has begun anew since.
      loop.resetLag()
      let anew = loop.lag
      #expect(anew.since(lag) == anew)
    }
  }

  @Test func theTimeThatALoopWaitsForEventsIsNoLag() async throws {
    try await withLoop { loop in
      try loop.configure(.lag)
      try await loop.sleep(for: .milliseconds(1)).value
      loop.resetLag()
      let waited = ContinuousClock().now
      try await loop.sleep(for: .milliseconds(200)).value
      let elapsed = ContinuousClock().now - waited
      try await loop.sleep(for: .zero).value
      #expect(loop.lag.elapsedTime >= elapsed)
      // A machine that has other work makes turns longer, but not by the time of the sleep.
      #expect(loop.lag.elapsedTime - loop.lag.busyTime >= .milliseconds(100))
    }
  }

  @Test func aResetReturnsWhatWasMeasuredAndBeginsAnew() async throws {
    try await withLoop { loop in
      try loop.configure(.lag)
      try await loop.sleep(for: .milliseconds(1)).value
      spin(for: .milliseconds(20))
      try await loop.sleep(for: .milliseconds(1)).value
      let before = loop.lag.count
      #expect(loop.resetLag().count == before)
      #expect(loop.lag.count == 0)
      #expect(loop.lag.max == .zero)
      try await loop.sleep(for: .milliseconds(1)).value
      #expect(loop.lag.count > 0)
    }
  }

  @Test func turnsOfOneAfterTheOtherRunAreMeasured() async throws {
    try await withThread {
      let loop = try EventLoop()
      defer { loop.shutdown() }
      try loop.configure(.lag)
      // Between runs the loop has no turn.
      spin(for: .milliseconds(30))
      loop.runCallbacks { loop in loop.sleep(for: .milliseconds(1)) { _ in } }
      let first = loop.lag.count
      #expect(first > 0)
      #expect(try !loop.runNoWait())
      #expect(loop.lag.count > first)
    }
  }

  @Test func theLagOfAGroupIsThatOfItsLoops() async throws {
    let group = try EventLoopGroup(count: 2)
    for executor in group.executors {
      try await executor.submit { loop throws(UVError) in try loop.configure(.lag) }
    }
    for executor in group.executors {
      _ = try await executor.submit { _ in spin(for: .milliseconds(20)) }
      // The turn that has answered has ended by then.
      _ = try await executor.submit { _ in }
    }
    let lag = await group.lag()
    #expect(lag.busyTime >= .milliseconds(40))
    #expect(lag.max >= .milliseconds(20))
    #expect(await group.resetLag().count >= lag.count)
    try await withLoop { loop in _ = try await group.lag(on: loop).value }
    _ = await group.shutdownGracefully(within: .zero)
    #expect(await group.lag() == LoopLag())
  }

  @Test func lagIsAddedUp() async throws {
    let lags = try await withLoop { loop in
      try loop.configure(.lag)
      try await loop.sleep(for: .milliseconds(1)).value
      spin(for: .milliseconds(10))
      try await loop.sleep(for: .milliseconds(1)).value
      let first = loop.resetLag()
      try await loop.sleep(for: .milliseconds(1)).value
      return [first, loop.lag]
    }
    let sum = lags[0] + lags[1]
    #expect(sum.count == lags[0].count + lags[1].count)
    #expect(sum.busyTime == lags[0].busyTime + lags[1].busyTime)
    #expect(sum.max == max(lags[0].max, lags[1].max))
    #expect(sum.description.contains("\(sum.count) turns"))
  }
}
