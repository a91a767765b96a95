import Testing
import UV
import UVTestSupport

/// What a task says of itself, from its start to its end.
@Suite struct LoopTaskStateTests {
  private struct OwnError: Error {}

  enum End: CaseIterable, Sendable { case value, error, cancelled, cancelledWithValue, cancelledTooLate }

  @Test(arguments: End.allCases)
  func `A task has its outcome when it has ended, for everybody who asks, before and after`(end: End)
    async throws
  {
    try await withLoop { loop in
      let gate = LoopSemaphore(loop, value: 0)
      let task = loop.spawn { () async throws -> Int in
        do { try await gate.wait().value } catch { if end != .cancelledWithValue { throw error } }
        if end == .error { throw OwnError() }
        return 7
      }
      func describe(_ result: Result<Int, any Error>?) -> String {
        switch result {
        case nil: "none"
        case .success(let value): "\(value)"
        case .failure(let error): (error as? UVError)?.name ?? "\(type(of: error))"
        }
      }
      let log = Log<String>()
      let waiters = (0..<3).map { _ in
        loop.spawn {
          do { log.append("\(try await task.value)") } catch { log.append(describe(.failure(error))) }
        }
      }
      try await loop.settle()
      #expect(
        describe(task.resultIfFinished) == "none" && !task.isCancelled && task.keepsLoopRunning
          && log.values == [])
      // Who waits may be cancelled, and the task isn't.
      waiters[1].cancel()
      try await loop.settle()
      #expect(!task.isCancelled && describe(task.resultIfFinished) == "none")
      switch end {
      case .value, .error, .cancelledTooLate: gate.signal()
      case .cancelled, .cancelledWithValue:
        task.cancel()
        #expect(task.isCancelled)
      }
      for waiter in waiters { await waiter.value }
      if end == .cancelledTooLate { task.cancel() }
      let expected = end == .error ? "OwnError" : end == .cancelled ? "ECANCELED" : "7"
      #expect(describe(task.resultIfFinished) == expected && log.values == [expected, expected, expected])
      #expect(task.isCancelled == [.cancelled, .cancelledWithValue].contains(end) && !task.keepsLoopRunning)
      for _ in 0..<2 {
        let again: Result<Int, any Error>
        do { again = .success(try await task.value) } catch { again = .failure(error) }
        #expect(describe(again) == expected)
      }
      if [.value, .error, .cancelledTooLate].contains(end) { #expect(gate.value == 0) }
    }
  }

  @Test func `A run ends without tasks that don't keep it, and the next run goes on with them`() async throws
  {
    let log = Log<String>()
    try await withThread {
      let loop = try EventLoop()
      var tasks: [LoopTask<Void, Never>] = []
      var held: AsyncStream<Int>.Continuation?
      for keeps in [false, true] {
        let task = loop.spawn {
          let (stream, continuation) = AsyncStream.makeStream(of: Int.self)
          if keeps {
            loop.sleep(for: .milliseconds(1)) { _ in continuation.finish() }
          } else {
            held = continuation
          }
          for await _ in stream {}
          log.append("\(keeps) ended, \(Task.isCancelled)")
        }
        task.keepsLoopRunning = keeps
        #expect(task.keepsLoopRunning == keeps)
        tasks.append(task)
      }
      loop.runCallbacks { _ in }
      #expect(log.values == ["true ended, false"] && tasks[0].resultIfFinished == nil)
      loop.runCallbacks { loop in
        loop.sleep(for: .milliseconds(1)) { _ in held?.finish() }
        loop.sleep(for: .milliseconds(5)) { _ in }
      }
      #expect(log.values == ["true ended, false", "false ended, false"])
      // A task that has ended ignores it.
      tasks[0].keepsLoopRunning = true
      #expect(!tasks[0].keepsLoopRunning)
      loop.shutdown()
    }
  }
}
