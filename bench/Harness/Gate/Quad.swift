/// Four batches in a row, base-head-head-base or the other way round: what drifts
/// evenly while they run falls on both sides alike.
struct Quad: Hashable, Codable, Sendable {
  var base: [Double]
  var head: [Double]

  /// The logarithm of the ratio of head to base; nil when a time is missing or is not a positive number.
  var shift: Double? {
    guard base.count == 2, head.count == 2 else { return nil }
    let (above, below) = (head[0] * head[1], base[0] * base[1])
    guard head[0] > 0, base[0] > 0, above > 0, below > 0, above.isFinite, below.isFinite else { return nil }
    return log(above / below) / 2
  }

  /// A shift as a change: 0.05 is five per cent slower.
  static func change(_ shift: Double) -> Double { expm1(shift) }

  static func shift(ofChange change: Double) -> Double { log1p(change) }
}
