/// A stretch of a series in which the figures rise, or fall, by steps that are too small to stand out: a level before it,
/// a straight line, and a level after it.
struct Drift: Hashable, Sendable {
  /// The indices of the figures at which the line begins and ends.
  let first, last: Int
  /// The level at the beginning, and at the end.
  let before, after: Double
  /// How probable it is that figures without a trend look so.
  var chance = 1.0

  /// The drift as a share of the level before.
  var change: Double { before == 0 ? 0 : after / before - 1 }

  /// The drift as a share of the smaller level.
  var size: Double { max(abs(change), after == 0 ? 0 : abs(before / after - 1)) }
}

/// Finds where figures drift, and leaves the steps to which a drift is no better answer.
///
/// A step is what `ChangePoints` has found. Steps of one direction that follow each other, with the levels around them,
/// may be a drift that was cut in pieces: the line takes their place where it leaves less of the scatter unexplained, by
/// Schwarz's criterion. What has no step may drift, too. Mann and Kendall's test then says how probable the line is
/// by chance.
struct Drifts: Sendable {
  /// The fewest figures that can drift. Less is a step.
  static let least = 8
  /// The most figures of one drift; of longer levels the last so many are looked at.
  static let most = 100

  let drifts: [Drift]
  /// The steps that aren't part of a drift.
  let steps: [ChangePoint]

  /// - Parameters:
  ///   - values: The figures, the oldest first.
  ///   - steps: What `ChangePoints` has found in them.
  ///   - significance: The largest probability of a drift by chance.
  ///   - minimum: The smallest drift that counts, as a share of the smaller level.
  /// - Complexity: O(*n*³), where *n* is 100 at most, for each level.
  init(_ values: [Double], steps: [ChangePoint], significance: Double = 0.001, minimum: Double = 0.03) {
    var (drifts, left): ([Drift], [ChangePoint]) = ([], steps)
    func accept(_ part: Range<Int>, _ steps: [ChangePoint]) {
      let part = max(part.lowerBound, part.upperBound - Self.most)..<part.upperBound
      guard let drift = Self.best(values, part), drift.size > minimum,
        drift.chance * Double(part.count) < significance,
        steps.isEmpty || Self.criterion(values, part, drift) < Self.criterion(values, part, steps),
        !drifts.contains(where: { $0.first < drift.last && drift.first < $0.last })
      else { return }
      drifts.append(drift)
      left.removeAll { (drift.first...drift.last).contains($0.index) || steps.contains($0) }
    }
    // Steps of one direction, from the level before the first to that after the last.
    var start = 0
    while start < steps.count {
      let end = steps[start...].firstIndex { ($0.change > 0) != (steps[start].change > 0) } ?? steps.count
      accept(
        (start == 0 ? 0 : steps[start - 1].index)..<(end == steps.count ? values.count : steps[end].index),
        Array(steps[start..<end]))
      start = end
    }
    let edges = [0] + left.map(\.index) + [values.count]
    for (start, end) in zip(edges, edges.dropFirst()) { accept(start..<end, []) }
    self.drifts = drifts.sorted { $0.first < $1.first }
    self.steps = left
  }

  /// The line, with a level on either side, that leaves the least of a part unexplained; nil for too few figures.
  private static func best(_ values: [Double], _ part: Range<Int>) -> Drift? {
    guard part.count >= least else { return nil }
    var best: (rest: Double, drift: Drift)?
    for first in part.lowerBound...(part.upperBound - least) {
      for last in (first + least - 1)..<part.upperBound {
        let fit = fit(values, part, first, last)
        if fit.rest < best?.rest ?? .infinity { best = fit }
      }
    }
    guard var drift = best?.drift else { return nil }
    drift.chance = MannKendall.chance(values[drift.first...drift.last])
    return drift
  }

  /// The levels that fit best where a line leads from one figure to another, and the squares of what is left.
  private static func fit(
    _ values: [Double], _ part: Range<Int>, _ first: Int, _ last: Int
  ) -> (rest: Double, drift: Drift) {
    // How far the line has come at each figure: what it explains is (1 − w) · before + w · after.
    var (aa, ab, bb, ay, by, yy) = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    let length = Double(last - first)
    for index in part {
      let w = min(1, max(0, Double(index - first) / length))
      let value = values[index]
      aa += (1 - w) * (1 - w)
      ab += (1 - w) * w
      bb += w * w
      ay += (1 - w) * value
      by += w * value
      yy += value * value
    }
    let determinant = aa * bb - ab * ab
    let before = (bb * ay - ab * by) / determinant
    let after = (aa * by - ab * ay) / determinant
    let rest = max(0, yy - before * ay - after * by)
    return (rest, Drift(first: first, last: last, before: before, after: after))
  }

  /// Schwarz's criterion of a line: two levels and two places.
  private static func criterion(_ values: [Double], _ part: Range<Int>, _ drift: Drift) -> Double {
    criterion(rest: fit(values, part, drift.first, drift.last).rest, values, part, numbers: 4)
  }

  /// That of steps: a level more than there are steps, and the places.
  private static func criterion(_ values: [Double], _ part: Range<Int>, _ steps: [ChangePoint]) -> Double {
    let edges = [part.lowerBound] + steps.map(\.index).filter(part.contains) + [part.upperBound]
    let rest = zip(edges, edges.dropFirst()).reduce(0.0) { sum, edge in
      guard edge.0 < edge.1 else { return sum }
      let level = Moments(values[edge.0..<edge.1])
      return sum + level.variance * level.count
    }
    return criterion(rest: rest, values, part, numbers: 2 * steps.count + 1)
  }

  private static func criterion(
    rest: Double, _ values: [Double], _ part: Range<Int>, numbers: Int
  ) -> Double {
    let count = Double(part.count)
    // What a figure is written with has an end, too.
    let finest = values[part].reduce(0) { $0 + $1 * $1 } * 1e-12
    return count * log(max(rest, finest) / count) + Double(numbers) * log(count)
  }
}
