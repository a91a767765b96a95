/// Looks for the highest rate that a row keeps up with: that of which it achieves 99 %.
struct PeakSearch: Sendable {
  static let mostTries = 12

  private var low: Double
  private var high: Double
  private var tries = 0
  private var keepsUp = false
  /// The highest rate so far that was achieved, and what was answered then; as long as none was, what is done
  /// where the least is asked for.
  private(set) var best: (rate: Double, answer: WorkerAnswer)?

  /// A search around what the row can do in a closed loop, in operations per second.
  init(capacity: Double) {
    low = capacity * 0.02
    high = capacity * 1.5
  }

  /// The rate to try next; nil when the bounds are within 3 % of each other, or when enough was tried.
  var next: Double? {
    guard tries < Self.mostTries, high > low * 1.03 else { return nil }
    return (low * high).squareRoot()
  }

  mutating func note(_ answer: WorkerAnswer) {
    guard let rate = next else { return }
    tries += 1
    if RowResult.isSaturated(offered: rate, achieved: answer.rate) {
      high = rate
      if !keepsUp { best = (answer.rate, answer) }
    } else {
      low = rate
      keepsUp = true
      best = (rate, answer)
    }
  }
}
