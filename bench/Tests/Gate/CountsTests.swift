import Testing

@testable import BenchHarness

@Suite struct CountsTests {
  private func counts(_ values: [Counter: Double], range: Double = 0) -> Counts {
    values.mapValues { CountFigure([$0 - range / 2, $0, $0 + range / 2]) }
  }

  private func level(_ counter: Counter, _ base: Double, _ head: Double, range: Double = 0) -> String {
    let findings = CountsRule.findings(
      base: counts([counter: base], range: range), head: counts([counter: head]))
    return findings.first?.level.rawValue ?? "nothing"
  }

  @Test(arguments: [
    (Counter.allocations, 0, 0.04, "nothing"), (.allocations, 0, 0.06, "regressed"),
    (.allocations, 0, 1, "regressed"), (.allocations, 100, 100.9, "nothing"),
    (.allocations, 100, 101.1, "regressed"), (.allocations, 2, 1, "improved"),
    (.systemCalls, 2, 3, "regressed"), (.jobs, 1, 2, "regressed"), (.jobs, 1, 1.01, "nothing"),
    (.allocatedBytes, 1000, 1021, "regressed"), (.allocatedBytes, 1000, 1019, "nothing"),
    (.instructions, 10000, 10040, "nothing"), (.instructions, 10000, 10100, "warning"),
    (.instructions, 10000, 10210, "regressed"), (.pageFaults, 0, 100, "nothing"),
  ])
  func limits(counter: Counter, base: Double, head: Double, expected: String) {
    #expect(level(counter, base, head) == expected)
  }

  @Test func whatIsUnsteadyIsToleratedAndAWholeCallIsFoundAllTheSame() {
    #expect(level(.systemCalls, 2, 2.1, range: 0.2) == "nothing")
    #expect(level(.systemCalls, 2, 3, range: 0.2) == "regressed")
  }

  @Test func whatDoesNotRepeatIsNotJudgedAndOneMoreNeverHides() {
    #expect(level(.vainCalls, 0.5, 5, range: 0.4) == "unsteady")
    for range in [0, 0.1, 0.25] { #expect(level(.allocations, 10, 11, range: range) == "regressed") }
    #expect(level(.instructions, 10000, 10100, range: 20) == "warning")
  }

  @Test func whatDependsOnTimingIsShownAndNotJudged() {
    let base = counts([.jobsRun: 5.5], range: 1).merging(counts([.systemCalls: 2])) { $1 }
    let rows = CountsRule.judge(
      base: ["row": base], head: ["row": counts([.jobsRun: 7, .systemCalls: 2])]
    ) { _ in true }
    #expect(rows[0].outcome == .unchanged && !rows[0].isWorthAWord)
    #expect(rows[0].findings.map { [$0.counter.rawValue, $0.level.rawValue] } == [["jobs_run", "unsteady"]])
    var report = GateReport(
      date: "", machine: Machine.current(), swift: "", libraries: [:], rule: GateRule(), command: "gate")
    report.counts = rows
    #expect(
      GateText.summary(report) == [
        "1 unchanged", "counts that depend on timing and are not judged: 1",
      ])
    #expect(!report.markdown.contains("jobs_run") && report.code(strict: true) == .success)
    // What a workload says of itself holds whatever the baseline shows.
    let said: Counts = [.jobs: CountFigure([9], ofTiming: true)]
    #expect(CountsRule.findings(base: counts([.jobs: 1]), head: said).map(\.level) == [.unsteady])
    #expect(CountsRule.findings(base: said, head: counts([.jobs: 1])).map(\.level) == [.unsteady])
    // Bytes come with allocations, and half a per cent of the instructions would hide a warning.
    #expect(!CountsRule.isSteady(.allocatedBytes, in: counts([.allocations: 1], range: 1)))
    #expect(!CountsRule.isSteady(.instructions, in: counts([.instructions: 1000], range: 4)))
    #expect(CountsRule.isSteady(.instructions, in: counts([.instructions: 1000], range: 2)))
    #expect(CountsRule.isSteady(.heldBytes, in: counts([.heldBytes: 1000], range: 20)))
    #expect(!CountsRule.isSteady(.heldBytes, in: counts([.heldBytes: 1000], range: 40)))
    #expect(CountsRule.isSteady(.jobs, in: [:]))
  }

  @Test func ofTwoCountsTheNearerOneCounts() {
    let (base, near) = (counts([.jobs: 2, .wakeups: 1]), counts([.jobs: 2.1, .wakeups: 1]))
    let far = counts([.jobs: 1.5, .wakeups: 1])
    #expect(CountsRule.nearer(far, near, to: base) == near)
    #expect(CountsRule.nearer(near, far, to: base) == near)
    #expect(CountsRule.nearer(near, [:], to: base) == near)
  }

  @Test func rowsThatComeAndGoAreSaidAloud() {
    let base = ["old": counts([.jobs: 1]), "both": counts([.jobs: 1])]
    let head = ["new": counts([.jobs: 1]), "both": counts([.jobs: 1])]
    let judged = CountsRule.judge(base: base, head: head) { _ in true }
    let outcomes = Dictionary(uniqueKeysWithValues: judged.map { ($0.id, $0.outcome) })
    #expect(outcomes == ["both": .unchanged, "new": .notComparable, "old": .notComparable])
    #expect(CountsRule.judge(base: base, head: head) { _ in false }.count == 2)
  }

  @Test func theFileBelongsToItsVersions() {
    let baseline = CountsBaseline(
      swift: "6.3.1", libraries: ["libuv": "1.52.1"], architecture: "x86_64", rows: [:])
    #expect(baseline.fileName == "counts_swift-6.3.1_libuv-1.52.1_x86_64.json")
    let odd = CountsBaseline(swift: "6/5", libraries: [:], architecture: "a", rows: [:])
    #expect(!odd.fileName.contains("/"))
  }

  @Test func rowsOfAnotherRevisionGoWhenTheWorkloadIsCountedAnew() {
    let counts: Counts = [.allocations: CountFigure([1])]
    var baseline = CountsBaseline(
      swift: "6.3.1", libraries: [:], architecture: "a",
      rows: ["w@1/c": counts, "w@1/async": counts, "w@2/async": counts, "v@1/c": counts])
    baseline.take(["w@2/c": counts])
    #expect(baseline.rows.keys.sorted() == ["v@1/c", "w@2/async", "w@2/c"])
  }

  @Test func `The file has a line for each row, and what is read from it is what was written`() throws {
    let counts = [Counter.allocations: CountFigure([1.5, 2, 2]), .jobs: CountFigure([0], ofTiming: true)]
    let baseline = CountsBaseline(
      swift: "6.3.1", libraries: ["libuv": "1.52.1"], architecture: "a",
      rows: ["w@1/c?size=1": counts, "v@1/c": counts])
    let text = try baseline.text()
    let lines = text.split(separator: "\n").map { $0.split(separator: ":")[0] }
    #expect(lines == [#"{"architecture""#, #""v@1/c""#, #""w@1/c?size=1""#, #"},"schema""#])
    let back = try LineJSON.value(CountsBaseline.self, text)
    #expect(back.rows == baseline.rows && back.fileName == baseline.fileName)
  }

  @Test func aRecordAddsUp() throws {
    var record = SelftestRecord(fingerprint: "f")
    for outcome in [GateOutcome.unchanged, .unchanged, .inconclusive, .regressed] {
      record.note(workload: "w", injected: "0", outcome: outcome, seconds: 2)
    }
    for outcome in [GateOutcome.regressed, .regressed, .inconclusive] {
      record.note(workload: "w", injected: "10", outcome: outcome, seconds: 3)
    }
    let back = try LineJSON.value(SelftestRecord.self, try LineJSON.string(record))
    let summary = SelftestSummary(back)
    #expect(summary.comparisons == 4 && summary.falseAlarmRate == 0.25)
    #expect(summary.inconclusiveRate == 0.25 && summary.missedRate["10"] == 0)
    #expect(abs((summary.detectionRate["10"] ?? 0) - 2.0 / 3) < 1e-9)
    #expect(summary.seconds == 17)
  }

  @Test func whatTheProgramEndsWith() {
    var report = GateReport(
      date: "", machine: Machine.current(), swift: "", libraries: [:], rule: GateRule(), command: "gate")
    let id = WorkloadID(workload: "w", revision: 1, style: .c, parameters: ParameterValues())
    func code(_ outcomes: GateOutcome..., strict: Bool = false) -> BenchExit {
      report.times = outcomes.map { GateRow(id: id, outcome: $0, reason: "r") }
      return report.code(strict: strict)
    }
    #expect(code(.improved, .unchanged, .inconclusive, .tooNoisy) == .success)
    #expect(code(.unchanged, .inconclusive, strict: true) == .inconclusive)
    #expect(code(.unchanged, .regressed, .notComparable) == .regression)
    #expect(code(.unchanged, .notComparable) == .notComparable)
    #expect(report.junit.contains("<skipped"))
    #expect(report.markdown.contains("not-comparable"))
  }
}
