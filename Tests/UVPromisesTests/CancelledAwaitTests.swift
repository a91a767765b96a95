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

  /// How a task comes to await a promise.
  enum Shape: CaseIterable, Sendable {
    case own, earlier, chain, all, limited, nested, deadline, group, thrown
  }

  @Test(
    "A promise whose task is cancelled before it begins stops the work that the task awaits",
    arguments: Shape.allCases)
  func cancelledBeforeItBegan(shape: Shape) async throws {
    let stopped = Log<Int>()
    try await withLoop { loop in
      for number in 0..<100 {
        func work() -> Promise<Int> {
          Promise<Int> { seal in
            // Nothing that comes in time fulfils it.
            let limit = loop.sleep(for: .untilCancelled) { _ in seal.fulfill(1) }
            seal.onCancel {
              stopped.append(number)
              limit.cancel()
            }
          }
        }
        let earlier = shape == .earlier ? work() : nil
        let promise = Promise<Int> { () async throws -> Int in
          switch shape {
          case .own: try await work().async()
          case .earlier: try await earlier!.async()
          case .chain: try await work().map { $0 }.ensure {}.async()
          case .all: try await when(fulfilled: [work()]).async()[0]
          case .limited: try await work().timeout(after: .seconds(1000)).async()
          case .nested: try await Promise<Int> { try await work().async() }.async()
          case .deadline: try await loop.withDeadline(.seconds(1000)) { try await work().async() }
          case .group:
            try await loop.withTasks { group in try await group.spawn { try await work().async() }.value }
          case .thrown:
            try await firstly { work() }.recover { error throws -> Promise<Int> in throw error }.async()
          }
        }
        promise.cancel()
      }
      loop.eventually(stopped.values.sorted() == Array(0..<100))
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
