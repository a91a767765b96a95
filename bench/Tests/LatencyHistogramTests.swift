import Testing

@testable import BenchHarness

@Suite struct LatencyHistogramTests {
  @Test(arguments: [(19, nil), (20, 10)] as [(UInt64, UInt64?)])
  func aPercentileNeedsTenSamplesBeyondIt(samples: UInt64, median: UInt64?) {
    var histogram = LatencyHistogram()
    for value in 1...samples { histogram.record(value) }
    #expect(histogram.percentile(50) == median)
    #expect(histogram.max == samples)
  }

  @Test func tailsAppearWhenThereAreEnough() {
    var histogram = LatencyHistogram()
    histogram.record(100, count: 999)
    #expect(histogram.percentile(99) == nil)
    histogram.record(100)
    #expect(histogram.percentile(99) == 100)
    #expect(histogram.percentile(99.9) == nil)
    histogram.record(100, count: 9000)
    #expect(histogram.percentile(99.9) == 100)
  }

  @Test func nothingRecordedSaysNothing() {
    #expect(LatencyHistogram().summary == LatencySummary())
    #expect(LatencyHistogram().mean == nil)
  }

  @Test func threeDigitsAreKept() throws {
    var histogram = LatencyHistogram()
    histogram.record(1_234_567, count: 100)
    let median = try #require(histogram.percentile(50))
    #expect(abs(Double(median) - 1_234_567) / 1_234_567 < 0.001)
  }

  @Test func whatTakesTooLongCountsAsAMinute() {
    var histogram = LatencyHistogram()
    histogram.record(.max)
    #expect(histogram.max == 60_000_000_000)
    #expect(histogram.count == 1)
  }

  @Test func travellingLosesNothing() throws {
    var histogram = LatencyHistogram()
    for value: UInt64 in [0, 1, 999, 2047, 2048, 5_000_001, 59_000_000_000] {
      histogram.record(value, count: value % 7 + 1)
    }
    let text = histogram.sparse.rawValue
    let arrived = LatencyHistogram(try #require(SparseHistogram(rawValue: text)))
    #expect(arrived.count == histogram.count)
    #expect(arrived.max == histogram.max)
    #expect(arrived.sparse == histogram.sparse)
  }

  @Test(arguments: ["1", "1:", "x:1", "1:2:3", "1:-2"])
  func whatIsNoHistogramIsRefused(text: String) {
    #expect(SparseHistogram(rawValue: text) == nil)
  }

  @Test func mediansOfSummariesGoPercentileByPercentile() {
    let summaries = [3, 1, 2].map { LatencySummary(p50: $0, p90: $0 == 1 ? nil : 9, max: $0 * 10) }
    #expect(LatencySummary.median(summaries) == LatencySummary(p50: 2, max: 20))
  }
}
