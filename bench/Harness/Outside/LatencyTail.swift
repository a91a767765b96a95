/// The slow end of latencies, as the gate judges it.
struct LatencyTail: Sendable {
  /// Latencies in nanoseconds, ascending, and how many there are of each.
  private var values: [(latency: Double, count: Double)]
  private let total: Double

  init(_ histogram: SparseHistogram) {
    self.init(zip(histogram.values, histogram.counts).map { (Double($0), Double($1)) })
  }

  private init(_ values: [(latency: Double, count: Double)]) {
    self.values = values
    total = values.reduce(0) { $0 + $1.count }
  }

  var isEmpty: Bool { total == 0 }

  /// The mean of the latencies around a percentile, half as far on each side as it is from 100: of 98.5 to 99.5 % for p99. A
  /// percentile itself is one latency. Where so many requests get slower as lie beyond it, it is by chance one of them or not.
  func mean(around percentile: Double) -> Double {
    let half = (100 - percentile) / 200
    let (first, last) = ((percentile / 100 - half) * total, (percentile / 100 + half) * total)
    var (sum, weight, passed) = (0.0, 0.0, 0.0)
    for (latency, count) in values {
      let inside = min(passed + count, last) - max(passed, first)
      if inside > 0 {
        sum += inside * latency
        weight += inside
      }
      passed += count
      if passed >= last { break }
    }
    return weight > 0 ? sum / weight : values.last?.latency ?? 0
  }

  /// The same latencies if a share of the requests, whichever, had taken longer.
  func delayed(_ share: Double, by nanoseconds: Double) -> LatencyTail {
    let (same, later) = (
      values.map { ($0.latency, $0.count * (1 - share)) },
      values.map { ($0.latency + nanoseconds, $0.count * share) }
    )
    var (merged, one, other): ([(latency: Double, count: Double)], Int, Int) = ([], 0, 0)
    merged.reserveCapacity(2 * values.count)
    while one < same.count || other < later.count {
      if other == later.count || one < same.count && same[one].0 <= later[other].0 {
        merged.append(same[one])
        one += 1
      } else {
        merged.append(later[other])
        other += 1
      }
    }
    return LatencyTail(merged)
  }
}

extension OutsideFigure {
  /// Of latencies: the percentile.
  var percentile: Double? {
    switch self {
    case .p50: 50
    case .p99: 99
    case .p999: 99.9
    case .cpu, .time, .memory: nil
    }
  }

  /// What two servers had at the same time; nil for too few requests.
  func sample(_ base: LatencyHistogram, _ head: LatencyHistogram) -> OutsideSample? {
    guard let percentile, let old = base.percentile(percentile), let new = head.percentile(percentile) else {
      return nil
    }
    guard percentile > 50 else { return OutsideSample(base: Double(old), head: Double(new)) }
    let tails = (base: base.sparse, head: head.sparse)
    var sample = OutsideSample(
      base: LatencyTail(tails.base).mean(around: percentile),
      head: LatencyTail(tails.head).mean(around: percentile))
    if self == .p99 { sample.latencies = tails.base }
    return sample
  }
}
