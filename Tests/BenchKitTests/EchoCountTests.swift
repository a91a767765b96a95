import BenchKit
import Testing

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// What a request of `tcp-echo` costs in the steady state, counted in a worker of the program that was built with
/// these tests. Counts are the slope between so many requests and twice as many.
@Suite struct EchoCountTests {
  /// What a request may cost in a style.
  struct Bounds: Sendable {
    var style: Style
    /// Blocks of memory.
    var allocations: Double
    /// Parts of tasks: one for each suspension, and a request is one.
    var jobs: Double
  }

  private static let requests = 2000

  /// Counts per request of `tcp-echo` with 50 connections.
  private func counts(_ style: Style) throws -> [String: Double] {
    try Products.withDirectory { directory in
      let worker = try WorkerProcess(
        command: [
          Products.directory + "/uvbench", "worker", "--parent", "\(getpid())", "--directory", directory,
        ])
      defer { worker.finish() }
      let id = WorkloadID(
        workload: "tcp-echo", revision: 1, style: style,
        parameters: ParameterValues(["connections": 50, "size": 64]))
      func count(_ operations: Int) throws -> [String: UInt64] {
        try worker.ask(WorkerRequest(.count, id, operations: operations, seed: 1)).counters
      }
      // A run now and then meets something that is not of the program: the middle one of several does not.
      var slopes: [String: [Double]] = [:]
      for _ in 0..<5 {
        let (once, twice) = (try count(Self.requests), try count(2 * Self.requests))
        for (name, value) in once {
          let more = Double(twice[name] ?? 0) - Double(value)
          slopes[name, default: []].append(more / Double(Self.requests))
        }
      }
      return slopes.mapValues(Statistics.median)
    }
  }

  @Test(arguments: [
    Bounds(style: .c, allocations: 0, jobs: 0), Bounds(style: .callback, allocations: 0, jobs: 0),
    Bounds(style: .async, allocations: 0, jobs: 1), Bounds(style: .promise, allocations: 2, jobs: 0),
    Bounds(style: .future, allocations: 3, jobs: 0),
  ])
  func aRequestCostsNoMore(bounds: Bounds) throws {
    let counts = try counts(bounds.style)
    print("\(bounds.style): \(counts)")
    if let allocations = counts["allocations"] { #expect(allocations <= bounds.allocations) }
    if let jobs = counts["jobs_run"] { #expect(jobs <= bounds.jobs) }
    #expect(counts["jobs_from_other_threads"] == 0)
    #expect(counts["wakeups"] ?? 0 == 0)
    // One read and one write, as in C; waits are shared by the requests that they bring.
    if let calls = counts["system_calls"] { #expect(calls == 2) }
  }
}
