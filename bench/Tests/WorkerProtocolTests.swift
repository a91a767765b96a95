import Testing

@testable import BenchHarness

@Suite struct WorkerProtocolTests {
  @Test func idsAreReadAsTheyAreWritten() throws {
    for text in ["a-b@1/async?connections=50&size=64", "b@2/c"] {
      #expect(try #require(WorkloadID(text)).description == text)
    }
  }

  @Test(arguments: [
    "", "a-b", "a-b/c", "a-b@x/c", "@1/c", "a-b@1/", "a-b@1/c?size",
    "a-b@1/c?size=", "a-b@1/c?size=a", "a@1/b/c",
  ])
  func whatIsNoIdIsRefused(text: String) { #expect(WorkloadID(text) == nil) }

  @Test func requestsAreReadAsTheyAreWritten() throws {
    let line = "run a-b@1/c?connections=50&size=64 1000 18446744073709551615"
    let request = try WorkerRequest(line: line)
    #expect(request.verb == .run)
    #expect(request.id.parameters["connections"] == 50)
    #expect(request.seed == .max)
    #expect(request.description == line)
  }

  @Test(arguments: [
    "", "run", "walk a@1/c 1 1", "run a@1/c 0 1", "run a@1/c 1 -1", "run a 1 1", "run a@1/c 1 1 1",
  ])
  func whatIsNoRequestIsRefused(line: String) {
    #expect(throws: UsageError.self) { try WorkerRequest(line: line) }
  }

  @Test func aServerAnswersWithWhatItMeasured() throws {
    let server = WorkerServer(workloads: [Sum()], context: WorkloadContext(directory: "/"))
    let answer = server.answer("run sum@3/c?step=2 10 5")
    #expect(answer.failure == nil)
    #expect(answer.operations == 10)
    #expect(answer.checksum == String(5 + 10 * 2, radix: 16))
    #expect(answer.peakRSSBytes > 0)
    #expect(try LineJSON.value(WorkerAnswer.self, LineJSON.string(answer)) == answer)
  }

  @Test(arguments: [
    ("run sum@2/c?step=2 10 5", WorkerAnswer.Failure.usage),
    ("run sum@3/promise?step=2 10 5", .usage),
    ("run sum@3/c 10 5", .usage),
    ("run product@3/c?step=2 10 5", .usage),
    ("nonsense", .usage),
    ("run sum@3/c?step=0 10 5", .wrongWork),
    ("run sum@3/c?step=-1 10 5", .wrongWork),
    ("run sum@3/c?step=-2 10 5", .wrongWork),
  ])
  func aServerSaysWhatIsWrong(line: String, failure: WorkerAnswer.Failure) {
    let server = WorkerServer(workloads: [Sum()], context: WorkloadContext(directory: "/"))
    let answer = server.answer(line)
    #expect(answer.failure == failure)
    #expect(answer.message?.isEmpty == false)
    #expect(answer.operations == 0)
  }

  @Test func countersAreReadOnlyWhenAskedFor() {
    var states: [Bool] = []
    let server = WorkerServer(
      workloads: [Sum()], context: WorkloadContext(directory: "/"),
      counters: [Meter.Reading(counter: .wakeups) { 7 }], setCounting: { states.append($0) })
    #expect(server.answer("run sum@3/c?step=2 10 5").counters[.wakeups] == nil)
    #expect(server.answer("count sum@3/c?step=2 10 5").counters[.wakeups] == 0)
    #expect(states == [false, false, true, false])
  }
}

/// Adds numbers. A step of 0 throws, of -1 skips an operation, of -2 never opens the meter.
private struct Sum: Workload {
  let name = "sum"
  let summary = "an addition"
  let revision = 3
  let parameters = [Parameter("step", 1, help: "what is added")]
  let styles: [Style] = [.c]

  func makeInstance(
    style: Style, parameters: ParameterValues, context: WorkloadContext
  ) -> any WorkloadInstance {
    ClosureInstance { request in
      let step = parameters["step"]
      guard step != 0 else { throw WrongWork("nothing to add") }
      if step != -2 { request.meter.open() }
      var sum = request.seed
      for _ in 0..<request.operations { sum &+= UInt64(abs(step)) }
      request.meter.close()
      return RunOutcome(operations: request.operations - (step == -1 ? 1 : 0), checksum: sum)
    }
  }
}
