import Testing

@testable import BenchHarness

/// A row's verdict from both clocks and from the copy of the base.
@Suite struct GateRowTests {
  private let id = WorkloadID(workload: "w", revision: 1, style: .c, parameters: ParameterValues())

  /// Three pairs whose head takes so much more, and a copy of the base that does.
  private func row(cpu: Double = 0, wall: Double = 0, copy: Double = 0) -> GateRow {
    var trace = GateTrace()
    func quad(_ change: Double, _ index: Int) -> Quad {
      let noise = Double(index % 5 - 2) / 500
      return Quad(base: [1e7, 1e7], head: [1e7 * (1 + change + noise), 1e7 * (1 + change - noise / 2)])
    }
    for _ in 0..<3 {
      trace.beginPair()
      for index in 0..<8 { trace.addWall(quad(wall, index)) }
      for index in 0..<20 { trace.add(quad(cpu, index), operations: 1000) }
      for index in 0..<4 { trace.addNoise(quad(copy, index)) }
    }
    return GateRow(id: id, trace: trace, rule: GateRule(), seconds: 1)
  }

  @Test func processorTimeDecides() {
    #expect(row().outcome == .unchanged)
    #expect(row(cpu: 0.05).outcome == .regressed)
    #expect(row(cpu: -0.05).outcome == .improved)
    #expect(abs((row(cpu: 0.05).headNanoseconds ?? 0) / 10_500 - 1) < 0.01)
  }

  @Test func aWaitThatTakesNoProcessorTimeIsFoundByTheWall() {
    let slow = row(wall: 0.25)
    #expect(slow.outcome == .regressed)
    #expect(slow.reason?.contains("takes longer: +25.0%") == true, "\(slow.reason ?? "")")
    #expect(row(cpu: -0.05, wall: 0.25).outcome == .regressed)
  }

  @Test func theWallSeesOnlyWhatIsLargeAndNeverExcuses() {
    #expect(row(wall: 0.12).outcome == .unchanged)
    #expect(row(wall: -0.5).outcome == .unchanged)
    #expect(row(cpu: 0.05, wall: -0.5).outcome == .regressed)
  }

  @Test func aBaseThatDiffersFromItsCopyDecidesNothing() {
    for copy in [-0.05, 0.05] { #expect(row(cpu: 0.1, wall: 0.3, copy: copy).outcome == .tooNoisy) }
    #expect(row(cpu: 0.1, copy: 0.005).outcome == .regressed)
  }

  @Test func aRegressionMustHold() {
    var first = row(cpu: 0.05)
    first.confirm(with: row(cpu: 0.05))
    #expect(first.outcome == .regressed && first.confirmation == .regressed)
    first.confirm(with: row())
    #expect(first.outcome == .inconclusive && first.confirmation == .unchanged)
    #expect(first.seconds == 3)
  }
}
