// RxStream's promises: tried again, cancelled, and taken as a future.
import UV
import UVRxStream

enum RxPromisesAndRetries: Program {
  struct Busy: Error {}

  static func main() throws {
    EventLoop.runCallbacks { loop in
      var runs = 0
      let promise = StreamPromise<Int, Busy> { _, completion in
        runs += 1
        completion(runs < 3 ? .failure(Busy()) : .success(runs))
      }
      promise.retry(5).on { print("after \($0) runs") }.future().on { print("future \($0)") }
    }
    EventLoop.runCallbacks { loop in
      StreamPromise<Int, Busy> { _, completion in completion(.failure(Busy())) }
        .retryOn { attempt, _ in
          print("attempt \(attempt)")
          return attempt < 2
        }
        .onError { _ in print("gave up") }
    }
    EventLoop.runCallbacks { loop in
      var runs = 0
      StreamPromise<Int, Busy> { _, completion in
        runs += 1
        completion(.success(runs))
      }
      .reuse()
      .resultMap { runs == 1 ? .failure(Busy()) : .success($0) }
      .map { Optional($0) }
      .retryOn { attempt, _, retry in loop.sleep(for: .milliseconds(1)) { _ in retry(attempt < 2) } }
      .onTerminate { print("ended as \($0 == .error(Busy()) ? "failed" : "fulfilled")") }
    }
    EventLoop.runCallbacks { loop in
      let promise = StreamPromise<Int, Busy> { state, completion in
        let timer = loop.sleep(for: .seconds(3600)) { _ in completion(.failure(Busy())) }
        state.on { _ in timer.cancel() }
        loop.sleep(for: .milliseconds(5)) { _ in timer.cancel() }
      }
      promise.onTerminate { print("cancelled: \($0 == .cancelled)") }
      loop.queueMicrotask { promise.cancel() }
    }
  }
}

// Prints:
// after 3 runs
// future 3
// attempt 1
// attempt 2
// gave up
// ended as failed
// cancelled: true
