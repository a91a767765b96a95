import Testing

@testable import UV

/// What a lag says of turns whose lengths are known, beside a list of them.
@Suite struct LagFigureTests {
  private func lag(_ lengths: [UInt64], elapsed: UInt64? = nil) -> LoopLag {
    var buckets = [UInt64](repeating: 0, count: LagMeter.bucketCount)
    for length in lengths { buckets[LagMeter.index(of: length)] += 1 }
    let sum = lengths.reduce(0, +)
    return LoopLag(
      buckets: buckets, count: UInt64(lengths.count), sum: sum, longest: lengths.max() ?? 0,
      elapsed: elapsed ?? sum * 2)
  }

  /// The shortest of the lengths that as many turns as are asked for don't exceed.
  private func percentile(_ percent: Double, of lengths: [UInt64]) -> UInt64 {
    let sorted = lengths.sorted()
    let wanted = Double(lengths.count) * min(max(percent, 0), 100) / 100
    return sorted.first { length in Double(sorted.count { $0 <= length }) >= wanted } ?? 0
  }

  @Test(arguments: [1, 2, 3, 7, 10, 99, 100, 101, 200])
  func `So many of a hundred turns took at most that long, however few there are`(count: Int) {
    // Each is in a bucket of its own.
    let lengths = (0..<count).map { UInt64(Double(1000 + $0) * (1 + Double($0) / 8)) }
    for rotation in [0, count / 2] {
      let all = Array(lengths[rotation...] + lengths[..<rotation])
      let lag = lag(all)
      for percent in [
        -5, 0, 0.1, 1, 10, 33.3, 49.9, 50, 50.1, 66.7, 75, 90, 95, 98.9, 99, 99.1, 99.9, 100, 200,
      ] {
        let found = lag.percentile(percent)
        let exact = Duration.nanoseconds(percentile(percent, of: all))
        #expect(exact <= found && found <= exact * 1.04 + .nanoseconds(64), "\(percent) % of \(count)")
        #expect(found <= lag.max)
      }
      #expect(lag.percentile(100) == lag.max && lag.max == .nanoseconds(all.max()!))
    }
  }

  @Test func `One turn among few that takes long is what ninety-nine of a hundred don't exceed`() {
    for count in [2, 10, 50, 99] {
      let lag = lag(Array(repeating: 1000, count: count - 1) + [50_000_000])
      #expect(lag.percentile(99) == .milliseconds(50) && lag.percentile(100) == .milliseconds(50))
      #expect(lag.percentile(50) < .microseconds(2))
    }
    // Of a hundred and more it isn't.
    for count in [100, 1000] {
      #expect(lag(Array(repeating: 1000, count: count - 1) + [50_000_000]).percentile(99) < .microseconds(2))
    }
  }

  @Test func `Each length is in the bucket whose bounds are around it, within 3 %`() {
    for power in 0..<43 {
      for part in [UInt64(0), 1, 31, 32, 33, 63] {
        let length = UInt64(1) << UInt64(power) + part << UInt64(max(0, power - 6))
        let index = LagMeter.index(of: length)
        if index == LagMeter.bucketCount - 1 { continue }
        let (low, high) = (LagMeter.lowerBound(of: index), LagMeter.lowerBound(of: index + 1))
        #expect(low <= length && length < high, "\(length) ns")
        #expect(high - low <= max(64, low / 32 + 1), "\(length) ns")
      }
    }
    for index in 1..<LagMeter.bucketCount {
      let low = LagMeter.lowerBound(of: index)
      #expect(LagMeter.index(of: low) == index && LagMeter.index(of: low - 1) == index - 1)
    }
    #expect(LagMeter.index(of: .max) == LagMeter.bucketCount - 1)
  }

  @Test func `Counts, mean, sum and utilization are those of the turns, also of several loops together`() {
    let (a, b) = ([UInt64(1000), 3000, 8000], [UInt64(500), 500_000])
    let (first, second) = (lag(a, elapsed: 20_000), lag(b, elapsed: 600_000))
    #expect(first.count == 3 && first.mean == .nanoseconds(4000) && first.busyTime == .nanoseconds(12_000))
    #expect(
      first.max == .nanoseconds(8000) && first.elapsedTime == .nanoseconds(20_000) && first.utilization == 0.6
    )
    let sum = first + second
    #expect(sum == second + first && sum == lag(a + b, elapsed: 620_000))
    var added = LoopLag()
    added += first
    added += second
    added += LoopLag()
    #expect(added == sum && LoopLag() + first == first)
    // What was measured since is the rest.
    let rest = sum.since(first)
    #expect(rest.count == 2 && rest.busyTime == second.busyTime && rest.elapsedTime == second.elapsedTime)
    #expect(rest.max == second.max)
    #expect(sum.since(second).max >= first.max && sum.since(second).max <= first.max * 1.04)
    // A loop that runs for longer than it was measured is busy all the time, and not more.
    #expect(lag(a, elapsed: 1000).utilization == 1)
  }

  @Test func `The waits of events are those of two kinds of turns, worked out by hand`() {
    // Ten turns of 64 µs and one of 6.4 ms in 10 ms.
    let lag = lag(Array(repeating: 64_000, count: 10) + [6_400_000], elapsed: 10_000_000)
    let mean: Double = (20_480 + 20_480_000) / 10_000
    #expect(abs(lag.waitMean / .microseconds(1) - mean) < mean * 0.04)
    // Half of the events come while a turn of the long kind has more than 1400 µs left.
    #expect(abs(lag.waitPercentile(50) / .microseconds(1) - 1400) < 1400 * 0.2)
    #expect(lag.waitPercentile(100) <= lag.max && lag.waitPercentile(100) >= lag.max * 0.96)
    #expect(lag.waitPercentile(20) == .zero && lag.waitPercentile(-1) == .zero)
    #expect(lag.waitPercentile(90) < lag.waitPercentile(99))
  }
}
