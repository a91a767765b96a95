// RxStream's futures and promises: their operators, retries, progress, and ends.
import UV
import UVRxStream

enum RxFutures: Program {
  static func main() throws {
    try eagerFutureInRxStyle()
    try rxFutures()
    try rxPromisesAndRetries()
    try rxProgress()
  }

  /// An eager future of RxStream's vocabulary: what ends is told from the end of the chain back.
  private static func eagerFutureInRxStyle() throws {
    EventLoop.runCallbacks { loop in
      let size = loop.files.stat("/").streamFuture()
        .map { status in status.type == .directory ? "a directory" : nil }
        .on { print($0) }
      size.delay(.milliseconds(50)).on { text in
        print("later: \(text)")
        loop.files.stat("/nowhere").streamFuture()
          .onError { print($0.name) }
          .onTerminate { _ in print("terminated") }
      }
    }
  }

  enum Failure: Error, Equatable { case wrong, worse }

  /// RxStream's operators on a future, one after the other.
  private static func rxFutures() throws {
    EventLoop.runCallbacks { loop in
      let input = FutureInput<Int, Failure>()
      print(input.isActive, input.state == .active)
      let text: Future<String, Failure> = input.map { "\($0)" }
      text.on { print("text \($0)") }
      input.then { print("then \($0)") }
      input.resultMap { $0 > 0 ? .success($0) : .failure(.wrong) }.on { print("positive \($0)") }
      input.asyncMap { value, done in done(.success(value + 1)) }.on { print("async \($0)") }
      let filtered: Future<Int, Failure> = input.filter { $0 > 100 }
      filtered.defaultValue(100).on { print("default \($0)") }
      input.stamp { -$0 }.on { print("stamp \($0.stamp)") }
      input.timeStamp().on { print("time \($0.stamp.nanoseconds > 0)") }
      input.doWhile { $0 < 3 }.onTerminate { print("doWhile \($0 == .cancelled)") }
      input.until(then: .error(.worse)) { $0 == 5 }.onError { print("until \($0)") }
      input.until { $0 == 5 ? .cancelled : nil }.on { print("not until \($0)") }
      input.start(with: [1, 2]).on { print("start \($0)") }
      input.concat([6, 7]).on { print("concat \($0)") }
      input.flatMap { [$0, $0 * 10] }.on { print("flatMap \($0)") }
      input.complete(5)
      print(input.isActive, input.state == .terminated(reason: .completed))

      let owner = FutureInput<Int, Failure>()
      input.lifeOf(owner).on { print("life \($0)") }
      input.using(owner).on { print("using \($0.0 === owner) \($0.1)") }
      Future<[Int], Never>.completed([8, 9]).flatten().on { print("flatten \($0)") }
      let failed = Future<Int, Failure>.completed(Failure.wrong)
      failed.onError { print("failed \($0)") }
      failed.merge(input).on { print("merge \($0)") }
      let pair: Future<(Int, Int), Failure> = input.zip(input)
      pair.on { print("zip \($0)") }
      input.combine(Future<String, Failure>.completed("b")).on { print("combine \($0)") }
      let either: Future<Either<Int, String>, Failure> = FutureInput<Int, Failure>().merge(
        Future<String, Failure>.completed("right"))
      either.on { print($0 == .right("right")) }
      print(input.named("input").descriptor)
      input.canReplay(false).on { print("not heard \($0)") }
      let named = FutureInput<Int, Never>().named("named").onDebugInfo { print($0.hasPrefix("named")) }
      named.complete(1)
      named.replay()
    }
  }

  struct Busy: Error {}

  /// RxStream's promises: tried again, cancelled, and taken as a future.
  private static func rxPromisesAndRetries() throws {
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
        let timer = loop.sleep(for: .untilCancelled) { _ in completion(.failure(Busy())) }
        state.on { _ in timer.cancel() }
        loop.sleep(for: .zero) { _ in timer.cancel() }
      }
      promise.onTerminate { print("cancelled: \($0 == .cancelled)") }
      loop.queueMicrotask { promise.cancel() }
    }
  }

  /// Long work that tells how far it has come, mapped and combined, and cancelled.
  private static func rxProgress() throws {
    EventLoop.runCallbacks { loop in
      let input = ProgressionInput<Int, String, Never>()
      input
        .mapProgress { event in
          ProgressEvent(title: event.title, unit: "%", current: event.current * 100 / event.total, total: 100)
        }
        .onProgress { print("\($0.title) \($0.current) \($0.unit)") }
        .on { print("done: \($0)") }
      input.updateProgress(ProgressEvent(title: "copy", unit: "bytes", current: 1, total: 4))
      input.updateProgress(ProgressEvent(title: "copy", unit: "bytes", current: 3, total: 4))
      input.complete("copied")

      let copy = Progression<Double, Int, UVError> { progress, completion in
        progress(ProgressEvent(title: "never heard", unit: "", current: 0, total: 1))
        let timer = loop.sleep(for: .untilCancelled) { _ in completion(.success(1)) }
        return {
          timer.cancel()
          print("the work is cancelled")
        }
      }
      let other = ProgressionInput<Double, Int, UVError>()
      let both: Progression<Double, (Int, Int), UVError> = copy.combineProgress(other) { mine, others in
        ProgressEvent(
          title: "both", unit: "", current: (mine?.current ?? 0) + (others?.current ?? 0),
          total: (mine?.total ?? 0) + (others?.total ?? 0))
      }
      both.onProgress { print("\($0.title): \($0.current) of \($0.total)") }
        .onTerminate { print("cancelled: \($0 == .cancelled)") }
      other.updateProgress(ProgressEvent(title: "other", unit: "", current: 2, total: 3))
      both.cancel()
      other.onError { print("failed: \($0.name)") }
      other.complete(UVError(.busy, operation: "other"))
    }
  }
}

// Prints:
// a directory
// later: a directory
// terminated
// ENOENT
// true true
// text 5
// then 5
// positive 5
// async 6
// default 100
// stamp -5
// time true
// start 1
// start 2
// start 5
// concat 5
// concat 6
// concat 7
// flatMap 5
// flatMap 50
// until worse
// doWhile true
// false true
// input
// true
// life 5
// using true 5
// flatten 8
// flatten 9
// failed wrong
// merge 5
// zip (5, 5)
// combine (5, "b")
// true
// after 3 runs
// future 3
// attempt 1
// attempt 2
// gave up
// ended as failed
// cancelled: true
// copy 25 %
// copy 75 %
// done: copied
// both: 2.0 of 3.0
// cancelled: true
// the work is cancelled
// failed: EBUSY
