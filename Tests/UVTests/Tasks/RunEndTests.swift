import Dispatch
import Testing
import UV
import UVTestSupport

/// How a body that somebody else runs on a loop may end, and what its caller gets.
@Suite struct RunEndTests {
  private struct OwnError: Error {}

  /// Ways for a body to end, of which none is the loop's own end.
  enum End: CaseIterable, Sendable {
    case value, ownError, cancellationError, cancelledError, cancelledRequest, closedConnection,
      cancelledChild, deadline,
      group, timedOut, loopClosedElsewhere

    /// What the caller is to get.
    var expected: String {
      switch self {
      case .value: "value"
      case .ownError: "OwnError"
      case .cancellationError: "CancellationError"
      case .cancelledError, .cancelledRequest, .closedConnection, .cancelledChild: "ECANCELED"
      case .deadline, .timedOut: "ETIMEDOUT"
      case .group: "OwnError"
      case .loopClosedElsewhere: "ELOOPCLOSED"
      }
    }

    nonisolated(nonsending) func run(_ loop: EventLoop) async throws -> String {
      switch self {
      case .value: return "value"
      case .ownError: throw OwnError()
      case .cancellationError: throw CancellationError()
      case .cancelledError: throw UVError(.cancelled, operation: "own")
      case .cancelledRequest:
        // Another function of the loop cancels what the body waits for.
        let sleep = LoopCondition(loop)
        var pending = PendingRequest()
        let waiting = Request<Void>(loop, operation: "own") { done in
          pending = sleep.wait(done)
          return pending
        }
        loop.sleep(for: .zero) { _ in pending.cancel() }
        try await waiting.value
        return "not cancelled"
      case .closedConnection:
        let (near, far) = try loop.pipes.socketPair()
        loop.sleep(for: .zero) { _ in near.close() }
        defer { far.close() }
        _ = try await near.next().value
        return "not closed"
      case .cancelledChild:
        let child = loop.spawn { () async throws in try await loop.sleep(for: .untilCancelled).value }
        loop.sleep(for: .zero) { _ in child.cancel() }
        try await child.value
        return "not cancelled"
      case .deadline:
        return try await loop.withDeadline(.milliseconds(1)) {
          try await loop.sleep(for: .untilCancelled).value
          return "late"
        }
      case .group:
        return try await loop.withTasks { tasks in
          tasks.spawn { throw OwnError() }
          try await loop.sleep(for: .untilCancelled).value
          return "late"
        }
      case .timedOut:
        try await loop.sleep(for: .untilCancelled).timeout(after: .milliseconds(1)).value
        return "late"
      case .loopClosedElsewhere: throw UVError(.loopClosed, operation: "own")
      }
    }
  }

  enum Caller: CaseIterable, Sendable { case ownLoop, otherLoop, detached, request }

  @Sendable private static func name(_ error: any Error) -> String {
    (error as? UVError)?.name ?? "\(type(of: error))"
  }

  @Test(arguments: End.allCases, Caller.allCases)
  func `What a body ends with is its caller's, as long as its loop runs on`(end: End, caller: Caller)
    async throws
  {
    // A request passes no other error than the library's own.
    if caller == .request, ["OwnError", "CancellationError"].contains(end.expected) { return }
    let log = Log<String>()
    try await withLoop { loop in
      let group = try EventLoopGroup(count: 1)
      let executor = group.executors[0]
      @Sendable func ask() async {
        do { log.append(try await executor.run { loop in try await end.run(loop) }) } catch {
          log.append(Self.name(error))
        }
      }
      switch caller {
      case .otherLoop: await ask()
      case .detached: await Task.detached { await ask() }.value
      case .ownLoop:
        try await executor.submit { loop in _ = loop.spawn { await ask() } }
        try await loop.until { !log.values.isEmpty }
      case .request:
        let request = executor.run(on: loop) { loop async throws(UVError) -> String in
          do { return try await end.run(loop) } catch {
            throw error as? UVError ?? UVError(.busy, operation: "own")
          }
        }
        do throws(UVError) { log.append(try await request.value) } catch { log.append(error.name) }
      }
      // The loop goes on.
      #expect(
        try await executor.run { loop in
          try await loop.sleep(for: .zero).value; return 7
        } == 7)
      let statistics = try await executor.submit { $0.statistics }
      #expect(statistics.timers == 0 && statistics.requests == 0)
      _ = await group.shutdownGracefully(within: .zero)
    }
    #expect(log.values == [end.expected])
  }

  @Test func `A body whose error has a type ends with that error, cancelled or not`() async throws {
    try await withLoop { loop in
      let group = try EventLoopGroup(count: 1)
      let executor = group.executors[0]
      for code in [UVError.Code.cancelled, .timedOut, .loopClosed, .brokenPipe] {
        let error = UVError(code, operation: "own", subject: "it")
        do throws(UVError) {
          try await executor.run { _ async throws(UVError) in throw error }
          Issue.record("no error")
        } catch let thrown { #expect(thrown == error) }
      }
      _ = await group.shutdownGracefully(within: .zero)
    }
  }

  @Test func `A caller that is cancelled gets what its body makes of that`() async throws {
    try await withLoop { loop in
      let group = try EventLoopGroup(count: 1)
      let executor = group.executors[0]
      for answer in ["value", "error", "cancelled"] {
        let begun = Log<Void>()
        let task = loop.spawn { () async throws in
          try await executor.run { loop in
            begun.append(())
            do { try await loop.sleep(for: .untilCancelled).value } catch {
              if answer == "value" { return answer }
              if answer == "error" { throw OwnError() }
              throw error
            }
            return "not cancelled"
          }
        }
        try await loop.until { !begun.values.isEmpty }
        task.cancel()
        let end: String
        do { end = try await task.value } catch { end = Self.name(error) }
        #expect(end == ["value": "value", "error": "OwnError", "cancelled": "ECANCELED"][answer])
      }
      _ = await group.shutdownGracefully(within: .zero)
    }
  }
}
