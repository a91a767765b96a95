/// What has become of a figure since a run: the sum of all that happened, whether it came in steps or slowly.
struct SinceRun: Hashable, Sendable {
  /// The median of the three figures around that run, and of the last three.
  let before, after: Double
  /// How probable it is that the scatter alone makes such a difference; nil for too few figures.
  let chance: Double?

  var change: Double { before == 0 ? 0 : after / before - 1 }

  /// Nil where the run is the last.
  init?(_ values: [Double], since index: Int) {
    guard values.indices.contains(index), index < values.count - 1 else { return nil }
    before = Statistics.median(Array(values[max(0, index - 1)...min(index + 1, values.count - 2)]))
    after = Statistics.median(Array(values[max(index + 1, values.count - 3)...]))
    // Of one run from the next: a level that moves slowly adds nothing to it.
    let steps = zip(values, values.dropFirst()).map { abs($1 - $0) }
    guard steps.count >= 4 else {
      chance = nil
      return
    }
    // The median of such a distance is 0.954 deviations, and that of three has 0.67 of the deviation of one.
    let deviation = Statistics.median(steps) / 0.954 * 0.67 * 2.0.squareRoot()
    let distance = abs(after - before)
    guard deviation > 0 else {
      chance = distance > 0 ? 0 : 1
      return
    }
    let (freedom, square) = (Double(steps.count), distance * distance / deviation / deviation)
    chance = StudentT.incompleteBeta(freedom / (freedom + square), freedom / 2, 0.5)
  }
}
