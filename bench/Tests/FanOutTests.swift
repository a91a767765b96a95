import Testing

@testable import BenchHarness

/// One message to many connections, some of which don't read.
@Suite struct FanOutTests {
  private static let (connections, slow, messages) = (20, 4, 400)

  private func answer(_ style: Style, slow: Int, verb: WorkerRequest.Verb) throws -> WorkerAnswer {
    let id = WorkloadID(
      workload: "fan-out", revision: 1, style: style,
      parameters: ParameterValues([
        "connections": Self.connections, "slow": slow, "messages": Self.messages, "size": 1024,
      ]))
    let answer = try Products.withWorker {
      try $0.ask(WorkerRequest(verb, id, operations: Self.messages, seed: 1), within: 60)
    }
    try #require(answer.failure == nil, "\(answer.message ?? "")")
    return answer
  }

  @Test("Each connection that reads gets each message", arguments: Style.all)
  func eachReaderGetsEachMessage(style: Style) throws {
    for slow in [0, Self.slow] {
      let answer = try answer(style, slow: slow, verb: .run)
      // The load generator has seen that the slow ones get the rest later, or hear what they have missed.
      #expect(answer.latencies.counts.reduce(0, +) == UInt64(Self.messages * (Self.connections - slow)))
    }
  }

  @Test("What waits for a slow connection is bounded", arguments: Style.all)
  func whatWaitsIsBounded(style: Style) throws {
    let answer = try answer(style, slow: Self.slow, verb: .count)
    // Where the allocator doesn't say, there is no such count.
    guard let held = answer.counters[.heldBytes] else { return }
    let bytes = held / UInt64(Self.messages)
    // Something waits; and no more than the mark allows, with what carries it.
    #expect(bytes > 0 && bytes < 3 * 65536, "\(bytes)")
  }
}
