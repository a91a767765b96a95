/// Where a series of figures changes its level.
///
/// The method is E-divisive (Matteson and James, 2013), with the windows, the t-test and the merging of
/// Hunter (Fleming and others, 2023), which Apache Otava has too.
struct ChangePoints: Sendable {
  /// The figures of a window, which is looked at by itself. A window begins in the middle of the one before.
  static let window = 50

  private let values: [Double]
  private let significance: Double
  private let minimum: Double

  /// The changes of a series, in their order.
  ///
  /// - Parameters:
  ///   - values: The figures, the oldest first, none of them below 0.
  ///   - significance: The largest probability of a step as large as this one by chance, above 0 and below
  ///     0.05.
  ///   - minimum: The smallest step that counts, as a share of the smaller level.
  /// - Complexity: O(*n*), by about 50² steps for each figure.
  static func find(
    _ values: [Double], significance: Double = 0.001, minimum: Double = 0.03
  ) -> [ChangePoint] {
    let search = ChangePoints(values: values, significance: significance, minimum: minimum)
    return search.merged(search.candidates())
  }

  /// What may be changes: the significance asked for here is ten times as weak.
  private func candidates() -> [Int] {
    var found: Set<Int> = []
    var start = 0
    while start < values.count {
      let end = min(start + Self.window, values.count)
      let new = divided(start..<end)
      found.formUnion(new)
      start = max(new.last ?? 0, start + Self.window / 2)
    }
    return found.sorted()
  }

  /// Divides a window at its most different place, then the part that has the next one, as long as that is
  /// significant.
  private func divided(_ range: Range<Int>) -> [Int] {
    var found: [Int] = []
    // A part's best place stays the same while other parts are divided.
    var best = [range: EnergyDistance.best(in: values[range])]
    while let (part, place) = best.compactMap({ part, place in place.map { (part, $0) } })
      .max(by: { ($0.1.distance, $1.0.lowerBound) < ($1.1.distance, $0.0.lowerBound) })
    {
      let point = ChangePoint(values, part.lowerBound, place.index, part.upperBound)
      guard point.chance <= significance * 10 else { break }
      found.append(place.index)
      best[part] = nil
      for half in [part.lowerBound..<place.index, place.index..<part.upperBound] {
        best[half] = EnergyDistance.best(in: values[half])
      }
    }
    return found.sorted()
  }

  /// Takes away the weakest of the candidates until all are significant and large enough.
  private func merged(_ candidates: [Int]) -> [ChangePoint] {
    var indices = candidates
    while true {
      let edges = [0] + indices + [values.count]
      let points = indices.indices.map { ChangePoint(values, edges[$0], edges[$0 + 1], edges[$0 + 2]) }
      let byChance = points.indices.max { points[$0].chance < points[$1].chance }
      let bySize = points.indices.min { points[$0].size < points[$1].size }
      guard let byChance, let bySize else { return [] }
      if points[byChance].chance >= significance {
        indices.remove(at: byChance)
      } else if points[bySize].size <= minimum {
        indices.remove(at: bySize)
      } else {
        return points
      }
    }
  }
}
