import Histogram

/// Latencies in nanoseconds, from 1 ns to 60 s with three significant digits.
public struct LatencyHistogram: Sendable {
  private static let highest: UInt64 = 60_000_000_000
  private var histogram = Histogram<UInt64>(
    lowestDiscernibleValue: 1, highestTrackableValue: highest, numberOfSignificantValueDigits: .three)

  public init() {}

  /// Adds a latency, `count` times. What took longer than 60 s counts as 60 s.
  public mutating func record(_ nanoseconds: UInt64, count: UInt64 = 1) {
    histogram.record(min(nanoseconds, Self.highest), count: count)
  }

  mutating func add(_ other: LatencyHistogram) { histogram.add(other.histogram) }

  var count: UInt64 { histogram.totalCount }

  var max: UInt64? { count > 0 ? histogram.maxRecorded : nil }

  var mean: Double? { count > 0 ? histogram.mean : nil }

  /// The value at a percentile, or nil when fewer than ten samples lie beyond it: a
  /// percentile that hangs on a handful of samples says nothing about the next run.
  func percentile(_ percentile: Double) -> UInt64? {
    guard Double(count) * (100 - percentile) / 100 >= 10 - 1e-6 else { return nil }
    return histogram.valueAtPercentile(percentile)
  }

  var sparse: SparseHistogram {
    var sparse = SparseHistogram()
    for value in histogram.recordedValues() {
      sparse.values.append(min(value.value, histogram.maxRecorded))
      sparse.counts.append(value.count)
    }
    return sparse
  }

  /// The values by percentile, five for each halving of what is left above.
  var points: [(value: UInt64, share: Double, count: UInt64)] {
    histogram.percentiles(ticksPerHalfDistance: 5).map {
      ($0.value, $0.percentileLevelIteratedTo / 100, $0.totalCountToThisValue)
    }
  }

  /// The same in microseconds, as HdrHistogram's tools print and plot it (`.hgrm`).
  var distribution: String {
    var text = ""
    histogram.outputPercentileDistribution(to: &text, outputValueUnitScalingRatio: 1000)
    return text
  }

  var summary: LatencySummary {
    LatencySummary(
      p50: percentile(50), p90: percentile(90), p99: percentile(99), p999: percentile(99.9), max: max)
  }
}

/// The percentiles that are reported; nil where there were too few samples.
struct LatencySummary: Hashable, Codable, Sendable {
  var p50, p90, p99, p999, max: UInt64?

  enum CodingKeys: String, CodingKey {
    case p50, p90, p99, max
    case p999 = "p99_9"
  }

  /// Percentile by percentile, the median of several summaries; nil where one lacks it.
  static func median(_ summaries: [LatencySummary]) -> LatencySummary {
    func median(_ value: (LatencySummary) -> UInt64?) -> UInt64? {
      let values = summaries.compactMap(value)
      guard !values.isEmpty, values.count == summaries.count else { return nil }
      return UInt64(Statistics.median(values.map { Double($0) }).rounded())
    }
    return LatencySummary(
      p50: median(\.p50), p90: median(\.p90), p99: median(\.p99), p999: median(\.p999),
      max: median(\.max))
  }
}
