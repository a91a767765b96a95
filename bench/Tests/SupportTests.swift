import CBenchSupport
import Testing

@testable import BenchHarness

/// What rows in C and Swift share.
@Suite struct SupportTests {
  @Test(arguments: [0, 1, 2047, 2048, 4095, 4096, 1_234_567, 999_999_999, 59_999_999_999] as [UInt64])
  func bucketsAreThoseOfHdrHistogram(value: UInt64) throws {
    let index = bench_latency_index(value)
    let lowest = bench_latency_value(index)
    #expect(lowest <= value)
    #expect(index + 1 == UInt32(BENCH_LATENCY_COUNTS) || bench_latency_value(index + 1) > value)
    // Both ends of the bucket are equivalent to the other histogram too.
    var histogram = LatencyHistogram()
    histogram.record(value)
    histogram.record(lowest)
    #expect(histogram.sparse.values.count == 1)
  }

  @Test func whatIsTooLongGoesIntoTheLastBucket() {
    #expect(bench_latency_index(.max) == UInt32(BENCH_LATENCY_COUNTS) - 1)
  }

  /// Starts three timers with these deadlines, fires in this order at these times, and
  /// returns what the ledger says.
  private func ledger(
    deadlines: [UInt64], fires: [(index: UInt32, at: UInt64)]
  ) throws -> String? {
    let latencies = try #require(bench_latency_create())
    defer { bench_latency_destroy(latencies) }
    let ledger = try #require(bench_timer_ledger_create(deadlines.count, latencies))
    defer { bench_timer_ledger_destroy(ledger) }
    for (index, deadline) in deadlines.enumerated() {
      bench_timer_started(ledger, UInt32(index), 0, deadline)
    }
    for fire in fires { bench_timer_fired(ledger, fire.index, fire.at) }
    var checksum: UInt64 = 0
    return bench_timer_ledger_check(ledger, &checksum).map { String(cString: $0) }
  }

  @Test func timersThatFireAsTheyShould() throws {
    #expect(try ledger(deadlines: [5, 3, 5], fires: [(1, 3), (0, 5), (2, 9)]) == nil)
  }

  @Test func timersThatDoNot() throws {
    let deadlines: [UInt64] = [5, 3, 5]
    #expect(
      try ledger(deadlines: deadlines, fires: [(1, 2), (0, 5), (2, 5)]) == "a timer fired early")
    #expect(try ledger(deadlines: deadlines, fires: [(1, 3), (0, 5)]) == "a timer did not fire")
    for fires in [[(1, 3), (1, 3), (0, 5)], [(1, 3), (0, 5), (2, 5), (2, 5)]] as [[(UInt32, UInt64)]] {
      #expect(
        try ledger(deadlines: deadlines, fires: fires.map { (index: $0.0, at: $0.1) })
          == "a timer fired more than once")
    }
    #expect(
      try ledger(deadlines: deadlines, fires: [(0, 5), (1, 5), (2, 5)])
        == "timers fired out of the order of their deadlines")
    #expect(
      try ledger(deadlines: deadlines, fires: [(1, 3), (2, 5), (0, 5)])
        == "equal deadlines fired out of order")
  }

  @Test func thePayloadFollowsFromTheSeed() {
    var one = [UInt8](repeating: 0, count: 1001)
    var two = one
    bench_fill(&one, one.count, 7)
    bench_fill(&two, two.count, 7)
    #expect(one == two)
    #expect(bench_hash(one, one.count) == bench_hash(two, two.count))
    two[1000] ^= 1
    #expect(bench_hash(one, one.count) != bench_hash(two, two.count))
    bench_fill(&two, two.count, 8)
    #expect(one != two)
  }
}
