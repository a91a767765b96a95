#if Everything
import Dispatch
import Foundation
import Testing
import UV
import UVFutures
import UVTestSupport

/// Publishers that are no loop's send from any thread; the operators here bring that to their loop, or let in
/// one at a time.
@Suite struct ThreadTests {
  /// Calls `body` on two threads at once, `count` times each, and returns when they are through.
  private static func fromTwoThreads(
    _ count: Int, _ body: @escaping @Sendable (_ thread: Int, _ index: Int) -> Void
  ) {
    DispatchQueue.concurrentPerform(iterations: 2) { thread in
      for index in 0..<count { body(thread, index) }
    }
  }

  /// Sends from two threads while the loop runs, and ends the subjects.
  private static func send(_ count: Int, to subjects: [PassthroughSubject<Int, Never>], on loop: EventLoop) {
    let subjects = Box(subjects)
    // Keeps the loop running until all has been sent.
    loop.work {
      fromTwoThreads(count) { thread, index in subjects.value![thread].send(index) }
      for subject in subjects.value! { subject.send(completion: .finished) }
    } _: { _ in
    }
  }

  /// A subscriber of another library's, which gets its subscription on the thread that subscribes.
  // Sound: the loop hears of what comes, after the other thread has subscribed.
  private final class Asking: Subscriber, @unchecked Sendable {
    typealias Failure = UVError
    let executor: LoopExecutor
    let log: Log<String>
    init(_ executor: LoopExecutor, _ log: Log<String>) { (self.executor, self.log) = (executor, log) }

    /// Returns when the loop has got what is asked.
    func receive(subscription: any Subscription) {
      subscription.request(.max(1))
      if executor.isOnLoop { return }
      let hasArrived = DispatchSemaphore(value: 0)
      try? executor.execute { _ in hasArrived.signal() }
      hasArrived.wait()
    }

    func receive(_ input: Int) -> Subscribers.Demand {
      log.append("\(input) \(executor.isOnLoop)")
      return .none
    }

    func receive(completion: Subscribers.Completion<UVError>) { log.append("\(completion)") }
  }

  /// As the `flatMap` of a subject does whose values come from there.
  @Test func `A request that another thread's subscriber asks for is started on its loop`() async throws {
    await #expect(processExitsWith: .success) {
      let log = Log<String>()
      EventLoop.runCallbacks { loop in
        let (request, subscriber) = (Box(loop.sleep(for: .zero).map { 1 }), Asking(loop.executor, log))
        loop.work {
          request.value!.publisher().subscribe(subscriber)
        } _: { _ in
        }
      }
      precondition(log.values == ["1 true", "finished"])
    }
  }

  @Test(
    "Two subjects that are merged on a loop and send from two threads are heard on the loop, each value once")
  func mergedSubjects() async throws {
    try await withCallbackLoop { loop in
      let subjects = [PassthroughSubject<Int, Never>(), PassthroughSubject<Int, Never>()]
      var (sum, count, ends) = (0, 0, 0)
      let token = subjects[0].merge(with: subjects[1]).sink { _ in
        ends += 1
        #expect(sum == 2 * (0..<5000).reduce(0, +))
        #expect(count == 10_000)
      } receiveValue: {
        #expect(loop.executor.isOnLoop)
        sum += $0
        count += 1
      }
      Self.send(5000, to: subjects, on: loop)
      loop.eventually(ends == 1) { token.cancel() }
    }
  }

  @Test func `Children of a flatMap that send from two threads are heard on the loop`() async throws {
    try await withCallbackLoop { loop in
      let subjects = [PassthroughSubject<Int, Never>(), PassthroughSubject<Int, Never>()]
      var (sum, ends) = (0, 0)
      let token = [0, 1].publisher.flatMap { subjects[$0] }.sink { _ in
        ends += 1
      } receiveValue: {
        #expect(loop.executor.isOnLoop)
        sum += $0
      }
      Self.send(5000, to: subjects, on: loop)
      loop.eventually(ends == 1) { token.cancel() }
    }
  }

  @Test("The latest values of two subjects that send from two threads are heard on the loop")
  func latest() async throws {
    try await withCallbackLoop { loop in
      let subjects = [PassthroughSubject<Int, Never>(), PassthroughSubject<Int, Never>()]
      var (last, ends) = ((0, 0), 0)
      let token = subjects[0].combineLatest(subjects[1]).sink { _ in
        ends += 1
        #expect(last == (4999, 4999))
      } receiveValue: {
        #expect(loop.executor.isOnLoop)
        last = $0
      }
      Self.send(5000, to: subjects, on: loop)
      loop.eventually(ends == 1) { token.cancel() }
    }
  }

  @Test func `Without a loop, what two threads send to a merge is let in one after the other`() async throws {
    try await withThread {
      let subjects = Box([PassthroughSubject<Int, Never>(), PassthroughSubject<Int, Never>()])
      let result = Box((sum: 0, count: 0, ends: 0))
      let token = subjects.value![0].merge(with: subjects.value![1]).sink { _ in
        result.value!.ends += 1
      } receiveValue: {
        result.value!.sum += $0
        result.value!.count += 1
      }
      Self.fromTwoThreads(5000) { thread, index in subjects.value![thread].send(index) }
      for subject in subjects.value! { subject.send(completion: .finished) }
      #expect(result.value!.sum == 2 * (0..<5000).reduce(0, +))
      #expect(result.value!.count == 10_000)
      #expect(result.value!.ends == 1)
      token.cancel()
    }
  }

  @Test func `A subscription to a merge is cancelled from one thread while others send`() async throws {
    try await withThread {
      for _ in 0..<200 {
        let subjects = Box([PassthroughSubject<Int, Never>(), PassthroughSubject<Int, Never>()])
        let token = Box(subjects.value![0].merge(with: subjects.value![1]).sink { _ in })
        DispatchQueue.concurrentPerform(iterations: 3) { thread in
          if thread == 2 { return token.value!.cancel() }
          for index in 0..<50 { subjects.value![thread].send(index) }
        }
      }
    }
  }

  @Test func `A subscription is handed to the thread that cancels it, as the article says`() async throws {
    try await withCallbackLoop { loop in
      var count = 0
      nonisolated(unsafe) let subscription = loop.ticks(every: .milliseconds(1)).publisher()
        .sink(receiveCompletion: { _ in Issue.record("a completion") }, receiveValue: { _ in count += 1 })
      // The ticks keep the loop running until then.
      loop.eventually(count > 2) { DispatchQueue.global().async { subscription.cancel() } }
    }
  }

  @Test("A task off the loop that iterates over a merge ends when it is cancelled", .timeLimit(.minutes(1)))
  func valuesOffTheLoop() async throws {
    let subjects = Box([PassthroughSubject<Int, Never>(), PassthroughSubject<Int, Never>()])
    for _ in 0..<200 {
      let task = Task.detached {
        var count = 0
        for await _ in subjects.value![0].merge(with: subjects.value![1]).values { count += 1 }
        return count
      }
      await Task.yield()
      task.cancel()
      #expect(await task.value == 0)
    }
  }

  @Test("A timeout on a loop is cancelled from other threads while values come from others")
  func timeoutCancelledFromElsewhere() async throws {
    try await withLoop { loop in
      let subject = Box(PassthroughSubject<Int, Never>())
      for _ in 0..<100 {
        let tokens = Box(
          (0..<4).map { _ in
            subject.value!.timeout(.seconds(1000), scheduler: loop).sink { _ in }
          })
        try await loop.work {
          DispatchQueue.concurrentPerform(iterations: 4) { index in
            for value in 0..<10 { subject.value!.send(value) }
            tokens.value![index].cancel()
          }
        }.value
      }
    }
  }

  @Test(
    "Delay, throttle and collect on a loop are cancelled from other threads while values come from others")
  func timedOperatorsCancelledFromElsewhere() async throws {
    try await withLoop { loop in
      let subject = Box(PassthroughSubject<Int, Never>())
      for _ in 0..<100 {
        let subject = subject.value!
        let tokens = Box([
          subject.delay(for: .seconds(1000), scheduler: loop).sink { _ in },
          subject.throttle(for: .seconds(1000), scheduler: loop, latest: true).sink { _ in },
          subject.collect(.byTime(loop, .seconds(1000))).sink { _ in },
          subject.debounce(for: .seconds(1000), scheduler: loop).sink { _ in },
        ])
        let sender = Box(subject)
        try await loop.work {
          DispatchQueue.concurrentPerform(iterations: 4) { index in
            for value in 0..<10 { sender.value!.send(value) }
            tokens.value![index].cancel()
          }
        }.value
      }
    }
  }

  #if DEBUG
  @Test("A loop that ends before its futures have been settled names them, in debug builds")
  func unsettledFuturesAreNamed() async throws {
    let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
      var kept: [Any] = []
      EventLoop.runCallbacks { loop in
        kept.append(Future<Int, Never> { kept.append($0) })
        kept.append(Future<Int, Never> { kept.append($0) })
        kept.append(Future<String, Never>.pending(on: loop))
        kept.append(Future<Int8, Never> { $0(.success(1)) })
        _ = Future<Int16, Never> { _ in }
        loop.queueMicrotask { loop.stop() }
      }
      withExtendedLifetime(kept) {}
    }
    let output = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    let missing = "2 × Future<Int, Never>, Future<String, Never>"
    #expect(output.contains("an event loop has ended before a result came for: \(missing)\n"))
  }
  #endif
}
#endif
