import Testing

@testable import BenchHarness

@Suite struct PlanTests {
  @Test(arguments: [
    ("*", "one-two", true), ("one-*", "one-two", true), ("*two", "one-two", true),
    ("o?e-*o", "one-two", true), ("one", "one-two", false), ("one-two?", "one-two", false),
    ("*a*b", "aab", true), ("*a*b", "aba", false), ("", "x", false), ("**", "", true),
  ])
  func globs(pattern: String, text: String, fits: Bool) {
    #expect(Glob(pattern).matches(text) == fits)
  }

  private let workloads: [any Workload] = [
    Idle(name: "one", styles: [.c, .async]), Idle(name: "two", styles: [.c]),
  ]

  private func cases(
    patterns: [String] = [], styles: [Style] = [], overrides: [String: [Int]] = [:],
    quick: Bool = false
  ) throws -> [String] {
    try SuitePlan.cases(
      workloads, patterns: patterns, styles: styles, overrides: overrides, quick: quick
    ).map { item in
      "\(item.workload.name) \(item.parameters) \(item.styles.map(\.rawValue).joined(separator: "+"))"
    }
  }

  @Test func everyCombinationOfParametersIsACase() throws {
    #expect(
      try cases(patterns: ["one"]) == [
        "one a=1 b=5 c+async", "one a=1 b=6 c+async", "one a=2 b=5 c+async", "one a=2 b=6 c+async",
      ])
    #expect(try cases(patterns: ["two"], quick: true) == ["two a=9 b=5 c", "two a=9 b=6 c"])
    #expect(
      try cases(patterns: ["two"], overrides: ["a": [3], "b": [4]], quick: true) == ["two a=3 b=4 c"])
  }

  @Test func rowsThatDoNotExistAreLeftOut() throws {
    #expect(
      try cases(styles: [.async], overrides: ["a": [1], "b": [1]]) == ["one a=1 b=1 async"])
  }

  @Test func whatDoesNotExistIsAnError() {
    #expect(throws: UsageError.self) { try cases(patterns: ["three"]) }
    #expect(throws: UsageError.self) { try cases(patterns: ["one", "three"]) }
    #expect(throws: UsageError.self) { try cases(styles: [.promise]) }
    #expect(throws: UsageError.self) { try cases(overrides: ["c": [1]]) }
    #expect(throws: UsageError.self) { try cases(patterns: ["two"], styles: [.async]) }
  }

  @Test func aPlanSaysWhatItWillDoAndHowLongThatTakes() throws {
    var plan = SuitePlan(
      cases: try SuitePlan.cases(workloads, patterns: ["one"], quick: false), rounds: 7, window: 0.5e9,
      warmUp: 2e9)
    #expect(plan.summary == "4 cases, 8 rows, 7 rounds of 500 ms each: about 56 seconds")
    plan.budget = 60e9
    #expect(plan.summary.hasSuffix("about 56 seconds, and rounds get fewer and shorter beyond 60 seconds"))
    plan.rounds = 70
    #expect(plan.summary.contains("about 60 seconds, and"))
    (plan.rounds, plan.processes, plan.budget) = (7, 2, nil)
    #expect(plan.summary == "4 cases, 8 rows, 7 rounds of 500 ms each in 2 processes: about 72 seconds")
  }

  @Test func aBudgetShortensWindowsFirstAndNeverLeavesFewerRoundsThanARatioNeeds() throws {
    var plan = SuitePlan(
      cases: try SuitePlan.cases(workloads, patterns: ["one"], quick: false), rounds: 7, window: 0.5e9,
      warmUp: 2e9)
    func fitted(_ seconds: Double) -> SuitePlan {
      plan.budget = seconds * 1e9
      return plan.fitted
    }
    let roomy = fitted(60)
    #expect(roomy.window == plan.window && roomy.rounds == 7)
    let half = fitted(28)
    #expect(half.rounds == 7 && abs(half.window - 0.25e9) < 1e6 && abs(half.warmUp - 1e9) < 1e7)
    let tight = fitted(2.5)
    #expect(tight.window == SuitePlan.leastWindow && tight.rounds == 4, "\(tight.rounds)")
    #expect(fitted(0.1).rounds == 3)
    plan.processes = 5
    #expect(fitted(0.1).rounds == 5)
  }

  @Test func ofPeersThereAreAsManyAsThereIsTimeFor() throws {
    var item = try SuitePlan.cases(workloads, patterns: ["one"], quick: false)[0]
    item.styles += ["x", "y", "z"].map(Style.init(rawValue:))
    let plan = SuitePlan(cases: [item], rounds: 7, window: 1e9, warmUp: 1e9)
    // Three rounds, three to calibrate, one to settle.
    let names = [70.0, 35, 28, 21, 1].map { plan.affordableStyles(item, within: $0 * 1e9).map(\.rawValue) }
    #expect(
      names == [
        ["c", "async", "x", "y", "z"], ["c", "async", "x", "y", "z"], ["c", "async", "x", "y"],
        ["c", "async", "x"], ["c", "async"],
      ])
  }

  @Test func aWorkloadWhoseProgramIsMissingIsRefusedBeforeAnythingIsMeasured() {
    let refused = #expect(throws: UsageError.self) {
      try SuitePlan.cases([Idle(name: "one", styles: [.c], programs: ["/bin/sh", "/nowhere"])], quick: false)
    }
    #expect(refused?.description.contains("`/nowhere`, which isn't there") == true)
  }

  @Test func aValueThatIsNotBuiltInIsLeftOutAndRefusedByTheWayToHaveIt() throws {
    let parameter = Parameter("watch", 0, 4, quick: 4, in: 0...5, help: "what").without(4, "build with more")
    #expect(parameter.values == [0] && parameter.quickValues == [])
    #expect(parameter.gaps == ["watch=4 isn't built in: build with more"])
    try parameter.check(5)
    let refused = #expect(throws: UsageError.self) { try parameter.check(4) }
    #expect(refused?.description == "--watch: 4 isn't built in: build with more")
  }

  @Test func exitCodesBelongToErrors() {
    #expect(BenchExit(WrongWork("")) == .wrongWork)
    #expect(BenchExit(WorkerFailure("")) == .wrongWork)
    #expect(BenchExit(UsageError("")) == .usage)
    #expect(BenchExit(Interrupted()) == .interrupted)
  }
}

private struct Idle: Workload {
  let name: String
  let summary = "nothing"
  let parameters = [
    Parameter("a", 1, 2, quick: 9, help: "the first"), Parameter("b", 5, 6, help: "the second"),
  ]
  let styles: [Style]
  var programs: [String] = []

  func makeInstance(
    style: Style, parameters: ParameterValues, context: WorkloadContext
  ) -> any WorkloadInstance {
    ClosureInstance { RunOutcome(operations: $0.operations, checksum: 0) }
  }
}
