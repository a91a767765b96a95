#if Everything
import Dispatch
import NIOCore
import Synchronization
import Testing
import UV
import UVNIO
import UVTestSupport

/// Scheduled work that is cancelled, in whichever order and from whichever thread.
@Suite(.serialized) struct CancellingTests {
  private static let count = 20_000

  /// Counts its calls.
  private final class Handler: NIOScheduledCallbackHandler, Sendable {
    let called = Atomic(0)
    let cancelled = Atomic(0)
    func handleScheduledCallback(eventLoop: some NIOCore.EventLoop) { called.add(1, ordering: .relaxed) }
    func didCancelScheduledCallback(eventLoop: some NIOCore.EventLoop) {
      if eventLoop.inEventLoop { cancelled.add(1, ordering: .relaxed) }
    }
  }

  /// Runs `body` on another thread, to its end.
  private static func elsewhere<T: Sendable>(_ body: @escaping @Sendable () throws -> T) throws -> T {
    let result = Mutex<Result<T, any Error>?>(nil)
    let isDone = DispatchSemaphore(value: 0)
    DispatchQueue.global().async {
      result.withLock { $0 = Result { try body() } }
      isDone.signal()
    }
    isDone.wait()
    return try result.withLock { $0 }!.get()
  }

  @Test("A callback that another thread has just scheduled can be cancelled on the loop")
  func onTheirWay() async throws {
    let handler = Handler()
    try await withGroup { group in
      let loop = group.next()
      try loop.submit {
        // While the loop is busy here, they can't arrive.
        let callbacks = try Self.elsewhere {
          try (0..<Self.count).map { _ in try loop.scheduleCallback(at: .now(), handler: handler) }
        }
        for callback in callbacks { callback.cancel() }
        for callback in callbacks { callback.cancel() }
      }.wait()
      try loop.scheduleTask(in: .milliseconds(1)) {}.futureResult.wait()
    }
    #expect(handler.called.load(ordering: .relaxed) == 0)
    #expect(handler.cancelled.load(ordering: .relaxed) == Self.count)
  }

  @Test("A callback that any thread has cancelled isn't called any more, although the loop hears of it later")
  func fromElsewhere() async throws {
    let handler = Handler()
    try await withGroup { group in
      let loop = group.next()
      try loop.submit {
        // They are due when this returns.
        let callbacks = try (0..<Self.count).map { _ in
          try loop.scheduleCallback(at: .now(), handler: handler)
        }
        try Self.elsewhere { for callback in callbacks { callback.cancel() } }
      }.wait()
      try loop.scheduleTask(in: .milliseconds(1)) {}.futureResult.wait()
    }
    #expect(handler.called.load(ordering: .relaxed) == 0)
    #expect(handler.cancelled.load(ordering: .relaxed) == Self.count)
  }

  @Test("While a thread schedules callbacks and the loop cancels them, each is called or cancelled, once")
  func racing() async throws {
    let handler = Handler()
    try await withGroup { group in
      let loop = group.next()
      let futures = try (0..<Self.count).map { number in
        let callback = try loop.scheduleCallback(at: .now(), handler: handler)
        if number % 2 == 0 { return loop.submit { callback.cancel() } }
        callback.cancel()
        return loop.submit {}
      }
      for future in futures { try future.wait() }
      try loop.scheduleTask(in: .milliseconds(1)) {}.futureResult.wait()
    }
    let (called, cancelled) = (
      handler.called.load(ordering: .relaxed), handler.cancelled.load(ordering: .relaxed)
    )
    #expect(called + cancelled == Self.count)
    #expect(called <= Self.count / 2)
  }

  @Test(
    "A task that is cancelled before it has arrived neither runs nor keeps the loop running until its date")
  func keeping() async throws {
    try await withThread {
      try UV.EventLoop.run { loop in
        let nio = loop.nio
        let tasks = try Self.elsewhere {
          (0..<Self.count).map { number in
            nio.scheduleTask(deadline: number % 2 == 0 ? .now() : .now() + .hours(1)) {
              Issue.record("a cancelled task has run")
            }
          }
        }
        for task in tasks { task.cancel() }
        for task in tasks {
          #expect(throws: EventLoopError.cancelled) { try task.futureResult.result() }
        }
      }
    }
  }

  @Test("Callbacks that are cancelled while the loop ends are notified once, by whichever comes first")
  func ending() async throws {
    let handler = Handler()
    try await withThread {
      let group = try UVEventLoopGroup(count: 1)
      let loop = group.next()
      let callbacks = try (0..<Self.count).map { _ in
        try loop.scheduleCallback(in: .hours(1), handler: handler)
      }
      let isDone = DispatchSemaphore(value: 0)
      DispatchQueue.global().async {
        for callback in callbacks { callback.cancel() }
        isDone.signal()
      }
      try group.syncShutdownGracefully()
      isDone.wait()
    }
    #expect(handler.called.load(ordering: .relaxed) == 0)
    #expect(handler.cancelled.load(ordering: .relaxed) == Self.count)
  }
}

extension EventLoopFuture where Value: Sendable {
  /// The value of a future that is settled, on its loop's thread.
  fileprivate func result() throws {
    let result = NIOLoopBoundBox<Result<Value, any Error>?>(nil, eventLoop: eventLoop)
    whenComplete { result.value = $0 }
    _ = try #require(result.value).get()
  }
}
#endif
