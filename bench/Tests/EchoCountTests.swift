import Testing

@testable import BenchHarness

/// What a request of `tcp-echo`, a cancelled timer and a limit cost in the steady state, counted: in a worker
/// of the program that was built with these tests, and in the committed file of what a release build costs,
/// which `gate --counts` keeps true.
@Suite struct EchoCountTests {
  /// What a request costs in a style, at most.
  struct Bounds: Sendable {
    var style: Style
    /// Blocks of memory, in a release build and in one for debugging.
    var allocations, allocationsInDebug: Double
    /// Parts of tasks: one for each suspension, and a request is one.
    var jobs: Double
    var workload = "tcp-echo"
    var revision = 1
    var parameters = ["connections": 50, "size": 64]
    /// Of an echo one read and one write, as in C; a wait is shared by the requests that it brings.
    var systemCalls = 2.0

    var id: WorkloadID {
      WorkloadID(
        workload: workload, revision: revision, style: style, parameters: ParameterValues(parameters))
    }

    static func timer(_ style: Style, _ allocations: Double, inDebug: Double, jobs: Double = 0) -> Bounds {
      Bounds(
        style: style, allocations: allocations, allocationsInDebug: inDebug, jobs: jobs,
        workload: "timer-cancel", revision: 2, parameters: ["standing": 0], systemCalls: 0)
    }

    static func limit(_ style: Style, _ allocations: Double, inDebug: Double, jobs: Double = 0) -> Bounds {
      Bounds(
        style: style, allocations: allocations, allocationsInDebug: inDebug, jobs: jobs,
        workload: "timeout-wrap", parameters: ["limited": 1], systemCalls: 0)
    }
  }

  static let bounds = [
    Bounds(style: .c, allocations: 0, allocationsInDebug: 0, jobs: 0),
    Bounds(style: .callback, allocations: 0, allocationsInDebug: 1, jobs: 0),
    Bounds(style: .async, allocations: 0, allocationsInDebug: 0, jobs: 1),
    Bounds(style: .promise, allocations: 1, allocationsInDebug: 5, jobs: 0),
    Bounds(style: .future, allocations: 1, allocationsInDebug: 2, jobs: 0),
    // The closure of the one who waits.
    .timer(.callback, 0, inDebug: 2), .timer(.promise, 4, inDebug: 12), .timer(.future, 6, inDebug: 11),
    .timer(.async, 10, inDebug: 15, jobs: 6),
    // Without a limit 4, 6, 5 and 3: a limit that isn't reached is one object, in a task two. Without optimization a promise takes
    // one more than when its steps were classes of their own; with it, one fewer.
    .limit(.callback, 5, inDebug: 9), .limit(.promise, 7, inDebug: 19), .limit(.future, 7, inDebug: 14),
    .limit(.async, 5, inDebug: 9, jobs: 1),
  ]

  private static let requests = 2000

  /// What each request adds: the slope between so many and twice as many. What happens beside them only adds
  /// to a count now and then, so that the lowest of several is that of the requests.
  private func counts(_ id: WorkloadID) throws -> [Counter: Double] {
    try Products.withWorker { worker in
      func count(_ operations: Int) throws -> [Counter: UInt64] {
        try (0..<5).map { _ in
          try worker.ask(WorkerRequest(.count, id, operations: operations, seed: 1)).counters
        }.reduce([:]) { $0.merging($1) { min($0, $1) } }
      }
      let (once, twice) = (try count(Self.requests), try count(2 * Self.requests))
      return once.merging(twice) { $1 &- $0 }.mapValues {
        Double(Int64(bitPattern: $0)) / Double(Self.requests)
      }
    }
  }

  @Test(arguments: bounds) func aRequestCostsNoMore(bounds: Bounds) throws {
    let counts = try counts(bounds.id)
    let allocations = Machine.build == "debug" ? bounds.allocationsInDebug : bounds.allocations
    expect(counts, .allocations, atMost: allocations)
    expect(counts, .jobsRun, atMost: bounds.jobs)
    expect(counts, .jobsFromOtherThreads, atMost: 0)
    expect(counts, .wakeups, atMost: 0)
    expect(counts, .systemCalls, atMost: bounds.systemCalls)
  }

  @Test(arguments: bounds) func theCommittedFileSaysSo(bounds: Bounds) throws {
    let folder =
      Products.root + "/bench/baselines/"
    let machine = Machine.current()
    let name = CountsBaseline(
      swift: Machine.swiftVersion, libraries: ["libuv": "1.52.1"], architecture: machine.architecture,
      rows: [:]
    ).fileName
    // Other versions have no file, or one of their own.
    guard let text = try? String(contentsOfFile: folder + name, encoding: .utf8) else { return }
    let baseline = try LineJSON.value(CountsBaseline.self, text)
    let counts = try #require(baseline.rows[bounds.id.description]).mapValues(\.value)
    expect(counts, .allocations, atMost: bounds.allocations)
    expect(counts, .jobsRun, atMost: bounds.jobs)
    expect(counts, .jobsFromOtherThreads, atMost: 0)
    expect(counts, .systemCalls, atMost: bounds.systemCalls)
  }

  /// Where allocations and calls cannot be counted (a sanitizer, another C library) there is no such count.
  private func expect(_ counts: [Counter: Double], _ counter: Counter, atMost bound: Double) {
    guard let count = counts[counter] else { return }
    // A longer number in the question is a block more in one of the two runs.
    #expect(count <= bound + 0.002, "\(counter) in \(counts)")
  }
}
