public enum Statistics {
  /// The quantile `q` (0 to 1) of `values`, interpolated between neighbours.
  static func quantile(_ values: [Double], _ q: Double) -> Double {
    precondition(!values.isEmpty, "a quantile of nothing")
    let sorted = values.sorted()
    let position = q * Double(sorted.count - 1)
    let below = Int(position)
    guard below + 1 < sorted.count else { return sorted[sorted.count - 1] }
    return sorted[below] + (sorted[below + 1] - sorted[below]) * (position - Double(below))
  }

  public static func median(_ values: [Double]) -> Double { quantile(values, 0.5) }
}

/// A median with the quartiles around it.
struct Spread: Hashable, Codable, Sendable {
  var median, q1, q3: Double

  init(_ values: [Double]) {
    median = Statistics.median(values)
    q1 = Statistics.quantile(values, 0.25)
    q3 = Statistics.quantile(values, 0.75)
  }

  /// The wider side of the box, as a share of the median.
  var relative: Double { median == 0 ? 0 : Swift.max(q3 - median, median - q1) / abs(median) }
}
