/// A histogram by percentile, as HdrHistogram's tools print and plot it (`.hgrm`).
struct PercentileDistribution: Sendable {
  struct Point: Hashable, Sendable {
    /// The value, in nanoseconds.
    var value: UInt64
    /// The share of values that are no larger, 0 to 1.
    var share: Double
    /// How many values those are.
    var count: UInt64
  }

  /// The points, from the smallest value to the largest.
  private(set) var points: [Point] = []
  private let histogram: SparseHistogram
  private let total: UInt64

  /// The distribution of a histogram, with so many points for each halving of what is
  /// left above.
  init(_ histogram: SparseHistogram, ticksPerHalfDistance: Double = 5) {
    self.histogram = histogram
    total = histogram.counts.reduce(0, +)
    guard total > 0 else { return }
    var (index, reached) = (0, histogram.counts[0])
    var level = 0.0
    while true {
      // The value at a percentile is the first at which so many values are reached.
      let wanted = max(1, UInt64((level / 100 * Double(total)).rounded(.up)))
      while reached < wanted, index + 1 < histogram.counts.count {
        index += 1
        reached += histogram.counts[index]
      }
      points.append(Point(value: histogram.values[index], share: level / 100, count: reached))
      guard reached < total else { break }
      let halvings = floor(log2(100 / (100 - level))) + 1
      level += 100 / (ticksPerHalfDistance * exp2(halvings))
    }
    if points.last?.share != 1 {
      points.append(Point(value: histogram.values[index], share: 1, count: total))
    }
  }

  /// The text, with values in microseconds.
  var text: String {
    var lines = [
      "\(Self.padded("Value", 12)) \(Self.padded("Percentile", 14)) TotalCount 1/(1-Percentile)", "",
    ]
    for point in points {
      var line = Self.padded(Figure.fixed(Double(point.value) / 1000, digits: 3), 12)
      line += " " + Self.padded(Figure.fixed(point.share, digits: 12), 14)
      line += " " + Self.padded("\(point.count)", 10)
      if point.share < 1 {
        line += " " + Self.padded(Figure.fixed(1 / (1 - point.share), digits: 2), 14)
      }
      lines.append(line)
    }
    let (mean, deviation) = moments
    let largest = Double(histogram.values.last ?? 0)
    func micro(_ value: Double) -> String { Self.padded(Figure.fixed(value / 1000, digits: 3), 12) }
    lines.append("#[Mean    = \(micro(mean)), StdDeviation   = \(micro(deviation))]")
    lines.append("#[Max     = \(micro(largest)), Total count    = \(Self.padded("\(total)", 12))]")
    lines.append("#[Buckets = \(Self.padded("26", 12)), SubBuckets     = \(Self.padded("2048", 12))]")
    return lines.joined(separator: "\n") + "\n"
  }

  private var moments: (mean: Double, deviation: Double) {
    guard total > 0 else { return (0, 0) }
    let pairs = zip(histogram.values, histogram.counts).map { (Double($0), Double($1)) }
    let mean = pairs.reduce(0) { $0 + $1.0 * $1.1 } / Double(total)
    let squares = pairs.reduce(0) { $0 + ($1.0 - mean) * ($1.0 - mean) * $1.1 }
    return (mean, (squares / Double(total)).squareRoot())
  }

  private static func padded(_ text: String, _ width: Int) -> String {
    String(repeating: " ", count: max(0, width - text.count)) + text
  }
}
