import Testing

@testable import BenchHarness

/// What the verdict promises, over ten thousand made-up traces.
@Suite struct GateVerdictTests {
  /// How often each outcome is reached.
  private func outcomes(
    _ trace: SyntheticTrace, rule: GateRule = GateRule(), times: Int = 400, seed: UInt64 = 1
  ) -> [GateOutcome: Double] {
    var random = SplitMix64(seed: seed)
    var counts: [GateOutcome: Double] = [:]
    for _ in 0..<times {
      let outcome = GateVerdict.outcome(pairs: trace.shifts(&random), rule: rule)
      counts[outcome, default: 0] += 1 / Double(times)
    }
    return counts
  }

  private func falseAlarms(_ trace: SyntheticTrace, rule: GateRule = GateRule()) -> Double {
    let outcomes = outcomes(trace, rule: rule)
    return (outcomes[.regressed] ?? 0) + (outcomes[.improved] ?? 0)
  }

  @Test(arguments: SyntheticTrace.kinds.indices)
  func identicalProgramsAreHardlyEverCalledDifferent(kind: Int) {
    let (name, trace) = SyntheticTrace.kinds[kind]
    var alarms = 0.0
    for seed in 1...3 as ClosedRange<UInt64> {
      let outcomes = outcomes(trace, times: 500, seed: seed)
      alarms += ((outcomes[.regressed] ?? 0) + (outcomes[.improved] ?? 0)) / 3
    }
    #expect(alarms <= 0.01, "\(name): \(alarms)")
  }

  @Test(arguments: SyntheticTrace.kinds.indices)
  func tenPerCentAreFound(kind: Int) {
    var (name, trace) = SyntheticTrace.kinds[kind]
    for (change, outcome) in [(0.10, GateOutcome.regressed), (1 / 1.1 - 1, .improved)] {
      trace.change = change
      let outcomes = outcomes(trace)
      #expect(outcomes[outcome] ?? 0 >= (name == "wide" ? 0.90 : 0.95), "\(name): \(outcomes)")
      #expect(outcomes[.unchanged] == nil, "\(name): \(outcomes)")
    }
  }

  @Test(arguments: SyntheticTrace.kinds.indices)
  func fivePerCentAreFoundWhereItIsQuietAndNeverCalledUnchanged(kind: Int) {
    var (name, trace) = SyntheticTrace.kinds[kind]
    trace.change = 0.05
    let outcomes = outcomes(trace)
    if name == "log-normal" { #expect(outcomes[.regressed] ?? 0 >= 0.95) }
    // A process that is faster by chance may hide the change; two of three may not.
    #expect(outcomes[.unchanged] ?? 0 <= (name == "biased processes" ? 0.01 : 0), "\(name): \(outcomes)")
    #expect(outcomes[.improved] == nil)
  }

  @Test func smallChangesDoNotFail() {
    #expect(outcomes(SyntheticTrace(change: 0.01))[.regressed] == nil)
    var random = SplitMix64(seed: 3)
    let verdict = GateVerdict(pairs: SyntheticTrace(change: 0.025, noise: 0.002).shifts(&random))
    #expect(verdict.outcome == .inconclusive)
    #expect(verdict.isWarning)
  }

  // Each part of the rule carries weight: without it a bound above does not hold.

  @Test func withoutTheIntervalNoiseIsCalledADifference() {
    var rule = GateRule()
    rule.confidence = 0
    let noisy = SyntheticTrace(noise: 0.25)
    #expect(falseAlarms(noisy) <= 0.01)
    #expect(falseAlarms(noisy, rule: rule) > 0.05)
  }

  @Test func withoutTwoOfThreeABiasedProcessIsCalledADifference() {
    var one = GateRule()
    one.pairs = 1
    one.agreeing = 1
    one.minimumEffect = 0
    var single = GateRule()
    single.agreeing = 1
    single.minimumEffect = 0
    let biased = SyntheticTrace(bias: (0.06, 0.055))
    #expect(falseAlarms(biased) <= 0.01)
    #expect(falseAlarms(biased, rule: single) > 0.05)
    #expect(falseAlarms(biased, rule: one) > 0.05)
  }

  @Test func withoutTheMinimumEffectATrifleFails() {
    var rule = GateRule()
    rule.minimumEffect = 0
    let trifle = SyntheticTrace(change: 0.025, noise: 0.005)
    #expect(outcomes(trifle)[.regressed] == nil)
    #expect(outcomes(trifle, rule: rule)[.regressed] ?? 0 > 0.9)
  }

  @Test(arguments: [-0.10, -0.04, 0, 0.02, 0.04, 0.10])
  func swappingTheSidesMirrorsTheVerdict(change: Double) {
    var random = SplitMix64(seed: 7)
    for _ in 0..<150 {
      let pairs = SyntheticTrace(change: change, noise: 0.03).pairs(&random)
      let swapped = pairs.map { $0.map { Quad(base: $0.head, head: $0.base) } }
      let there = GateVerdict.outcome(pairs: pairs.map { $0.compactMap(\.shift) })
      let back = GateVerdict.outcome(pairs: swapped.map { $0.compactMap(\.shift) })
      switch there {
      case .regressed: #expect(back == .improved)
      case .improved: #expect(back == .regressed)
      default: #expect(back == there)
      }
    }
  }

  @Test func theUnitOfTimeDoesNotMatter() {
    for seed in 1...150 as ClosedRange<UInt64> {
      var (first, second) = (SplitMix64(seed: seed), SplitMix64(seed: seed))
      let change = Double(seed % 12) / 100
      let small = SyntheticTrace(change: change, noise: 0.04, scale: 1.0).shifts(&first)
      let large = SyntheticTrace(change: change, noise: 0.04, scale: 1e9).shifts(&second)
      #expect(GateVerdict.outcome(pairs: small) == GateVerdict.outcome(pairs: large))
    }
  }

  @Test func missingDataIsInconclusiveAndNeverUnchanged() {
    var random = SplitMix64(seed: 5)
    let full = SyntheticTrace(noise: 0.005).shifts(&random)
    #expect(GateVerdict(pairs: full).outcome == .unchanged)
    #expect(GateVerdict(pairs: []).outcome == .inconclusive)
    #expect(GateVerdict(pairs: [[], [], []]).outcome == .inconclusive)
    #expect(GateVerdict(pairs: Array(full.prefix(2))).outcome == .inconclusive)
    #expect(GateVerdict(pairs: [full[0], [], []]).outcome == .inconclusive)
    let tooFew = GateRule().looks[0] - 1
    #expect(GateVerdict(pairs: full.map { Array($0.prefix(tooFew)) }).outcome == .inconclusive)
    let nothing = [[Double]](repeating: [Double](repeating: .nan, count: 75), count: 3)
    #expect(GateVerdict(pairs: nothing).outcome == .inconclusive)
  }

  @Test func aTimeThatIsNotPositiveIsMissing() {
    #expect(Quad(base: [1, 1], head: [0, 1]).shift == nil)
    #expect(Quad(base: [1], head: [1, 1]).shift == nil)
    #expect(Quad(base: [1, .infinity], head: [1, 1]).shift == nil)
    let shift = Quad(base: [1, 4], head: [2, 2]).shift
    #expect(shift.map { abs($0) < 1e-12 } == true)
  }
}
