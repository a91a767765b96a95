import Testing

@testable import BenchHarness

/// Servers that are asked for more than they can do.
@Suite struct OverloadTests {
  private static let requests = 200

  /// The answers to requests on 50 connections at once, by kind.
  private func answers(_ style: Style, limit: Int) throws -> (busy: UInt64, withWork: UInt64) {
    let id = WorkloadID(
      workload: "overload", revision: 1, style: style,
      parameters: ParameterValues(["connections": 50, "limit": limit]))
    let answer = try Products.withWorker {
      try $0.ask(WorkerRequest(.run, id, operations: Self.requests, seed: 1), within: 60)
    }
    try #require(answer.failure == nil, "\(answer.message ?? "")")
    func count(_ name: String) -> UInt64 { answer.counters[Counter(rawValue: name)] ?? 0 }
    let withWork = count("in_time") + count("late")
    #expect(answer.latencies.counts.reduce(0, +) == withWork)
    return (count("busy"), withWork)
  }

  @Test("A server with a limit says no to some requests, and each is answered", arguments: Style.all)
  func aServerWithALimitSaysNo(style: Style) throws {
    let (busy, withWork) = try answers(style, limit: 1)
    #expect(busy > 0 && withWork > 0)
    #expect(busy + withWork == Self.requests)
  }

  @Test("A server without a limit does all work", arguments: Style.all)
  func aServerWithoutALimitDoesAllWork(style: Style) throws {
    let (busy, withWork) = try answers(style, limit: 0)
    #expect(busy == 0 && withWork == Self.requests)
  }

  @Test func `The command has a row for each style with a limit and without, and judges those with`() throws {
    let output = try Products.shell("$UVBENCH run --overload --rounds 1 --duration 0.01")
    #expect(output.code == 0, "\(output.text)")
    for style in Style.all {
      #expect(output.lines.count { $0.contains(" \(style) ") && $0.contains("/s ") } == 2)
      #expect(output.lines.count { $0.hasPrefix("\(style): keeps ") } == 1)
    }
  }
}
