/// What Wilcoxon's signed-rank test says of the centre of a sample: an estimate
/// (Hodges and Lehmann's) and an exact interval. It assumes that the sample is
/// symmetric, not that it is normal, and an outlier moves it little.
struct SignedRank: Sendable {
  private let sorted: [Double]
  private let pairs: Int

  /// The sample; values that are not finite are left out.
  init(_ values: [Double]) {
    sorted = values.filter { $0.isFinite }.sorted()
    pairs = sorted.count * (sorted.count + 1) / 2
  }

  var count: Int { sorted.count }

  /// The median of the means of all pairs; nil for an empty sample.
  var estimate: Double? { sorted.isEmpty ? nil : Statistics.median(pairMeans()) }

  /// The interval with at least this confidence; nil when the sample is too small for it.
  func interval(confidence: Double) -> ClosedRange<Double>? {
    guard let cut = SignedRankTable.cut(count: count, confidence: confidence) else { return nil }
    let means = pairMeans().sorted()
    return means[cut]...means[pairs - cut - 1]
  }

  /// Whether all of the interval lies above `bound`; false when there is no interval.
  func isAbove(_ bound: Double, confidence: Double) -> Bool {
    guard let cut = SignedRankTable.cut(count: count, confidence: confidence) else { return false }
    return means(upTo: bound) <= cut
  }

  /// Whether all of the interval lies below `bound`; false when there is no interval.
  func isBelow(_ bound: Double, confidence: Double) -> Bool {
    guard let cut = SignedRankTable.cut(count: count, confidence: confidence) else { return false }
    return means(below: bound) >= pairs - cut
  }

  // The bounds of the interval are order statistics of the means of pairs, so counting the means on one side
  // of a number says on which side of it a bound lies, in n steps instead of n² log n.
  private func means(upTo bound: Double) -> Int { countMeans(2 * bound, orEqual: true) }
  private func means(below bound: Double) -> Int { countMeans(2 * bound, orEqual: false) }

  private func countMeans(_ bound: Double, orEqual: Bool) -> Int {
    var total = 0
    var low = 0
    var high = sorted.count - 1
    while low <= high {
      let sum = sorted[low] + sorted[high]
      if sum < bound || orEqual && sum == bound {
        total += high - low + 1
        low += 1
      } else {
        high -= 1
      }
    }
    return total
  }

  private func pairMeans() -> [Double] {
    var means: [Double] = []
    means.reserveCapacity(pairs)
    for (index, first) in sorted.enumerated() {
      for second in sorted[index...] { means.append((first + second) / 2) }
    }
    return means
  }
}
