/// What is said about a handful of rounds.
public enum Statistics {
  /// The quantile `q` (0 to 1) of `values`, interpolated between neighbours.
  public static func quantile(_ values: [Double], _ q: Double) -> Double {
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
public struct Spread: Hashable, Codable, Sendable {
  /// The middle value.
  public var median: Double
  /// A quarter of the values lie below.
  public var q1: Double
  /// A quarter of the values lie above.
  public var q3: Double

  public init(_ values: [Double]) {
    median = Statistics.median(values)
    q1 = Statistics.quantile(values, 0.25)
    q3 = Statistics.quantile(values, 0.75)
  }

  /// The wider side of the box, as a share of the median.
  public var relative: Double {
    median == 0 ? 0 : Swift.max(q3 - median, median - q1) / abs(median)
  }
}
