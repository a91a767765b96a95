import Dispatch
import Foundation
import Testing
import UV
import UVFutures
import UVTestSupport

/// A future that is made on a loop keeps it running until it is settled or dropped, and is settled from any thread.
@Suite struct RootTests {
  /// Runs `body` on another thread a little later.
  private static func elsewhere(_ body: @escaping () -> Void) {
    let work = Box(body)
    DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(2)) {
      let body = work.value!
      work.value = nil
      body()
    }
  }

  @Test("The promise of a future may be called on another thread, and is heard on the loop")
  func aPromise() async throws {
    let log = Log<String>()
    try await withCallbackLoop { loop in
      var tokens: [AnyCancellable] = []
      for index in 0..<3 {
        let future = Future<Int, Trouble> { promise in Self.elsewhere { promise(.success(index)) } }
        future.sink { _ in
        } receiveValue: {
          log.append("sink \($0) \(loop.executor.isOnLoop)")
        }
        .store(in: &tokens)
        future.on { log.append("on \($0) \(loop.executor.isOnLoop)") }
      }
      Future<Int, Trouble> { promise in Self.elsewhere { promise(.failure(.first)) } }
        .onError { log.append("\($0) \(loop.executor.isOnLoop)") }
      loop.queueMicrotask { _ = tokens }
    }
    #expect(
      log.values.sorted()
        == ["first true", "on 0 true", "on 1 true", "on 2 true"])
    #expect(log.values.count == 4)
  }

  @Test("Two thousand futures are resolved by other threads while they are subscribed to")
  func many() async throws {
    let sum = Log<Int>()
    try await withCallbackLoop { loop in
      var total = 0
      for index in 0..<2000 {
        let future = Future<Int, Never> { promise in
          let work = Box { promise(.success(index)) }
          DispatchQueue.global().async { work.value!() }
        }
        future.on {
          total += $0
          if total == 2000 * 1999 / 2 { sum.append(total) }
        }
      }
    }
    #expect(sum.values == [2000 * 1999 / 2])
  }

  @Test("A promise that is let go on another thread no longer keeps the loop", .timeLimit(.minutes(1)))
  func aDroppedPromise() async throws {
    try await withCallbackLoop { loop in
      weak var future: Future<Int, Never>?
      let looked = DispatchSemaphore(value: 0)
      do {
        let pending = Future<Int, Never> { promise in
          Self.elsewhere {
            looked.wait()
            withExtendedLifetime(promise) {}
          }
        }
        pending.on { _ in Issue.record("a value") }
        future = pending
      }
      #expect(future != nil)
      looked.signal()
      // One that is let go at once.
      _ = Future<Int, Never> { _ in }
    }
  }

  @Test("A future input is completed, and let go, on other threads")
  func inputs() async throws {
    let log = Log<String>()
    try await withCallbackLoop { loop in
      let completed = FutureInput<Int, Trouble>()
      completed.on { log.append("\($0) \(loop.executor.isOnLoop)") }
      Self.elsewhere {
        completed.complete(1)
        completed.complete(2)
      }
      let dropped = Box<FutureInput<Int, Trouble>>(FutureInput())
      dropped.value!.onTerminate { log.append("\($0) \(loop.executor.isOnLoop)") }
      Self.elsewhere { dropped.value = nil }
    }
    #expect(log.values.sorted() == ["1 true", "cancelled true"])
  }

  @Test("Lazy futures, stream promises and progressions are settled on other threads")
  func others() async throws {
    let log = Log<String>()
    try await withCallbackLoop { loop in
      Lazy<Int, Never> { promise in Self.elsewhere { promise(.success(1)) } }
        .on { log.append("lazy \($0) \(loop.executor.isOnLoop)") }
      var runs = 0
      StreamPromise<Int, Trouble> { _, done in
        runs += 1
        let isFirst = runs == 1
        Self.elsewhere { done(isFirst ? .failure(.first) : .success(2)) }
      }
      .retry(1).on { log.append("promise \($0) \(loop.executor.isOnLoop)") }
      Progression<Int, Int, Never> { progress, done in
        Self.elsewhere {
          progress(ProgressEvent(title: "", unit: "", current: 1, total: 2))
          done(.success(3))
        }
        return nil
      }
      .onProgress { log.append("at \($0.current) \(loop.executor.isOnLoop)") }
      .on { log.append("progression \($0) \(loop.executor.isOnLoop)") }
      let input = ProgressionInput<Int, Int, Never>()
      input.onProgress { log.append("input at \($0.current) \(loop.executor.isOnLoop)") }
        .on { log.append("input \($0) \(loop.executor.isOnLoop)") }
      Self.elsewhere {
        input.updateProgress(ProgressEvent(title: "", unit: "", current: 1, total: 2))
        input.complete(4)
      }
    }
    #expect(
      log.values.sorted() == [
        "at 1 true", "input 4 true", "input at 1 true", "lazy 1 true", "progression 3 true", "promise 2 true",
      ])
  }

  @Test("A cancelled stream promise or progression does not keep the loop, whoever holds its completion")
  func cancelled() async throws {
    let kept = Log<UnsafeHolder>()
    try await withCallbackLoop { loop in
      let promise = StreamPromise<Int, Never> { _, done in kept.append(UnsafeHolder(done)) }
      let progression = Progression<Int, Int, Never> { _, done in
        kept.append(UnsafeHolder(done))
        return nil
      }
      let input = ProgressionInput<Int, Int, Never>()
      loop.eventually {
        kept.values.count == 2
      } then: {
        promise.cancel()
        progression.cancel()
        input.cancel()
      }
    }
    #expect(kept.values.count == 2)
  }

  @Test("A future made without a loop is resolved on one thread while others subscribe and cancel")
  func withoutALoop() async throws {
    try await withThread {
      for _ in 0..<300 {
        let promise = Box<Future<Int, Never>.Promise>(nil)
        let future = Box(Future<Int, Never> { promise.value = $0 })
        let heard = Log<Int>()
        DispatchQueue.concurrentPerform(iterations: 3) { index in
          switch index {
          case 0: promise.value!(.success(1))
          case 1: future.value!.sink { heard.append($0) }.cancel()
          default:
            let done = DispatchSemaphore(value: 0)
            let token = future.value!.sink {
              heard.append($0)
              done.signal()
            }
            done.wait()
            token.cancel()
          }
        }
        #expect(heard.values.last == 1)
      }
    }
  }

  @Test("What needs a loop stops the program with a sentence where there is none")
  func theSentence() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      try await withThread { _ = Future<Int, Never>.completed(1).on { _ in } }
    }
    let output = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(output.contains("needs an event loop: do it inside EventLoop.run"))
  }
}

/// Sound: kept, and never called.
private struct UnsafeHolder: @unchecked Sendable {
  let value: Any
  init(_ value: Any) { self.value = value }
}

/// `stop()` and tasks that wait for futures.
@Suite struct StopTests {
  @Test(
    "A loop stops although a task waits for a future that cannot say that it was cancelled",
    .timeLimit(.minutes(1)))
  func stopped() async throws {
    try await withCallbackLoop { loop in
      let kept = FutureInput<Int, Trouble>()
      loop.spawn { _ = try? await kept.value }
      loop.spawn { _ = await Future<Int, Never> { _ in }.value }
      let cancelled = loop.spawn { () async -> Void in _ = try? await kept.value }
      loop.sleep(for: .milliseconds(1)) { _ in
        cancelled.cancel()
        loop.sleep(for: .milliseconds(1)) { _ in
          loop.stop()
          // What comes afterwards is taken, and the tasks end.
          loop.queueMicrotask { kept.complete(1) }
        }
      }
    }
  }

  @Test("A stopped loop waits for work that ends when it is cancelled")
  func theWorkEnds() async throws {
    let log = Log<Int>()
    try await withCallbackLoop { loop in
      let future = Future<Int, Never>(operation: { () async -> Int in
        try? await loop.sleep(for: .seconds(1000)).value
        return 3
      })
      loop.spawn { log.append(await future.value) }
      loop.sleep(for: .milliseconds(1)) { _ in loop.stop() }
    }
    #expect(log.values == [3])
  }
}
