import Dispatch
import Testing
import UV
import UVRxStream
import UVTestSupport

/// Progress, and promises that are tried again.
@Suite struct AttemptTests {
  @Test func `Progress is counted in anything, and a progression may be complete from the start`()
    async throws
  {
    try await withCallbackLoop { _ in
      var log: [String] = []
      let copy = ProgressionInput<Int, Int, Trouble>()
      copy.mapProgress { ProgressEvent(title: $0.title, unit: "", current: "\($0.current)", total: "all") }
        .onProgress { log.append("\($0.current) of \($0.total)") }
      copy.updateProgress(ProgressEvent(title: "copy", unit: "", current: 1, total: 2))
      copy.complete(1)
      let complete: Progression<Int, String, Trouble> = .completed("value")
      complete.on { log.append($0) }.replay()
      let failed: Progression<Int, String, Trouble> = .completed(.first)
      failed.onError { log.append("\($0)") }.replay()
      #expect(log == ["1 of all", "value", "first"])
    }
  }

  @Test func `A queue of several threads does at once what it is waited for on itself`() async {
    let queue = CustomQueue(type: .concurrent, name: "several")
    let isCurrent = await withCheckedContinuation { done in
      Dispatch.async(on: .custom(queue)).execute {
        Dispatch.sync(on: .custom(queue)).execute { done.resume(returning: queue.isCurrent) }
      }
    }
    #expect(isCurrent)
  }

  @Test func `Events, answers and decisions come from other threads, without an annotation in Swift 6`()
    async throws
  {
    try await withCallbackLoop { loop in
      var log: [String] = []
      let queue = DispatchQueue.global()
      let producer = HotProducer<Int, Trouble> { event in
        queue.async {
          event(.next(1))
          event(.terminate(reason: .completed))
        }
      }
      producer.on { log.append("event \($0)") }
      let cold = Cold<Int, Int, Trouble> { request, answer in
        queue.async { answer(.success(request)) }
      }
      cold.on { log.append("answer \($0)") }.request(2)
      let mapped: Future<Int, Trouble> = Future.completed(3).asyncMap { value, done in
        queue.async { done(.success(value)) }
      }
      mapped.on { log.append("mapped \($0)") }
      let promise = StreamPromise<Int, Trouble> { _, completion in completion(.failure(.first)) }
      promise.retryOn { attempt, _, retry in queue.async { retry(attempt < 3) } }
        .onTerminate { log.append("\($0.name)") }
      loop.eventually(log.sorted() == ["answer 2", "error", "event 1", "mapped 3"]) {
        withExtendedLifetime((producer, cold)) {}
      }
    }
  }

  @Test func `A promise whose operation is done elsewhere is tried again, and cancelled there`() async throws
  {
    try await withCallbackLoop { loop in
      var runs = 0
      var log: [String] = []
      let promise = StreamPromise<Int, Trouble> { _, completion in
        runs += 1
        completion(.success(runs))
      }
      promise.dispatch(.async(on: .background)).resultMap { $0 < 3 ? .failure(.first) : .success($0) }
        .retry(5).on { log.append("\($0)") }
      let held = DispatchSemaphore(value: 0)
      let stuck = StreamPromise<Int, Trouble> { _, completion in completion(.success(1)) }
      let end = stuck.dispatch(.async(on: .background)).map { value in
        held.wait()
        return value
      }
      .on { _ in log.append("never") }.onTerminate { log.append("\($0)") }
      loop.eventually(log == ["3"]) {
        end.cancel()
        #expect(log == ["3", "cancelled"])
        held.signal()
      }
    }
  }

  @Test("The handler of an end above a retry hears how the last attempt ends, whenever the retry decides")
  func endsAboveRetries() async throws {
    try await withCallbackLoop { loop in
      var log: [String] = []
      func promise(_ name: String, failures: Int) -> StreamPromise<Int, Trouble> {
        var runs = 0
        let promise = StreamPromise<Int, Trouble> { _, completion in
          runs += 1
          completion(runs <= failures ? .failure(.first) : .success(runs))
        }
        return promise.onTerminate { log.append("\(name) \($0.name)") }
      }
      promise("succeeds", failures: 2).retry(3)
      promise("fails", failures: .max).retry(1).retry(1).onTerminate { log.append("below fails \($0.name)") }
      promise("is delayed", failures: .max).retry(1, delay: .milliseconds(1))
      promise("is refused", failures: .max).retryOn { _, _, retry in
        loop.sleep(for: .zero) { _ in retry(false) }
      }
      .onTerminate { log.append("below refused \($0.name)") }
      promise("has no retry", failures: .max)
      var spoilt = 0
      promise("is spoilt below", failures: 0)
        .resultMap { value -> Result<Int, Trouble> in
          spoilt += 1
          return spoilt == 1 ? .failure(.first) : .success(value)
        }
        .retry(1)
      let cancelled = promise("is cancelled", failures: .max).retry(1, delay: .seconds(1000))
      let branches = promise("has a branch", failures: 1)
      branches.onTerminate { log.append("the other branch \($0.name)") }
      branches.retry(1).on { log.append("branch \($0)") }
      loop.eventually(log.count == 11) {
        cancelled.cancel()
        #expect(
          log.sorted() == [
            "below fails error", "below refused error", "branch 2", "fails error", "has a branch completed",
            "has no retry error", "is cancelled cancelled", "is delayed error", "is refused error",
            "is spoilt below completed",
            "succeeds completed", "the other branch error",
          ])
        #expect(log.firstIndex(of: "below refused error")! < log.firstIndex(of: "is refused error")!)
      }
    }
  }
}

extension Termination {
  fileprivate var name: String {
    switch self {
    case .completed: "completed"
    case .cancelled: "cancelled"
    case .error: "error"
    }
  }
}
