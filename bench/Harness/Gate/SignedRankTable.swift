import Synchronization

/// Critical values of the signed-rank statistic, from its exact distribution.
enum SignedRankTable {
  private struct Key: Hashable {
    var count: Int
    var confidence: Double
  }

  private static let known = Mutex<[Key: Int?]>([:])

  /// The largest `c` so that a sum of ranks of at most `c` has no more than half of
  /// what `confidence` leaves over as its probability; nil when even zero has more.
  static func cut(count: Int, confidence: Double) -> Int? {
    let key = Key(count: count, confidence: confidence)
    if let cut = known.withLock({ $0[key] }) { return cut }
    let cut = compute(count: count, tail: (1 - confidence) / 2)
    known.withLock { $0[key] = .some(cut) }
    return cut
  }

  private static func compute(count: Int, tail: Double) -> Int? {
    guard count > 0 else { return nil }
    // Probabilities of each sum, one rank after the other: it is in the sum or not.
    var probabilities = [Double](repeating: 0, count: count * (count + 1) / 2 + 1)
    probabilities[0] = 1
    for rank in 1...count {
      for sum in stride(from: rank * (rank + 1) / 2, through: 0, by: -1) {
        let with = sum >= rank ? probabilities[sum - rank] : 0
        probabilities[sum] = (probabilities[sum] + with) / 2
      }
    }
    var cumulated = 0.0
    for (sum, probability) in probabilities.enumerated() {
      cumulated += probability
      // A confidence of zero asks for the middle: the interval is the estimate then.
      if cumulated > tail { return sum == 0 ? nil : sum - 1 }
    }
    return nil
  }
}
