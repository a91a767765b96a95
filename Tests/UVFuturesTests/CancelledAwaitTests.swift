#if Everything
import Testing
import UV
import UVFutures
import UVTestSupport

/// What a cancelled task gets that awaits a future or iterates over a publisher, and that nothing is left.
@Suite struct CancelledAwaitTests {
  private struct Other: Error {}

  @Test(
    "A cancelled task that awaits a future gets the cancellation that the failure has, and the work is cancelled",
    arguments: [false, true])
  func future(isCancelledBefore: Bool) async throws {
    try await withLoop { loop in
      func outcome<T, E>(_ future: Future<T, E>) async -> Result<T, E> {
        let task = loop.spawn { () async throws(E) -> T in try await future.value }
        if !isCancelledBefore { await Task.yield() }
        task.cancel()
        do throws(E) { return .success(try await task.value) } catch { return .failure(error) }
      }
      let named = await outcome(loop.sleep(for: .untilCancelled).future())
      guard case .failure(let error) = named else { return #expect(Bool(false), "\(named)") }
      #expect(error.isCancelled)
      let any = await outcome(
        Future<Int, any Error> {
          try await loop.sleep(for: .untilCancelled).value
          return 1
        })
      guard case .failure(let failure) = any else { return #expect(Bool(false), "\(any)") }
      #expect(failure is CancellationError)
    }
  }

  @Test(
    "If somebody else waits for the future, only the wait of the cancelled task ends",
    arguments: [false, true])
  func shared(isCancelledBefore: Bool) async throws {
    try await withLoop { loop in
      var answer: ((Result<Void, UVError>) -> Void)?
      let future = Future<Void, UVError> { answer = $0 }
      let other = loop.spawn { try await future.value }
      await Task.yield()
      let task = loop.spawn { try await future.value }
      if !isCancelledBefore { await Task.yield() }
      task.cancel()
      await #expect(throws: UVError(.cancelled, operation: "await")) { try await task.value }
      answer?(.success(()))
      try await other.value
    }
  }

  @Test("A future whose failure can't say so is waited for", arguments: [false, true])
  func others(isCancelledBefore: Bool) async throws {
    try await withLoop { loop in
      var resolve: ((Result<Int, Other>) -> Void)?
      let future = Future<Int, Other> { resolve = $0 }
      let task = loop.spawn { () async throws(Other) in try await future.value }
      if !isCancelledBefore { await Task.yield() }
      task.cancel()
      await Task.yield()
      #expect(task.resultIfFinished == nil)
      resolve?(.success(42))
      let value = try await task.value
      #expect(value == 42)
    }
  }

  @Test(
    "A cancelled task that iterates over a publisher gets the end, and the subscription is cancelled",
    arguments: [false, true])
  func values(isCancelledBefore: Bool) async throws {
    try await withLoop { loop in
      var cancelled = 0
      let subject = PassthroughSubject<Int, UVError>()
      let publisher = subject.handleEvents(receiveCancel: { cancelled += 1 }).eraseToAnyPublisher()
      let task = loop.spawn { () async throws -> [Int] in
        var seen: [Int] = []
        for try await value in AnyLoopPublisher(publisher).values { seen.append(value) }
        return seen
      }
      await Task.yield()
      if !isCancelledBefore {
        subject.send(1)
        await Task.yield()
      }
      task.cancel()
      let value = try await task.value
      #expect(value == (isCancelledBefore ? [] : [1]))
      #expect(cancelled == 1)
    }
  }
}

/// Tasks that await a future whose promise was released.
@Suite struct AbandonedFutureTests {
  @Test("Awaiting a future whose promise was released throws abandoned", arguments: [false, true])
  func throwsAbandoned(isEarly: Bool) async throws {
    try await withLoop { loop in
      func future<Failure: Error>() -> Future<Int, Failure> {
        Future { promise in
          if !isEarly { loop.sleep(for: .milliseconds(1)) { _ in withExtendedLifetime(promise) {} } }
        }
      }
      let (plain, typed): (Future<Int, any Error>, Future<Int, UVError>) = (future(), future())
      await expectError(.abandoned, of: try await typed.value)
      do {
        _ = try await plain.value
        Issue.record("it has a value")
      } catch let error as UVError { #expect(error.code == .abandoned) }
      // Each time.
      await expectError(.abandoned, of: try await typed.value)
    }
  }

  @Test("Where the failure can't say so, the program stops with a sentence", arguments: [false, true])
  func stops(isEarly: Bool) async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      [isEarly = isEarly as Bool] in
      EventLoop.run { loop in
        _ = await Future<Int, Never> { promise in
          if !isEarly { loop.sleep(for: .milliseconds(1)) { _ in withExtendedLifetime(promise) {} } }
        }
        .value
      }
    }
    let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(text.contains("a task awaits the value of a future whose promise was released"), "\(text)")
  }

  @Test func `A cancelled task that awaits such a future doesn't keep the loop`() async throws {
    try await withThread {
      let task = EventLoop.runCallbacks { loop in
        let task = loop.spawn {
          await Future<Int, Never> { promise in
            loop.sleep(for: .milliseconds(1)) { _ in withExtendedLifetime(promise) {} }
          }
          .value
        }
        loop.queueMicrotask { task.cancel() }
        return task
      }
      #expect(task.resultIfFinished == nil)
    }
  }
}
#endif
