import Dispatch
import Foundation
import Testing
import UV
import UVRxStream
import UVTestSupport

/// A future that is made on a loop keeps it running until it is settled or dropped, and is settled from any
/// thread.
@Suite struct RootTests {
  @Test("The completion of a future may be called on another thread, and is heard on the loop")
  func aCompletion() async throws {
    let log = Log<String>()
    try await withCallbackLoop { loop in
      for index in 0..<3 {
        Future<Int, Trouble> { done in elsewhere { done(.success(index)) } }
          .on { log.append("on \($0) \(loop.executor.isOnLoop)") }
      }
      Future<Int, Trouble> { done in elsewhere { done(.failure(.first)) } }
        .onError { log.append("\($0) \(loop.executor.isOnLoop)") }
    }
    #expect(log.values.sorted() == ["first true", "on 0 true", "on 1 true", "on 2 true"])
  }

  @Test func `A future made without a loop is completed on one thread while another attaches`() async throws {
    try await withThread {
      for _ in 0..<300 {
        let completion = Box<Future<Int, Never>.Promise>(nil)
        let future = Box(Future<Int, Never> { completion.value = $0 })
        let heard = Log<Int>()
        future.value!.on { heard.append($0) }
        DispatchQueue.concurrentPerform(iterations: 3) { completion.value!(.success($0)) }
        #expect(heard.values.count == 1)
      }
    }
  }

  @Test func `A task waits for a value, and stops waiting when it is cancelled`() async throws {
    try await withLoop { loop in
      let input = FutureInput<Int, Trouble>()
      let waiting = loop.spawn { try await input.value }
      let cancelled = loop.spawn { try await input.value }
      try await loop.sleep(for: .zero).value
      cancelled.cancel()
      await #expect(throws: UVError.self) { try await cancelled.value }
      input.complete(1)
      #expect(try await waiting.value == 1)
      await #expect(throws: Trouble.first) { _ = try await Future<Int, Trouble>.completed(.first).value }
      let empty: Future<Int, Never> = Future.completed(1).filter { _ in false }
      await #expect(throws: UVError.self) { _ = try await empty.value }
      #expect(try await loop.sleep(for: .zero).map { 2 }.streamFuture().map { $0 + 1 }.value == 3)
    }
  }

  @Test func `A future input is completed, and let go, on other threads`() async throws {
    let log = Log<String>()
    try await withCallbackLoop { loop in
      let completed = FutureInput<Int, Trouble>()
      completed.on { log.append("\($0) \(loop.executor.isOnLoop)") }
      elsewhere {
        completed.complete(1)
        completed.complete(2)
      }
      let dropped = Box<FutureInput<Int, Trouble>>(FutureInput())
      dropped.value!.onTerminate { log.append("\($0) \(loop.executor.isOnLoop)") }
      elsewhere { dropped.value = nil }
    }
    #expect(log.values.sorted() == ["1 true", "cancelled true"])
  }

  @Test func `Lazy futures, stream promises and progressions are settled on other threads`() async throws {
    let log = Log<String>()
    try await withCallbackLoop { loop in
      Lazy<Int, Never> { promise in elsewhere { promise(.success(1)) } }
        .on { log.append("lazy \($0) \(loop.executor.isOnLoop)") }
      var runs = 0
      StreamPromise<Int, Trouble> { _, done in
        runs += 1
        let isFirst = runs == 1
        elsewhere { done(isFirst ? .failure(.first) : .success(2)) }
      }
      .retry(1).on { log.append("promise \($0) \(loop.executor.isOnLoop)") }
      Progression<Int, Int, Never> { progress, done in
        elsewhere {
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
      elsewhere {
        input.updateProgress(ProgressEvent(title: "", unit: "", current: 1, total: 2))
        input.complete(4)
      }
    }
    #expect(
      log.values.sorted() == [
        "at 1 true", "input 4 true", "input at 1 true", "lazy 1 true", "progression 3 true", "promise 2 true",
      ])
  }

  @Test("A cancelled stream promise or progression does not keep the loop, even while its completion is held")
  func cancelled() async throws {
    let kept = Log<UnsafeHolder>()
    try await withCallbackLoop { loop in
      let promise = StreamPromise<Int, Never> { _, done in kept.append(UnsafeHolder(done)) }
      let progression = Progression<Int, Int, Never> { _, done in
        kept.append(UnsafeHolder(done))
        return nil
      }
      let input = ProgressionInput<Int, Int, Never>()
      loop.eventually(kept.values.count == 2) {
        promise.cancel()
        progression.cancel()
        input.cancel()
      }
    }
    #expect(kept.values.count == 2)
  }

  @Test func `What needs a loop stops the program with a sentence where there is none`() async {
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
