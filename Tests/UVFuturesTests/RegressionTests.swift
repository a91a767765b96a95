#if Everything
import Testing
import UV
import UVFutures
import UVTestSupport

/// What has gone wrong once.
@Suite struct FutureRegressionTests {
  @Test("A future that is settled and whose waiter is cancelled in one turn answers once")
  func settledAndCancelled() async throws {
    try await withLoop { loop in
      let (future, resolve) = Future<Int, any Error>.pending(on: loop)
      let task = loop.spawn { try await future.value }
      try await loop.sleep(for: .zero).value
      resolve(.success(1))
      task.cancel()
      #expect(try await task.value == 1)
    }
  }

  @Test("Work is cancelled when all tasks that wait for it have been, whatever the failure")
  func twoCancelledWaiters() async throws {
    try await withLoop { loop in
      let cancelled = Log<String>()
      let future = Future<Int, Never>(operation: { () async -> Int in
        do { try await loop.sleep(for: .untilCancelled).value } catch { cancelled.append("cancelled") }
        return 3
      })
      let tasks = (0..<2).map { _ in loop.spawn { await future.value } }
      try await loop.sleep(for: .zero).value
      tasks[0].cancel()
      try await loop.sleep(for: .zero).value
      #expect(cancelled.values == [])
      tasks[1].cancel()
      for task in tasks { #expect(await task.value == 3) }
      #expect(cancelled.values == ["cancelled"])
    }
  }

  @Test func `Values that are sent while one is delivered are neither lost nor overtaken`() {
    let (left, right) = (PassthroughSubject<Int, Never>(), PassthroughSubject<Int, Never>())
    let probe = Probe<Int, Never>(.max(1), then: .max(1))
    probe.onValue = { if $0 == 1 { right.send(2) } }
    Publishers.Merge(left, right).subscribe(probe)
    left.send(1)
    left.send(3)
    left.send(completion: .finished)
    right.send(completion: .finished)
    #expect(probe.values == [1, 2, 3])
    #expect(probe.completions == [.finished])
  }

  @Test("A second subscription that a publisher hands out is cancelled, and the first goes on")
  func aSecondSubscription() async throws {
    @Sendable func look(_ make: (LateSubscription) -> any Publisher<Int, Never>) {
      let (source, second) = (LateSubscription(), LateSubscription())
      let probe = Probe<Int, Never>()
      make(source).subscribe(probe)
      source.begin()
      source.begin(with: second)
      #expect(second.isCancelled)
      #expect(!source.isCancelled)
      source.send(1)
      #expect(probe.values == [1])
      probe.cancel()
      #expect(source.isCancelled)
    }
    let all: @Sendable () -> Void = {
      look { $0.merge(with: PassthroughSubject()) }
      look { $0.combineLatest(Just(0)).map { $0.0 } }
      look { source in [1].publisher.flatMap { _ in source } }
    }
    try await withCallbackLoop { _ in
      all()
      look { AnyLoopPublisher($0) }
    }
    try await withThread { all() }
  }

  @Test("A value that comes before the subscription is nobody's, and ends the waits", .timeLimit(.minutes(1)))
  func aValueBeforeTheSubscription() async throws {
    try await withLoop { loop in
      let source = LateSubscription()
      var iterator = AnyLoopPublisher(source).values.makeAsyncIterator()
      loop.queueMicrotask { source.send(1) }
      #expect(await iterator.next() == nil)
      source.begin()
      source.send(completion: .finished)
      #expect(await iterator.next() == nil)
    }
  }

  @Test func `The end reaches an inner publisher that subscribes late`() {
    let late = LateSubscription()
    let outer = PassthroughSubject<Int, Never>()
    let cancellable = AnyLoopPublisher(outer).flatMap { value -> AnyLoopPublisher<Int, Never> in
      value == 1 ? AnyLoopPublisher(Empty(completeImmediately: false)) : AnyLoopPublisher(late)
    }
    .sink { _ in }
    outer.send(1)
    outer.send(2)
    cancellable.cancel()
    late.begin()
    #expect(late.isCancelled)
  }
}

/// A publisher that hands its subscription out when asked to.
private final class LateSubscription: Publisher, Subscription {
  typealias Output = Int
  typealias Failure = Never
  private var subscriber: AnySubscriber<Int, Never>?
  private(set) var isCancelled = false

  func receive<S: Subscriber>(subscriber: S) where S.Input == Int, S.Failure == Never {
    self.subscriber = AnySubscriber(subscriber)
  }

  func begin(with other: LateSubscription? = nil) { subscriber?.receive(subscription: other ?? self) }
  func send(_ value: Int) { _ = subscriber?.receive(value) }
  func send(completion: Subscribers.Completion<Never>) { subscriber?.receive(completion: completion) }
  func request(_ demand: Subscribers.Demand) {}
  func cancel() { isCancelled = true }
}
#endif
