import Testing
import UV
import UVTestSupport

/// What one run leaves to the next on the same loop: nothing of a stop, in whatever way the run before has ended.
@Suite struct StoppedBodyTests {
  private struct Failed: Error {}

  /// A run that is over, in which somebody may have called `stop`.
  enum Before: CaseIterable {
    case nothing, stopOutside, stopInBody, stopInBodyThatThrows, throwsOnly, stopInCallback, stopInTask,
      taskBodyThrows,
      stopInTaskBodyThatThrows, stopFromExecutor, stopInTurn

    func run(_ loop: EventLoop) throws {
      switch self {
      case .nothing: loop.runCallbacks { _ in }
      case .stopOutside: loop.stop()
      case .stopInBody: loop.runCallbacks { $0.stop() }
      case .stopInBodyThatThrows:
        #expect(throws: Failed.self) {
          try loop.runCallbacks { (loop) throws in
            loop.stop()
            throw Failed()
          }
        }
      case .throwsOnly:
        #expect(throws: Failed.self) { try loop.runCallbacks { (_) throws in throw Failed() } }
      case .stopInCallback: loop.runCallbacks { loop in loop.sleep(for: .zero) { _ in loop.stop() } }
      case .stopInTask: loop.runCallbacks { loop in loop.spawn { loop.stop() } }
      case .taskBodyThrows:
        #expect(throws: Failed.self) { try loop.run { (_) async throws in throw Failed() } }
      case .stopInTaskBodyThatThrows:
        #expect(throws: Failed.self) {
          try loop.run { (loop) async throws in
            loop.stop()
            throw Failed()
          }
        }
      case .stopFromExecutor: loop.runCallbacks { $0.executor.stop() }
      case .stopInTurn:
        loop.sleep(for: .zero) { _ in loop.stop() }
        while try loop.runNoWait() {}
      }
    }
  }

  /// The run after it.
  enum After: CaseIterable {
    case callbacks, tasks, once, withoutWaiting

    /// Whether a sleep that begins in it ends in it.
    func run(_ loop: EventLoop) throws -> Bool {
      var hasFired = false
      let begin = { loop.sleep(for: .milliseconds(2)) { hasFired = $0.error == nil } }
      switch self {
      case .callbacks: loop.runCallbacks { _ in _ = begin() }
      case .tasks:
        return try loop.run { loop in
          try await loop.sleep(for: .milliseconds(2)).value
          return true
        }
      case .once:
        _ = begin()
        var turns = 0
        while try loop.runOnce(), turns < 1_000_000 { turns += 1 }
      case .withoutWaiting:
        _ = begin()
        while try loop.runNoWait() {}
      }
      return hasFired
    }
  }

  @Test(
    "A run goes on to its end, however the one before it ended", arguments: Before.allCases, After.allCases)
  func next(before: Before, after: After) async throws {
    try await withThread {
      let loop = try EventLoop()
      for _ in 0..<2 {
        try before.run(loop)
        #expect(try after.run(loop))
        #expect(try after.run(loop))
      }
      #expect(try !loop.runNoWait())
      loop.shutdown()
    }
  }

  @Test("A stop in a body ends the run that follows, whatever the body has begun") func stopInBody()
    async throws
  {
    let log = Log<String>()
    try await withThread {
      let loop = try EventLoop()
      let value = loop.runCallbacks { loop in
        loop.sleep(for: .untilCancelled) { log.append("sleep \($0.error?.name ?? "ok")") }
        loop.spawn {
          log.append(
            "task \(await code { () async throws(UVError) in try await loop.sleep(for: .untilCancelled).value }?.name ?? "ok")"
          )
        }
        loop.stop()
        loop.stop()
        return 7
      }
      #expect(value == 7)
      // The task has ended, and what is no task's goes on in the next run.
      #expect(log.values == ["task ECANCELED"])
      loop.shutdown()
      #expect(log.values == ["task ECANCELED", "sleep ECANCELED"])
    }
  }
}
