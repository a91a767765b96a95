/// Mann and Kendall's test: do figures rise, or fall, in the order in which they come?
enum MannKendall {
  /// The most figures whose probabilities are counted; more of them are as good as normal.
  private static let mostCounted = 40

  /// How many pairs rise less how many fall. Figures that are the same count as neither.
  static func score(_ values: ArraySlice<Double>) -> Int {
    values.indices.reduce(0) { sum, index in
      values[..<index].reduce(sum) { $0 + (values[index] > $1 ? 1 : values[index] < $1 ? -1 : 0) }
    }
  }

  /// The probability that figures in a random order have such a score, or a larger one in either direction.
  static func chance(_ values: ArraySlice<Double>) -> Double {
    let (count, score) = (values.count, abs(score(values)))
    guard count > 1, score > 0 else { return 1 }
    guard count <= mostCounted else {
      let n = Double(count)
      let z = (Double(score) - 1) / (n * (n - 1) * (2 * n + 5) / 18).squareRoot()
      return erfc(z / 2.0.squareRoot())
    }
    // Of all pairs so many at most are in the wrong order.
    let most = (count * (count - 1) / 2 - score) / 2
    return min(1, 2 * shares(count)[...most].reduce(0, +))
  }

  /// The share of all orders of so many figures that have 0, 1, 2, … pairs in the wrong order.
  private static func shares(_ count: Int) -> [Double] {
    var shares = [1.0]
    for size in 2...count {
      // The new figure stands in each of `size` places, with so many before it.
      var next = [Double](repeating: 0, count: shares.count + size - 1)
      for (wrong, share) in shares.enumerated() {
        for place in 0..<size { next[wrong + place] += share / Double(size) }
      }
      shares = next
    }
    return shares
  }
}
