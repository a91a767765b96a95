import Testing

@testable import BenchHarness

/// The runner against workers that are shell scripts: what they answer is known.
@Suite struct SuiteRunnerTests {
  /// Answers every line; `$2` is the id, `$3` the number of operations, `$4` the seed.
  private func worker(_ answer: String) throws -> WorkerProcess {
    let script = """
      echo '{"libraries":{"libuv":"9"},"protocol":\(WorkerHello.currentVersion)}'
      while read -r line; do set -- $line; \(answer); done
      """
    return try WorkerProcess(command: ["/bin/sh", "-c", script])
  }

  private func figures(checksum: String = "$4", operations: String = "$3", wall: String = "$(($3 * 1000))")
    -> String
  {
    // Ten nanoseconds of processor time per operation.
    "printf '{\"operations\":%d,\"checksum\":\"%s\",\"wall_ns\":%d,\"cpu_ns\":%d,\"user_ns\":0,"
      + "\"system_ns\":0,\"peak_rss_bytes\":1,\"latencies\":\"1000:%d\",\"counters\":{}}\\n' "
      + "\"\(operations)\" \"\(checksum)\" \"\(wall)\" $(($3 * 10)) \"\(operations)\""
  }

  private func run(
    _ answers: [Style: String], count: OperationCount = .calibrated, rounds: Int = 3, processes: Int = 1,
    window: Double = 1e6, load: SuitePlan.Load = .closed, budget: Double? = nil
  ) throws -> [RowResult] {
    let styles = Style.all.filter { answers[$0] != nil }
    let item = SuitePlan.Case(
      workload: Named(styles: styles, operationCount: count),
      parameters: ParameterValues(["n": 40]), styles: styles)
    let plan = SuitePlan(
      cases: [item], rounds: rounds, processes: processes, window: window, warmUp: 1e7, budget: budget,
      load: load)
    var started: [Style] = []
    let runner = SuiteRunner(plan, progress: Progress()) { id in
      started.append(id.style)
      return try worker(answers[id.style] ?? "")
    }
    let rows = try runner.run { #expect($0.count == styles.count) }
    #expect(started == Array(repeating: styles, count: processes).flatMap(\.self))
    #expect(runner.libraries == ["libuv": "9"])
    return rows
  }

  @Test func allRowsDoTheSameNumberOfOperations() throws {
    let rows = try run([.c: figures(), .async: figures(wall: "$(($3 * 2000))")])
    #expect(rows.map(\.style) == [.c, .async])
    #expect(rows.map(\.operations) == [1000, 1000])
    #expect(rows.allSatisfy { $0.rounds.count == 3 && $0.warm })
    #expect(rows[1].ratioToC?.throughput == 0.5)
    #expect(rows[1].ratioToC?.cpu == 1)
  }

  @Test func aMuchSlowerRowShortensTheRoundsOfAll() throws {
    let rows = try run([.c: figures(), .promise: figures(wall: "$(($3 * 100000))")])
    #expect(rows.map(\.operations) == [40, 40])
  }

  @Test func aParameterMaySayHowManyOperations() throws {
    #expect(try run([.c: figures()], count: .parameter("n")).map(\.operations) == [40])
  }

  @Test(arguments: [(6, 3), (5, 2), (3, 3)])
  func theProcessesOfARowShareItsRounds(rounds: Int, processes: Int) throws {
    // The time of an operation is the number of the process.
    let rows = try run(
      [.c: figures(), .async: figures(wall: "$(($3 * $$))")], rounds: rounds, processes: processes)
    #expect(rows.allSatisfy { $0.rounds.count == rounds && $0.warm })
    #expect(Set(rows[1].rounds.map(\.throughput)).count == processes)
  }

  @Test func aCaseThatTakesFarLongerThanItShouldEndsAfterTheUsualRounds() throws {
    let rows = try run([.c: "sleep 0.02; " + figures()], count: .parameter("n"), rounds: 30)
    #expect(rows[0].rounds.count == SuitePlan.usualRounds)
  }

  @Test func whatProcessesTakeToWarmUpIsNoTimeOfTheRounds() throws {
    // The seed is that of warming up.
    let answer = "[ $4 = 1000001 ] && sleep 0.2; " + figures()
    let rows = try run([.c: answer], rounds: 20, processes: 4, window: 1e7)
    #expect(rows[0].rounds.count == 20)
  }

  @Test
  func `Without time, a case keeps the rounds that a ratio needs, and later cases are left out by name`()
    throws
  {
    let items = [40, 41, 42].map { n in
      SuitePlan.Case(
        workload: Named(styles: [.c, .async], operationCount: .calibrated),
        parameters: ParameterValues(["n": n]),
        styles: [.c, .async])
    }
    let plan = SuitePlan(cases: items, rounds: 7, window: 1e6, warmUp: 1e7, budget: 1e6)
    let runner = SuiteRunner(plan, progress: Progress()) { _ in try worker("sleep 0.005; " + figures()) }
    let rows = try runner.run { _ in }
    #expect(rows.map { $0.rounds.count } == [3, 3])
    #expect(rows.allSatisfy { $0.hasEnoughForARatio })
    let leftOut = runner.leftOut.map { $0.parameters.description }
    #expect(leftOut == ["n=41", "n=42"])
  }

  @Test func aSearchForThePeakKeepsToTheTimeToo() throws {
    let rows = try run([.c: "sleep 0.02; " + figures()], rounds: 30, load: .findPeak, budget: 0.3e9)
    #expect((1...3).contains(rows[0].rounds.count))
  }

  @Test func aRowThatKeepsUpWithNoRateHasThePeakThatItReaches() throws {
    let answer = "if [ \"$5\" ]; then \(figures(wall: "$(($3 * 1000000))")); else \(figures()); fi"
    let rows = try run([.c: answer], load: .findPeak)
    #expect(rows[0].rounds.count == 3 && rows[0].peakRate == 1000)
  }

  @Test func rowsThatFindDifferentThingsAreWrong() {
    #expect(throws: WrongWork.self) {
      try run([.c: figures(), .async: figures(checksum: "7")])
    }
  }

  @Test func aRowThatDoesLessIsWrong() {
    #expect(throws: WrongWork.self) { try run([.c: figures(operations: "$(($3 - 1))")]) }
  }

  @Test func aWorkerThatDiesEndsTheRun() {
    let failure = #expect(throws: WorkerFailure.self) { try run([.c: "exit 9"]) }
    #expect(failure?.description.contains("ended with code 9") == true)
  }

  @Test func aWorkerThatTalksNonsenseEndsTheRun() {
    #expect(throws: WorkerFailure.self) { try run([.c: "echo nonsense"]) }
  }

  @Test func whatAWorkerFoundWrongIsPassedOn() {
    let wrong = #expect(throws: WrongWork.self) {
      try run([
        .c: "echo '{\"failure\":\"wrong-work\",\"message\":\"m\",\"operations\":0,"
          + "\"checksum\":\"0\",\"wall_ns\":0,\"cpu_ns\":0,\"user_ns\":0,\"system_ns\":0,\"peak_rss_bytes\":0,\"latencies\":\"\",\"counters\":{}}'"
      ])
    }
    #expect(wrong?.description == "w@1/c?n=40: m")
  }
}

private struct Named: Workload {
  let name = "w"
  let summary = "whatever a script says"
  let parameters = [Parameter("n", 40, help: "operations")]
  let styles: [Style]
  let operationCount: OperationCount

  func makeInstance(
    style: Style, parameters: ParameterValues, context: WorkloadContext
  ) throws -> any WorkloadInstance { throw WrongWork("it runs in the script") }
}
