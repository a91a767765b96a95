/// The order of rows over rounds: in `count` rounds every row is once in every place,
/// and (over twice as many, when `count` is odd) follows every other row equally often.
/// What drifts slowly, such as the temperature, then falls on all rows alike.
enum LatinSquare {
  /// The order of `count` rows in round `round`, both from zero.
  static func order(count: Int, round: Int) -> [Int] {
    guard count > 0 else { return [] }
    // 0, 1, n-1, 2, n-2, …: neighbours differ by a different amount each time.
    let first = (0..<count).map { $0 % 2 == 1 ? ($0 + 1) / 2 : (count - $0 / 2) % count }
    let shifted = first.map { ($0 + round) % count }
    return count % 2 == 1 && round / count % 2 == 1 ? shifted.reversed() : shifted
  }
}
