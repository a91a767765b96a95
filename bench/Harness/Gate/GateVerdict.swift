/// What the gate says of one row.
enum GateOutcome: String, Codable, Sendable {
  case regressed, improved, unchanged, inconclusive
  /// The base differs from itself: this machine is too noisy, nothing is decided.
  case tooNoisy = "too-noisy"
  /// The work itself differs.
  case notComparable = "not-comparable"
}

/// The verdict on one clock of one row, with the evidence.
struct GateVerdict: Hashable, Codable, Sendable {
  var outcome: GateOutcome
  /// Whether the pairs agree on an effect that is too small to fail but not nothing.
  var isWarning = false
  /// The median of the pairs' estimates as a change, 0.05 for five per cent slower; nil without data.
  var change: Double?
  /// From the median of the pairs' lower bounds to that of their upper bounds.
  var interval: [Double]?
  var pairs: [PairVerdict]
  var quads: Int

  /// The verdict on the shifts of the quads of each pair. It depends on nothing else.
  init(pairs shifts: [[Double]], rule: GateRule = GateRule()) {
    let judged = shifts.map { rule.pair($0) }
    let decision = Self.decide(judged, rule)
    outcome = decision.outcome
    isWarning = decision.isWarning
    pairs = judged.map(\.verdict)
    quads = judged.reduce(0) { $0 + $1.used.count }
    let samples = judged.map { SignedRank(Array($0.used)) }
    let estimates = samples.compactMap(\.estimate)
    change = estimates.isEmpty ? nil : Quad.change(Statistics.median(estimates))
    let intervals = samples.compactMap { $0.interval(confidence: rule.confidence) }
    guard !intervals.isEmpty else { return }
    interval = [
      Quad.change(Statistics.median(intervals.map(\.lowerBound))),
      Quad.change(Statistics.median(intervals.map(\.upperBound))),
    ]
  }

  /// The outcome alone, for who asks ten thousand times.
  static func outcome(pairs shifts: [[Double]], rule: GateRule = GateRule()) -> GateOutcome {
    decide(shifts.map { rule.pair($0) }, rule).outcome
  }

  private static func decide(
    _ pairs: [(verdict: PairVerdict, used: ArraySlice<Double>)], _ rule: GateRule
  ) -> (outcome: GateOutcome, isWarning: Bool) {
    // A pair that was not measured is no evidence of sameness.
    guard pairs.count >= rule.pairs else { return (.inconclusive, false) }
    func count(_ verdict: PairVerdict) -> Int { pairs.count { $0.verdict == verdict } }
    let slower = count(.regressed) >= rule.agreeing && count(.improved) == 0
    let faster = count(.improved) >= rule.agreeing && count(.regressed) == 0
    guard slower || faster else { return (count(.same) >= rule.agreeing ? .unchanged : .inconclusive, false) }
    let estimates = pairs.compactMap { SignedRank(Array($0.used)).estimate }
    let effect = Statistics.median(estimates) * (slower ? 1 : -1)
    if effect > Quad.shift(ofChange: rule.minimumEffect) { return (slower ? .regressed : .improved, false) }
    return (.inconclusive, slower && effect > Quad.shift(ofChange: rule.warningEffect))
  }
}
