import Testing
import UV
import UVPromises
import UVTestSupport

/// What a cancelled task gets that awaits a promise, and that nothing is left. A task that was cancelled
/// before waits for nothing.
@Suite struct CancelledAwaitTests {
  /// What the promise waits for.
  enum Work: CaseIterable, Sendable { case resolver, request, task, chain, all, race }

  private static func promise(_ work: Work, _ loop: EventLoop, _ resolvers: inout [Resolver<Int>]) -> Promise<
    Int
  > {
    let (pending, resolver) = Promise<Int>.pending()
    resolvers.append(resolver)
    let sleep = { loop.sleep(for: .untilCancelled).promise().map { 1 } }
    switch work {
    case .resolver: return pending
    case .request: return sleep()
    case .task:
      return Promise {
        try await loop.sleep(for: .untilCancelled).value
        return 1
      }
    case .chain: return sleep().then { _ in pending }.ensure {}
    case .all: return when(fulfilled: [pending, sleep()]).map(\.count)
    case .race: return race(pending, sleep())
    }
  }

  @Test(
    "A cancelled task that awaits a promise gets CancellationError, and the promise is cancelled",
    arguments: Work.allCases, [false, true])
  func cancelled(work: Work, isCancelledBefore: Bool) async throws {
    try await withLoop { loop in
      var resolvers: [Resolver<Int>] = []
      let promise = Self.promise(work, loop, &resolvers)
      let task = loop.spawn { try await promise.async() }
      if !isCancelledBefore { await Task.yield() }
      task.cancel()
      await #expect(throws: CancellationError.self) { try await task.value }
      // What it waits for may have to end first.
      while promise.isPending { await Task.yield() }
      #expect(promise.error?.isCancelled == true)
      // What comes afterwards isn't taken.
      for resolver in resolvers where work == .resolver { #expect(!resolver.fulfill(1)) }
    }
  }

  @Test(
    "If somebody else waits for the promise, only the wait of the cancelled task ends",
    arguments: [false, true])
  func shared(isCancelledBefore: Bool) async throws {
    try await withLoop { loop in
      let (promise, resolver) = Promise<Int>.pending()
      let other = loop.spawn { try await promise.async() }
      await Task.yield()
      let task = loop.spawn { try await promise.async() }
      if !isCancelledBefore { await Task.yield() }
      task.cancel()
      await #expect(throws: CancellationError.self) { try await task.value }
      #expect(resolver.fulfill(42))
      let value = try await other.value
      #expect(value == 42)
    }
  }

  @Test("A cancelled task waits for a guarantee all the same", arguments: [false, true])
  func guarantee(isCancelledBefore: Bool) async throws {
    try await withLoop { loop in
      let (guarantee, resolve) = Guarantee<Int>.pending()
      let task = loop.spawn { await guarantee.async() }
      if !isCancelledBefore { await Task.yield() }
      task.cancel()
      await Task.yield()
      #expect(task.resultIfFinished == nil)
      resolve(42)
      #expect(await task.value == 42)
    }
  }

  @Test func `A deadline around a promise ends the wait and the work`() async throws {
    try await withLoop { loop in
      let promise = loop.sleep(for: .untilCancelled).promise()
      await #expect(throws: UVError.self) {
        try await loop.withDeadline(.milliseconds(1)) { try await promise.async() }
      }
      #expect(promise.error?.isCancelled == true)
    }
  }
}
