/// What Mann and Whitney's test says of how far apart two samples lie that are not
/// paired: an estimate and an exact interval.
struct RankSum: Sendable {
  private let differences: [Double]
  private let counts: (Int, Int)

  /// Two samples; values that are not finite are left out.
  init(_ first: [Double], _ second: [Double]) {
    let (first, second) = (first.filter { $0.isFinite }, second.filter { $0.isFinite })
    differences = second.flatMap { later in first.map { later - $0 } }.sorted()
    counts = (first.count, second.count)
  }

  /// The median of all differences, second minus first; nil without any.
  var estimate: Double? { differences.isEmpty ? nil : Statistics.median(differences) }

  /// The interval with at least this confidence; nil when the sample is too small for it.
  func interval(confidence: Double) -> ClosedRange<Double>? {
    guard !differences.isEmpty else { return nil }
    let tail = (1 - confidence) / 2
    var cumulated = 0.0
    for (sum, probability) in Self.distribution(counts.0, counts.1).enumerated() {
      cumulated += probability
      guard cumulated > tail else { continue }
      return sum == 0 ? nil : differences[sum - 1]...differences[differences.count - sum]
    }
    return nil
  }

  /// The probability of each value of U when both samples come from the same place.
  private static func distribution(_ first: Int, _ second: Int) -> [Double] {
    // Arrangements by how often one of the second comes before one of the first, built
    // up with the generating function of partitions into a box.
    let largest = first * second
    var ways = [Double](repeating: 0, count: largest + 1)
    ways[0] = 1
    for part in 1...max(first, 1) {
      for sum in stride(from: largest, through: second + part, by: -1) {
        ways[sum] -= ways[sum - second - part]
      }
      for sum in stride(from: part, through: largest, by: 1) { ways[sum] += ways[sum - part] }
    }
    let total = ways.reduce(0, +)
    return ways.map { $0 / total }
  }
}
