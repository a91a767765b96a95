/// How different the figures are before and after a place in a series: their mean distance from one another
/// across the place, less that within each side. E-divisive calls it Q̂.
enum EnergyDistance {
  /// The place at which a part of a series is most different from what follows, which need not go on to the
  /// end; nil for fewer than two figures.
  ///
  /// - Complexity: O(*n*³); a window has 50 figures at most.
  static func best(in part: ArraySlice<Double>) -> (index: Int, distance: Double)? {
    let values = Array(part)
    let count = values.count
    guard count > 1 else { return nil }
    // The sum of the distances within the first figures, for each number of them.
    var within = [0.0, 0.0]
    for end in 2...count { within.append(within[end - 1] + sum(values, end - 1, 0..<end - 1)) }
    var best: (index: Int, distance: Double)?
    for place in 1..<count {
      var (across, after) = (0.0, 0.0)
      for end in place + 1...count {
        across += sum(values, end - 1, 0..<place)
        after += sum(values, end - 1, place..<end - 1)
        let (left, right) = (Double(place), Double(end - place))
        var distance = across
        if place > 1 { distance -= right / (left - 1) * within[place] }
        if end - place > 1 { distance -= left / (right - 1) * after }
        distance *= 2 / (left + right)
        if distance > best?.distance ?? -.infinity { best = (part.startIndex + place, distance) }
      }
    }
    return best
  }

  private static func sum(_ values: [Double], _ index: Int, _ others: Range<Int>) -> Double {
    others.reduce(0) { $0 + abs(values[index] - values[$1]) }
  }
}
