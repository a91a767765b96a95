/// What it takes to call a time different. `bench/README.md` says why.
struct GateRule: Hashable, Codable, Sendable {
  /// After how many quads of a pair of processes the figures are looked at.
  var looks = [10, 20, 30, 40, 60]
  var confidence = 0.99
  /// A pair is slower when its whole interval lies above this change.
  var bound = 0.015
  /// A pair is the same when its interval lies within this change on both sides.
  var sameWithin = 0.03
  /// Whether the interval must contain zero for that, too.
  var sameHoldsZero = true
  /// How many pairs of fresh processes there are. The same program started twice may differ steadily by five
  /// per cent, so a pair is one piece of evidence, however long it runs.
  var pairs = 3
  /// How many of them must agree.
  var agreeing = 2
  /// The median of their estimates must exceed this change.
  var minimumEffect = 0.03
  /// Where the pairs agree, an effect above this one is worth a warning.
  var warningEffect = 0.02

  /// The rule for time on the wall: it is there for what takes no processor time, such as a wait, and sees
  /// little else. Its one look is at the smallest sample that has an interval of 99 %.
  static let wall: GateRule = {
    var rule = GateRule()
    rule.looks = [8]
    (rule.bound, rule.sameWithin) = (0.10, 0.15)
    (rule.minimumEffect, rule.warningEffect) = (0.15, 0.10)
    return rule
  }()
}

enum PairVerdict: String, Codable, Sendable {
  case regressed, improved, same, unclear
}

extension GateRule {
  /// What the shifts of the quads of a pair say so far.
  func look(_ shifts: [Double]) -> PairVerdict {
    let sample = SignedRank(shifts)
    let slower = Quad.shift(ofChange: bound)
    let within = Quad.shift(ofChange: sameWithin)
    func above(_ bound: Double) -> Bool { sample.isAbove(bound, confidence: confidence) }
    func below(_ bound: Double) -> Bool { sample.isBelow(bound, confidence: confidence) }
    if above(slower) { return .regressed }
    if below(-slower) { return .improved }
    let holdsZero = !above(0) && !below(0)
    return (holdsZero || !sameHoldsZero) && above(-within) && below(within) ? .same : .unclear
  }

  /// What a pair says, with the quads that were used to say it: the first look that is
  /// clear decides, as it does while measuring.
  func pair(_ shifts: [Double]) -> (verdict: PairVerdict, used: ArraySlice<Double>) {
    var used = shifts[..<0]
    for look in looks where shifts.count >= look {
      used = shifts[..<look]
      let verdict = self.look(Array(used))
      if verdict != .unclear { return (verdict, used) }
    }
    return (.unclear, used)
  }
}
