import Testing

@testable import BenchHarness

/// The memory of connections that wait.
@Suite struct IdleConnectionTests {
  private func counts(_ style: Style, tls: Int, connections: Int = 500) throws -> [Counter: UInt64] {
    let id = WorkloadID(
      workload: "idle-connections", revision: 1, style: style,
      parameters: ParameterValues(["connections": connections, "size": 64, "tls": tls]))
    let answer = try Products.withWorker {
      try $0.ask(WorkerRequest(.count, id, operations: connections, seed: 1), within: 60)
    }
    try #require(answer.failure == nil, "\(answer.message ?? "")")
    return answer.counters.mapValues { $0 / UInt64(connections) }
  }

  @Test(
    "An idle connection holds its handle and more, and gives it back when it closes", arguments: Style.all)
  func aConnectionGivesBackWhatItHolds(style: Style) throws {
    // So many that what the process keeps for its first ones is little for each.
    let counts = try counts(style, tls: 0, connections: 2000)
    // Where the allocator doesn't say, there is no such count.
    guard let held = counts[.heldBytes], let kept = counts[Counter(rawValue: "kept_bytes")] else { return }
    // That is what libuv's handle takes.
    #expect(held >= 248)
    // The row in C keeps it for the next connection.
    #expect(style == .c ? kept <= held : kept < held / 2, "\(kept) of \(held) bytes")
  }

  @Test("TLS adds what OpenSSL holds", arguments: Style.all)
  func tlsHoldsMore(style: Style) throws {
    let (plain, secure) = (try counts(style, tls: 0)[.heldBytes], try counts(style, tls: 1)[.heldBytes])
    guard let plain, let secure else { return }
    #expect(secure > plain + 4096)
  }
}
