#if Everything
import Dispatch
import Foundation
import Testing
import UV
import UVFutures
import UVTestSupport

/// A future that is made on a loop keeps it running until it is settled or dropped, and is settled from any
/// thread.
@Suite struct RootTests {
  @Test("The promise of a future may be called on another thread, and is heard on the loop")
  func aPromise() async throws {
    let log = Log<String>()
    let tokens = Box<[AnyCancellable]>([])
    try await withCallbackLoop { loop in
      for index in 0..<3 {
        let future = Future<Int, Trouble> { promise in elsewhere { promise(.success(index)) } }
        future.sink { _ in
        } receiveValue: {
          log.append("sink \($0) \(loop.executor.isOnLoop)")
        }
        .store(in: &tokens.value!)
      }
      Future<Int, Trouble> { promise in elsewhere { promise(.failure(.first)) } }
        .sink {
          log.append("\($0) \(loop.executor.isOnLoop)")
        } receiveValue: { _ in
        }
        .store(in: &tokens.value!)
    }
    #expect(
      log.values.sorted()
        == [
          "failure(UVTestSupport.Trouble.first) true", "sink 0 true", "sink 1 true", "sink 2 true",
        ])
    #expect(log.values.count == 4)
    tokens.value = nil
  }

  @Test("Two thousand futures are resolved by other threads while they are subscribed to")
  func many() async throws {
    let sum = Log<Int>()
    let tokens = Box<[AnyCancellable]>([])
    try await withCallbackLoop { loop in
      var (count, total) = (0, 0)
      for index in 0..<2000 {
        let future = Future<Int, Never> { promise in
          let work = Box { promise(.success(index)) }
          DispatchQueue.global().async { work.value!() }
        }
        future.sink {
          (count, total) = (count + 1, total + $0)
          if count == 2000 { sum.append(total) }
        }
        .store(in: &tokens.value!)
      }
    }
    #expect(sum.values == [2000 * 1999 / 2])
    tokens.value = nil
  }

  @Test("A promise that is let go on another thread no longer keeps the loop", .timeLimit(.minutes(1)))
  func aDroppedPromise() async throws {
    try await withCallbackLoop { loop in
      weak var future: Future<Int, Never>?
      var token: AnyCancellable?
      let looked = DispatchSemaphore(value: 0)
      do {
        let pending = Future<Int, Never> { promise in
          elsewhere {
            looked.wait()
            withExtendedLifetime(promise) {}
          }
        }
        token = pending.sink { _ in Issue.record("a value") }
        future = pending
      }
      #expect(future != nil && token != nil)
      looked.signal()
      // One that is let go at once.
      _ = Future<Int, Never> { _ in }
    }
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
}

/// `stop()` and tasks that wait for futures.
@Suite struct StopTests {
  @Test(
    "A loop stops although a task waits for a future that cannot say that it was cancelled",
    .timeLimit(.minutes(1)))
  func stopped() async throws {
    try await withCallbackLoop { loop in
      let (kept, resolve) = Future<Int, Trouble>.pending(on: loop)
      loop.spawn { _ = try? await kept.value }
      let (endless, resolveEndless) = Future<Int, Never>.pending(on: loop)
      loop.spawn { _ = await endless.value }
      let cancelled = loop.spawn { () async -> Void in _ = try? await kept.value }
      loop.sleep(for: .milliseconds(1)) { _ in
        cancelled.cancel()
        loop.sleep(for: .milliseconds(1)) { _ in
          loop.stop()
          // What comes afterwards is taken, and the tasks end.
          loop.queueMicrotask {
            resolve(.success(1))
            withExtendedLifetime(resolveEndless) {}
          }
        }
      }
    }
  }

  @Test func `A stopped loop waits for work that ends when it is cancelled`() async throws {
    let log = Log<Int>()
    try await withCallbackLoop { loop in
      let future = Future<Int, Never>(operation: { () async -> Int in
        try? await loop.sleep(for: .untilCancelled).value
        return 3
      })
      loop.spawn { log.append(await future.value) }
      loop.sleep(for: .milliseconds(1)) { _ in loop.stop() }
    }
    #expect(log.values == [3])
  }
}
#endif
