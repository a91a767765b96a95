import Testing

@testable import BenchHarness

/// Programs that are started for each operation.
@Suite struct ColdStartTests {
  @Test("A program's size and what it is linked with are counted", arguments: Style.all)
  func sizesAreCounted(style: Style) throws {
    let id = WorkloadID(
      workload: "cold-start", revision: 1, style: style, parameters: ParameterValues(["starts": 3]))
    let answer = try Products.withWorker {
      try $0.ask(WorkerRequest(.run, id, operations: 3, seed: 1), within: 60)
    }
    try #require(answer.failure == nil, "\(answer.message ?? "")")
    #expect(answer.cpuNanoseconds > 0 && answer.latencies.counts.reduce(0, +) == 3)
    // Where the system doesn't say, there is no such count.
    guard let program = answer.counters[.programBytes], program > 0 else { return }
    #expect(answer.counters[.linkedBytes] ?? 0 > 0)
    #expect(answer.counters[.residentBytes] ?? 0 > 0)
  }

  @Test func `A program that says no port, or doesn't answer, is an error`() throws {
    // Nobody listens on the port of this number.
    for word in ["hello", "1"] {
      #expect(throws: WrongWork.self) {
        try ColdStart.run(["/bin/echo", word], operations: 1, meter: Meter())
      }
    }
    #expect(throws: WorkerFailure.self) {
      try ColdStart.run(["/nonexistent"], operations: 1, meter: Meter())
    }
  }
}
