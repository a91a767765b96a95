/// How often something happened, with Clopper and Pearson's interval, which is exact:
/// it never promises more than so many tries can show.
struct Proportion: Hashable, Sendable {
  var hits = 0
  var tries = 0

  mutating func note(_ hit: Bool) {
    tries += 1
    if hit { hits += 1 }
  }

  var rate: Double? { tries > 0 ? Double(hits) / Double(tries) : nil }

  /// The interval of the share; everything is possible without tries.
  func interval(confidence: Double = 0.95) -> ClosedRange<Double> {
    let tail = (1 - confidence) / 2
    // At the lower bound, so many hits or more are only just that improbable.
    let lower = hits == 0 ? 0 : solve { 1 - cumulated(hits - 1, $0) > tail }
    let upper = hits == tries ? 1 : solve { cumulated(hits, $0) < tail }
    return lower...max(lower, upper)
  }

  /// The smallest share for which `isBeyond` holds.
  private func solve(_ isBeyond: (Double) -> Bool) -> Double {
    var (low, high) = (0.0, 1.0)
    for _ in 0..<60 {
      let middle = (low + high) / 2
      if isBeyond(middle) { high = middle } else { low = middle }
    }
    return (low + high) / 2
  }

  /// The probability of at most `count` hits when each try hits with `share`.
  private func cumulated(_ count: Int, _ share: Double) -> Double {
    guard count < tries else { return 1 }
    return StudentT.incompleteBeta(1 - share, Double(tries - count), Double(count + 1))
  }
}
