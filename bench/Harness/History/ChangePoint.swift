/// A place in a series of figures at which a new level begins.
struct ChangePoint: Hashable, Sendable {
  /// The index of the first figure of the new level.
  let index: Int
  let before, after: Double
  /// How probable it is that two levels that are the same look so different.
  let chance: Double

  /// The place between the figures from `start` and those before `end`.
  init(_ values: [Double], _ start: Int, _ index: Int, _ end: Int) {
    let (left, right) = (Moments(values[start..<index]), Moments(values[index..<end]))
    self.index = index
    before = left.mean
    after = right.mean
    chance = StudentT.chance(left, right)
  }

  /// The step as a share of the level before.
  var change: Double { before == 0 ? 0 : after / before - 1 }

  /// The step as a share of the smaller level.
  var size: Double { max(abs(change), after == 0 ? 0 : abs(before / after - 1)) }
}

/// How many figures there are, their mean, and the mean square of the distance to it.
struct Moments {
  let count, mean, variance: Double

  init(_ values: ArraySlice<Double>) {
    let count = Double(values.count)
    let mean = values.reduce(0, +) / count
    (self.count, self.mean) = (count, mean)
    variance = values.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / count
  }
}
