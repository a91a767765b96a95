import Testing
import UV
import UVTestSupport

/// A child task of a loop's task, which runs on the loop's thread but is none that the loop has started.
@Suite struct ChildTaskTests {
  private typealias Ask = @Sendable () async throws(UVError) -> Void
  private typealias Row = (name: String, ends: Ask, neverEnds: Ask)

  /// What a child asks for: on one end of a connection something has come, on the other nothing will.
  private static func rows(
    _ loop: EventLoop, _ fed: TCPConnection, _ starved: TCPConnection, _ listener: TCPListener
  ) -> [Row] {
    // Sound: a child task of a loop's task runs on the loop's thread.
    nonisolated(unsafe) let (loop, fed, starved, listener) = (loop, fed, starved, listener)
    return [
      (
        "sleep", { () async throws(UVError) in try await loop.sleep(for: .zero).value },
        { () async throws(UVError) in try await loop.sleep(for: .untilCancelled).value }
      ),
      (
        "next", { () async throws(UVError) in _ = try await fed.next().value },
        { () async throws(UVError) in _ = try await starved.next().value }
      ),
      (
        "iterator",
        { () async throws(UVError) in
          var iterator = fed.makeAsyncIterator()
          _ = try await iterator.next()
        },
        { () async throws(UVError) in
          var iterator = starved.makeAsyncIterator()
          _ = try await iterator.next()
        }
      ),
      (
        "line", { () async throws(UVError) in _ = try await fed.readLine(limit: 80).value },
        { () async throws(UVError) in _ = try await starved.readLine(limit: 80).value }
      ),
      (
        "file", { () async throws(UVError) in _ = try await loop.files.stat("/").value },
        { () async throws(UVError) in _ = try await listener.accept().value }
      ),
      (
        "tick",
        { () async throws(UVError) in _ = try await loop.ticks(every: .milliseconds(1)).next().value },
        { () async throws(UVError) in _ = try await loop.ticks(every: .untilCancelled).next().value }
      ),
    ]
  }

  /// The outcome of `ask` in a child task, which is cancelled before it asks, or while it waits.
  private nonisolated(nonsending) static func outcome(
    of ask: @escaping Ask, _ loop: EventLoop, isCancelledBefore: Bool? = nil
  ) async throws -> Result<Void, UVError> {
    try await withThrowingTaskGroup(of: Result<Void, UVError>.self) { group in
      group.addTask {
        if isCancelledBefore == true { while !Task.isCancelled { await Task.yield() } }
        do throws(UVError) { return .success(try await ask()) } catch { return .failure(error) }
      }
      if isCancelledBefore == false { try await loop.settle() }
      if isCancelledBefore != nil { group.cancelAll() }
      return try await group.next()!
    }
  }

  @Test func `A child task waits for its answer, and no longer than until it is cancelled`() async throws {
    try await withPair { loop, client, server in
      let listener = try loop.tcp.listen(host: "127.0.0.1", port: 0)
      for row in Self.rows(loop, client, server, listener) {
        try await server.write("x\n").value
        let answered = try await Self.outcome(of: row.ends, loop)
        #expect(answered.error == nil, "\(row.name)")
        for isBefore in [false, true] {
          let ended = try await Self.outcome(of: row.neverEnds, loop, isCancelledBefore: isBefore)
          #expect(ended.error?.code == .cancelled, "\(row.name), cancelled before: \(isBefore)")
        }
      }
      listener.close()
    }
  }
}
