import Testing
import UV
import UVTestSupport

/// What a loop's lag says of the waits of events, beside a model: turns of drawn lengths, and an event at any moment.
@Suite struct LagModelTests {
  @Test func `The waits of events are those of the turns that there were`() async throws {
    try await withLoop { loop in
      try loop.configure(.lag)
      try await loop.sleep(for: .milliseconds(1)).value
      var generator = SystemRandomNumberGenerator()
      for _ in 0..<40 {
        spin(for: .microseconds(Int.random(in: 1...4000, using: &generator)))
        try await loop.sleep(for: .zero).value
      }
      let lag = loop.lag
      var turns: [(length: Double, count: Double)] = []
      lag.forEachLength { turns.append((Double($0), Double($1))) }
      let elapsed = max(lag.elapsedTime, lag.busyTime) / .nanoseconds(1)
      // The lengths are known to a sixteenth; those here are the most that they may be.
      let mean = turns.reduce(0) { $0 + $1.count * $1.length * $1.length / 2 } / elapsed
      #expect(0.85...1.01 ~= lag.waitMean / .nanoseconds(1) / mean, "\(lag.waitMean), not \(mean)")
      let squares = turns.reduce(0) { $0 + $1.count * $1.length * $1.length * $1.length / 3 } / elapsed
      let deviation = (squares - mean * mean).squareRoot()
      #expect(0.85...1.15 ~= lag.waitStandardDeviation / .nanoseconds(1) / deviation)
      for percent in [50, 90, 99, 99.9] {
        let wait = lag.waitPercentile(percent) / .nanoseconds(1)
        // The share of moments at which an event waits longer.
        func share(_ wait: Double) -> Double {
          turns.reduce(0) { $0 + $1.count * max(0, $1.length - wait) } / elapsed
        }
        #expect(share(wait * 1.1 + 1000) <= 1 - percent / 100 + 0.001, "\(percent) %: \(wait)")
        #expect(share(wait * 0.9) >= min(1 - percent / 100, share(0)) - 0.001, "\(percent) %: \(wait)")
      }
    }
  }

  @Test func `What was measured since an earlier value is what adds up with it`() async throws {
    try await withLoop { loop in
      try loop.configure(.lag)
      func measure(_ lengths: [Int]) async throws -> LoopLag {
        for length in lengths {
          spin(for: .microseconds(length))
          try await loop.sleep(for: .zero).value
        }
        return loop.lag
      }
      let earlier = try await measure([100, 3000, 100])
      let later = try await measure([200, 200, 4000, 400])
      let rest = later.since(earlier)
      #expect(rest.count == later.count - earlier.count && rest.busyTime == later.busyTime - earlier.busyTime)
      #expect(rest.elapsedTime == later.elapsedTime - earlier.elapsedTime)
      // On a busy machine the longest turn may be an earlier one.
      #expect(later.max > earlier.max ? rest.max == later.max : rest.max <= later.max)
      let sum = earlier + rest
      #expect(
        sum.count == later.count && sum.elapsedTime == later.elapsedTime
          && sum.percentile(90) == later.percentile(90))
      // Without a longer turn since, the longest is that of the rest.
      let last = try await measure([100, 100])
      let quiet = last.since(later)
      var lengths: [UInt64] = []
      quiet.forEachLength { length, _ in lengths.append(length) }
      let longest = try #require(lengths.last)
      #expect(quiet.max <= .nanoseconds(min(longest, UInt64(last.max / .nanoseconds(1)))))
      #expect(quiet.max >= .nanoseconds(longest) * 0.96 || quiet.max == last.max)
      // A loop that has begun anew, and a value of nothing.
      #expect(earlier.since(later).count == earlier.count && later.since(LoopLag()).count == later.count)
    }
  }

  @Test func `Where a loop mostly waits, most events don't`() async throws {
    try await withLoop { loop in
      try loop.configure(.lag)
      // The machine may be busy, and the turns long: then the loop waits for longer.
      for milliseconds in [50, 500, 5000] {
        loop.resetLag()
        try await loop.sleep(for: .milliseconds(milliseconds)).value
        try await loop.sleep(for: .zero).value
        if loop.lag.utilization < 0.4 { break }
      }
      let lag = loop.lag
      for percent in [-1.0, 0, 1, 10, 50] { #expect(lag.waitPercentile(percent) == .zero) }
      #expect(lag.waitPercentile(100) <= lag.max && lag.waitPercentile(100) > .zero)
    }
  }

  private func spin(for duration: Duration) {
    let end = LoopClock.Instant.now.advanced(by: duration)
    while LoopClock.Instant.now < end {}
  }
}
