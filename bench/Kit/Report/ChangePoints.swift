/// Where a series of figures took a step.
public enum ChangePoints {
  /// The indices at which a new level begins. A step must be `minimum` (a share of the
  /// level) and stand out from the scatter of both sides.
  public static func find(_ values: [Double], minimum: Double = 0.03) -> [Int] {
    let logs = values.map { log(max($0, 1e-300)) }
    var found: [Int] = []
    split(logs[...], log1p(minimum), &found)
    return found.sorted()
  }

  /// The shortest run of figures that is called a level, and the longest that is looked at:
  /// what lies further away may be of another level still.
  private static let shortest = 3
  private static let longest = 8

  private static func split(_ part: ArraySlice<Double>, _ minimum: Double, _ found: inout [Int]) {
    guard part.count >= 2 * shortest else { return }
    let best = (part.startIndex + shortest...part.endIndex - shortest)
      .map { (index: $0, score: score(part, at: $0)) }
      .max { $0.score < $1.score }
    guard let best else { return }
    let (left, right) = (part[..<best.index].suffix(longest), part[best.index...].prefix(longest))
    let step = Statistics.median(Array(right)) - Statistics.median(Array(left))
    // Of many places the best one is looked at, so the bar is higher than for one.
    guard abs(step) > minimum, best.score > 4.5 else { return }
    found.append(best.index)
    split(part[..<best.index], minimum, &found)
    split(part[best.index...], minimum, &found)
  }

  /// How much the figures before and after an index stand apart, at the width at which they
  /// do so most.
  private static func score(_ part: ArraySlice<Double>, at index: Int) -> Double {
    (shortest...longest).map { width in
      score(part[..<index].suffix(width), part[index...].prefix(width))
    }.max() ?? 0
  }

  /// The distance of the two means in units of its deviation.
  private static func score(_ left: ArraySlice<Double>, _ right: ArraySlice<Double>) -> Double {
    func moments(_ values: ArraySlice<Double>) -> (mean: Double, squares: Double) {
      let mean = values.reduce(0, +) / Double(values.count)
      return (mean, values.reduce(0) { $0 + ($1 - mean) * ($1 - mean) })
    }
    let (first, second) = (moments(left), moments(right))
    let freedom = Double(left.count + right.count - 2)
    // Two figures that are equal by chance are no proof of exactness.
    let variance = max((first.squares + second.squares) / freedom, 1e-6)
    let size = 1 / Double(left.count) + 1 / Double(right.count)
    return abs(second.mean - first.mean) / (variance * size).squareRoot()
  }
}
