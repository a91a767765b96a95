#if Everything
import Testing
import UV
import UVFutures
import UVPromises
import UVTestSupport

/// One rule says which error a cancelled task gets: it is in the type of the function that waits.
@Suite struct CancellationRuleTests {
  /// When a task is cancelled: before it runs, in its own code before it waits, or while it waits.
  enum Moment: CaseIterable { case beforeItRuns, beforeItWaits, whileItWaits }

  private func cancelCurrentTask() { withUnsafeCurrentTask { $0!.cancel() } }

  /// Runs `wait` in a task that is cancelled, and returns what it throws.
  nonisolated(nonsending) func errorWhenCancelled(
    _ loop: EventLoop, _ moment: Moment, _ wait: nonisolated(nonsending) @escaping () async throws -> Void
  ) async throws -> any Error {
    let task = loop.spawn { () async throws in
      if moment == .beforeItWaits { self.cancelCurrentTask() }
      try await wait()
    }
    if moment == .whileItWaits { try await loop.settle() }
    if moment != .beforeItWaits { task.cancel() }
    return await #expect(throws: (any Error).self) { try await task.value }!
  }

  @Test("Where the type is UVError, the error is UVError with cancelled", arguments: Moment.allCases)
  func typed(moment: Moment) async throws {
    try await withLoop { loop in
      let errors = [
        try await self.errorWhenCancelled(loop, moment) {
          try await loop.sleep(for: .untilCancelled).value
        },
        try await self.errorWhenCancelled(loop, moment) {
          for try await _ in loop.ticks(every: .seconds(100)) {}
        },
        try await self.errorWhenCancelled(loop, moment) {
          for try await _ in CustomSource<Int>(loop, "idle", resume: { _ in }) {}
        },
        try await self.errorWhenCancelled(loop, moment) {
          let (future, resolve) = Future<Int, UVError>.pending(on: loop)
          _ = try await future.value
          resolve(.success(1))
        },
      ]
      for error in errors { #expect((error as? UVError)?.code == .cancelled, "\(error)") }
    }
  }

  @Test("Where the type is any error, the error is CancellationError", arguments: Moment.allCases)
  func untyped(moment: Moment) async throws {
    try await withLoop { loop in
      let errors = [
        try await self.errorWhenCancelled(loop, moment) {
          try await loop.clock.sleep(for: .untilCancelled)
        },
        try await self.errorWhenCancelled(loop, moment) {
          try await loop.sleep(for: .untilCancelled).promise().async()
        },
        try await self.errorWhenCancelled(loop, moment) {
          let (promise, resolver) = Promise<Void>.pending()
          promise.done {}.cauterize()
          try await promise.async()
          resolver.fulfill(())
        },
        try await self.errorWhenCancelled(loop, moment) {
          let (future, resolve) = Future<Int, any Error>.pending(on: loop)
          _ = try await future.value
          resolve(.success(1))
        },
      ]
      for error in errors { #expect(error is CancellationError, "\(error)") }
    }
  }

  @Test func `A promise that was cancelled itself says so in its own words`() async throws {
    try await withLoop { loop in
      let promise = loop.sleep(for: .untilCancelled).promise()
      promise.cancel()
      let error = await #expect(throws: (any Error).self) { try await promise.async() }
      #expect(error is PMKError)
    }
  }
}
#endif
