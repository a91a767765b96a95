import Dispatch
import Testing
import UV
import UVTestSupport

/// An asynchronous function that somebody else runs on a loop.
@Suite struct LoopExecutorRunTests {
  private struct OwnError: Error {}

  /// Runs `body` with a loop of another thread, which is then shut down.
  private func withOther(
    _ body:
      nonisolated(nonsending) @escaping @Sendable (EventLoop, LoopExecutor, EventLoopGroup) async throws ->
      Void
  ) async throws {
    try await withLoop { loop in
      let group = try EventLoopGroup(count: 1)
      try await body(loop, group.executors[0], group)
      _ = await group.shutdownGracefully(within: .zero)
    }
  }

  @Test func `The body stays on the loop's thread while it waits, whichever thread calls`() async throws {
    actor Elsewhere {
      func ask(_ executor: LoopExecutor) async throws -> Bool { try await onLoop(executor) }
    }
    @MainActor @Sendable func askOnMain(_ executor: LoopExecutor) async throws -> Bool {
      try await onLoop(executor)
    }
    @Sendable func onLoop(_ executor: LoopExecutor) async throws -> Bool {
      try await executor.run { loop in
        try await loop.sleep(for: .milliseconds(1)).value
        let child = loop.spawn { loop.executor.isOnLoop }
        return await child.value && executor.isOnLoop && loop.executor === executor
      }
    }
    try await withOther { loop, executor, _ in
      var places = [try await onLoop(executor)]
      places.append(try await Elsewhere().ask(executor))
      places.append(try await askOnMain(executor))
      places.append(try await Task.detached { try await onLoop(executor) }.value)
      let answer = AsyncStream<Bool?>.makeStream()
      DispatchQueue.global().async {
        Task {
          answer.continuation.yield(try? await onLoop(executor))
          answer.continuation.finish()
        }
      }
      for await isOnLoop in answer.stream { #expect(isOnLoop == true) }
      // A task of the loop itself, too.
      places.append(try await onLoop(loop.executor))
      #expect(places == Array(repeating: true, count: 5))
    }
  }

  @Test func `Errors keep their type`() async throws {
    try await withOther { _, executor, _ in
      do throws(UVError) {
        try await executor.run { loop async throws(UVError) in
          _ = try await loop.files.stat("/no/such/file").value
        }
        Issue.record("no error")
      } catch {
        #expect(error.code == .noSuchFile)
      }
      await #expect(throws: OwnError.self) { try await executor.run { _ in throw OwnError() } }
      do throws(UVError) {
        // A body that can't throw leaves what the loop says.
        let value = try await executor.run { _ in 42 }
        #expect(value == 42)
      } catch {
        Issue.record(error)
      }
    }
  }

  @Test func `The body's task has a name and a place in the loop's snapshot`() async throws {
    try await withOther { _, executor, _ in
      let text = try await executor.run(name: "report") { loop in loop.snapshot().description }
      #expect(text.contains("report") && text.contains("LoopExecutorRunTests.swift"), "\(text)")
    }
  }

  @Test("A cancellation before the body begins drops it", arguments: [false, true])
  func cancelledBefore(isLoopTask: Bool) async throws {
    let log = Log<String>()
    try await withOther { loop, executor, _ in
      let (entered, gate) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
      try executor.execute { _ in
        entered.signal()
        gate.wait()
      }
      entered.wait()
      let canceller: () -> Void
      if isLoopTask {
        let task = loop.spawn {
          do { try await executor.run { _ in log.append("began") } } catch { log.append("\(error)") }
        }
        canceller = { task.cancel() }
      } else {
        let task = Task.detached {
          do { try await executor.run { _ in log.append("began") } } catch { log.append("\(error)") }
        }
        canceller = { task.cancel() }
      }
      try await loop.sleep(for: .milliseconds(1)).value
      canceller()
      // While the other loop is still busy.
      try await loop.until { !log.values.isEmpty }
      gate.signal()
      try await executor.submit { _ in }
    }
    #expect(log.values == ["run: operation canceled (ECANCELED)"])
  }

  @Test("A cancellation afterwards cancels the body and waits for its end", arguments: [false, true])
  func cancelledAfter(isLoopTask: Bool) async throws {
    let log = Log<String>()
    @Sendable func ask(_ executor: LoopExecutor) async {
      do {
        try await executor.run { loop in
          log.append("began")
          do { try await loop.sleep(for: .untilCancelled).value } catch { log.append("\(error)") }
          try await loop.withShield { try await loop.sleep(for: .milliseconds(5)).value }
          log.append("ended")
          throw OwnError()
        }
      } catch { log.append("\(type(of: error))") }
    }
    try await withOther { loop, executor, _ in
      if isLoopTask {
        let task = loop.spawn { await ask(executor) }
        try await loop.until { !log.values.isEmpty }
        task.cancel()
        await task.value
      } else {
        let task = Task.detached { await ask(executor) }
        try await loop.until { !log.values.isEmpty }
        task.cancel()
        await task.value
      }
    }
    #expect(log.values == ["began", "sleep: operation canceled (ECANCELED)", "ended", "OwnError"])
  }

  @Test func `A deadline around it ends the body; so does the end of a child task's parent`() async throws {
    try await withOther { loop, executor, _ in
      await #expect(throws: UVError.self) {
        try await loop.withDeadline(.milliseconds(2)) {
          try await executor.run { loop in try await loop.sleep(for: .untilCancelled).value }
        }
      }
      let parent = Task.detached {
        try await withThrowingTaskGroup(of: Void.self) { tasks in
          tasks.addTask {
            try await executor.run { loop in try await loop.sleep(for: .untilCancelled).value }
          }
          try await tasks.next()
        }
      }
      parent.cancel()
      await #expect(throws: UVError.self) { try await parent.value }
      let timers = try await executor.submit { $0.statistics.timers }
      #expect(timers == 0)
    }
  }

  @Test("A loop that stops while the body waits is named in the error, not a cancellation")
  func stops() async throws {
    try await withOther { loop, executor, group in
      let log = Log<String>()
      let task = loop.spawn { () async throws(UVError) in
        try await executor.run { loop async throws(UVError) in
          log.append("began")
          try await loop.sleep(for: .untilCancelled).value
        }
      }
      try await loop.until { !log.values.isEmpty }
      executor.stop()
      await expectError(.loopClosed, of: try await task.value)
      _ = await group.shutdownGracefully(within: .zero)
      await expectError(.loopClosed, of: try await executor.run { _ in log.append("never") })
      #expect(log.values == ["began"])
    }
  }

  @Test func `A body that the loop's end finds in the inbox is answered, and doesn't begin`() async throws {
    let log = Log<String>()
    try await withThread {
      let loop = try EventLoop()
      let executor = loop.executor
      let sent = DispatchSemaphore(value: 0)
      let answered = DispatchSemaphore(value: 0)
      Task.detached {
        // The loop is asked before it is shut down.
        async let answer: Void = executor.run { _ in log.append("began") }
        async let second: Void = {
          try await Task.sleep(for: .milliseconds(5)); sent.signal()
        }()
        try? await second
        do { try await answer } catch { log.append("\((error as? UVError)?.code == .loopClosed)") }
        answered.signal()
      }
      sent.wait()
      loop.shutdown()
      answered.wait()
    }
    #expect(log.values == ["true"])
  }

  @Test func `A body can outlive the caller's loop no longer than its cancellation takes`() async throws {
    let log = Log<String>()
    try await withThread {
      let group = try EventLoopGroup(count: 1)
      let executor = group.executors[0]
      EventLoop.run { loop in
        loop.spawn {
          do {
            try await executor.run { loop in
              log.append("began")
              try await loop.sleep(for: .untilCancelled).value
            }
          } catch { log.append("\(error)") }
        }
        try? await loop.until { !log.values.isEmpty }
        loop.stop()
      }
      EventLoop.run { _ in _ = await group.shutdownGracefully(within: .zero) }
    }
    #expect(log.values == ["began", "sleep: operation canceled (ECANCELED)"])
  }

  @Test(
    "As a request it answers on the caller's loop, is cancelled with its body, and hears of each loop's end")
  func request() async throws {
    let log = Log<String>()
    try await withThread {
      let group = try EventLoopGroup(count: 1)
      let executor = group.executors[0]
      let loop = try EventLoop()
      try loop.runCallbacks { loop in
        var hasReturned = false
        executor.run(on: loop) { other in
          other.executor === executor && executor.isOnLoop
        }.start { result in
          #expect(hasReturned && loop.executor.isOnLoop)
          log.append("\(result.value == true)")
        }
        hasReturned = true
        let waiting = executor.run(on: loop) { other async throws(UVError) in
          try await other.sleep(for: .untilCancelled).value
        }
        let pending = waiting.start { log.append($0.error?.name ?? "none") }
        executor.run(on: loop) { _ in 1 }.start { _ in pending.cancel() }
      }
      loop.shutdown()
      executor.run(on: loop) { _ in }.start { log.append("\($0.error!.code == .loopClosed)") }
      EventLoop.run { _ in _ = await group.shutdownGracefully(within: .zero) }
      try EventLoop.runCallbacks { loop in
        executor.run(on: loop) { _ in }.start { log.append("\($0.error!.code == .loopClosed)") }
      }
    }
    #expect(log.values == ["true", "ECANCELED", "true", "true"])
  }
}
