import Testing
import UV
import UVRxStream
import UVTestSupport

/// RxStream's promises, progressions and partners.
@Suite struct StreamPromiseRuleTests {
  /// A task that fails the first `failures` times and counts its runs.
  private final class Attempts {
    var runs = 0
    var log: [String] = []

    func promise(_ loop: EventLoop, failures: Int = .max, isAsync: Bool = true) -> StreamPromise<Int, Trouble>
    {
      StreamPromise { [self] _, completion in
        runs += 1
        let result: Result<Int, Trouble> = runs <= failures ? .failure(.first) : .success(runs)
        if isAsync { loop.sleep(for: .zero) { _ in completion(result) } } else { completion(result) }
      }
    }
  }

  @Test func `A promise's task is given its state, and is a future`() async throws {
    try await withCallbackLoop { loop in
      var states: [StreamState<Trouble>] = []
      let promise = StreamPromise<Int, Trouble> { state, completion in
        states.append(state.value)
        state.on { states.append($0) }
      }
      let future: Future<Int, Trouble> = promise
      loop.sleep(for: .zero) { _ in promise.cancel() }
      loop.eventually(
        states == [.active, .terminated(reason: .cancelled)]
          && future.state == .terminated(reason: .cancelled))
    }
  }

  @Test func `retry and both forms of retryOn decide about another run`() async throws {
    try await withCallbackLoop { loop in
      let attempts = (0..<3).map { _ in Attempts() }
      var seen: [Int] = []
      attempts[0].promise(loop, failures: 2).retry(5, delay: .milliseconds(1)).on {
        attempts[0].log.append("\($0)")
      }
      attempts[1].promise(loop).retryOn { attempt, error in
        seen.append(attempt)
        return error == .first && attempt < 3
      }
      attempts[2].promise(loop, failures: 1).retryOn { _, _, retry in loop.queueMicrotask { retry(true) } }
      loop.eventually(attempts.map(\.runs) == [3, 3, 2] && attempts[0].log == ["3"] && seen == [1, 2, 3])
    }
  }

  @Test func `retry(3) makes four runs, twice retry(3) seven`() async throws {
    try await withCallbackLoop { loop in
      let (once, twice) = (Attempts(), Attempts())
      once.promise(loop).retry(3).onError { once.log.append("\($0)") }
      twice.promise(loop).retry(3).on { _ in }.retry(3).onError { twice.log.append("\($0)") }
      loop.eventually([once.runs, twice.runs] == [4, 7] && once.log + twice.log == ["first", "first"])
    }
  }

  @Test func `A task that fails at once still reaches retry and onError`() async throws {
    try await withCallbackLoop { loop in
      let attempts = Attempts()
      attempts.promise(loop, isAsync: false).retry(3).onError { attempts.log.append("\($0)") }
      loop.eventually(attempts.runs == 4 && attempts.log == ["first"])
    }
  }

  @Test("With reuse a retry further down takes the value that is there", arguments: [true, false])
  func withReuseARetryFurtherDownTakesTheValueThatIsThere(reuses: Bool) async throws {
    try await withCallbackLoop { loop in
      let attempts = Attempts()
      var failures = 2
      attempts.promise(loop, failures: 0).reuse(reuses)
        .resultMap { value -> Result<Int, Trouble> in
          failures -= 1
          return failures >= 0 ? .failure(.second) : .success(value)
        }
        .retry(3)
        .on { attempts.log.append("\($0)") }
      loop.eventually((attempts.runs == (reuses ? 1 : 3)) && (attempts.log == [reuses ? "1" : "3"]))
    }
  }

  @Test func `cancel() goes up to the task, ends everything as cancelled, and stops retries`() async throws {
    try await withCallbackLoop { loop in
      let attempts = Attempts()
      let last = attempts.promise(loop)
        .onTerminate { attempts.log.append("first \($0)") }
        .retry(100, delay: .milliseconds(1))
        .onTerminate { attempts.log.append("last \($0)") }
      loop.eventually(attempts.runs > 1) {
        let runs = attempts.runs
        attempts.log = []
        last.cancel()
        loop.eventually(
          attempts.runs == runs && attempts.log == ["last cancelled", "first cancelled"]
            && last.state == .terminated(reason: .cancelled))
      }
    }
  }

  @Test func `Cancelling before the task has answered ends the chain at once`() async throws {
    try await withCallbackLoop { loop in
      var log: [String] = []
      let promise = StreamPromise<Int, Trouble> { _, _ in }
      let last = promise.retry(3).onTerminate { log.append("\($0)") }
      loop.sleep(for: .zero) { _ in
        last.cancel()
        #expect(log == ["cancelled"])
      }
    }
  }

  @Test func `future() ends retries; those before it still run`() async throws {
    try await withCallbackLoop { loop in
      let attempts = Attempts()
      let future: Future<Int, Trouble> = attempts.promise(loop).retry(2).future()
      future.onError { attempts.log.append("\($0)") }
      loop.eventually(attempts.runs == 3 && attempts.log == ["first"])
    }
  }

  @Test func `Before the last retry a chain may see several errors, after it one result`() async throws {
    try await withCallbackLoop { loop in
      let attempts = Attempts()
      attempts.promise(loop, failures: 2)
        .onError { _ in attempts.log.append("attempt failed") }
        .retry(3)
        .on { _ in attempts.log.append("value") }
        .onError { _ in attempts.log.append("failed") }
      loop.eventually(attempts.log == ["attempt failed", "attempt failed", "value"])
    }
  }

  @Test("Values travel down, terminations are reported bottom-up", arguments: [true, false])
  func valuesTravelDownTerminationsAreToldBottomUp(isPromise: Bool) async throws {
    try await withCallbackLoop { loop in
      var log: [String] = []
      if isPromise {
        StreamPromise<Int, Trouble> { _, completion in completion(.success(1)) }
          .on { _ in log.append("on0") }.onTerminate { _ in log.append("t0") }
          .on { _ in log.append("on1") }.onTerminate { _ in log.append("t1") }
      } else {
        Future<Int, Trouble>.completed(1)
          .on { _ in log.append("on0") }.onTerminate { _ in log.append("t0") }
          .on { _ in log.append("on1") }.onTerminate { _ in log.append("t1") }
      }
      loop.eventually(log == ["on0", "on1", "t1", "t0"])
    }
  }

  @Test func `Each operation on a future is a branch of its own, and is let go when it has heard`() {
    let input = FutureInput<Int, Never>()
    var log: [Int] = []
    for number in 1...3 { input.on { log.append($0 * number) }.on { log.append($0 * number) } }
    #expect(input.branchCount == 3)
    input.complete(10)
    #expect(input.branchCount == 0)
    #expect(log == [10, 10, 20, 20, 30, 30])
  }

  @Test func `A progression reports how far it has come until it ends`() {
    typealias Copy = ProgressionInput<Int, String, Trouble>
    let (copy, other) = (Copy(), Copy())
    var log: [String] = []
    copy.onProgress { log.append("\($0.current)/\($0.total) \($0.unit)") }
      .mapProgress { ProgressEvent(title: $0.title, unit: "%", current: Double($0.current) * 25, total: 100) }
      .onProgress { log.append("\($0.current) \($0.unit)") }
      .on { log.append($0) }
    let sum = copy.combineProgress(other) { left, right in
      ProgressEvent(title: "both", unit: "B", current: (left?.current ?? 0) + (right?.current ?? 0), total: 8)
    }
    var sums: [Int] = []
    var pairs: [String] = []
    sum.onProgress { sums.append($0.current) }.on { pairs.append("\($0) \($1)") }
    copy.updateProgress(ProgressEvent(title: "copy", unit: "B", current: 1, total: 4))
    other.updateProgress(ProgressEvent(title: "copy", unit: "B", current: 2, total: 4))
    copy.complete("done")
    copy.updateProgress(ProgressEvent(title: "copy", unit: "B", current: 2, total: 4))
    #expect(log == ["1/4 B", "25.0 %", "done"])
    #expect(sums == [1, 3])
    other.complete("too")
    #expect(pairs == ["done too"])

    var cancellations = 0
    let long = Progression<Int, Int, Trouble> { progress, _ in
      progress(ProgressEvent(title: "long", unit: "B", current: 1, total: 2))
      return { cancellations += 1 }
    }
    var ends: [Termination<Trouble>] = []
    long.onTerminate { ends.append($0) }
    long.cancel()
    long.cancel()
    #expect(ends == [.cancelled])
    #expect(cancellations == 1)
  }

  @Test("Any stream is a merge partner: many values, one kept value, a request, a source, a timer")
  func anyStreamIsAMergePartner() async throws {
    try await withCallbackLoop { loop in
      let hot = HotInput<Int, UVError>()
      let observable = ObservableInput<Int, UVError>(1)
      let request = loop.sleep(for: .zero).map { 2 }.streamFuture()
      let ticks = loop.ticks(every: .milliseconds(1))
      let timer = StreamTimer(interval: .milliseconds(1)).start()
      var log: [String] = []
      func never() -> FutureInput<Int, UVError> { FutureInput() }
      let inputs = (0..<4).map { _ in never() }
      let other = FutureInput<Void, Never>()
      inputs[0].merge(hot).on { log.append("hot \($0)") }
      inputs[1].merge(observable).on { log.append("observable \($0)") }
      inputs[2].merge(request).on { log.append("request \($0)") }
      inputs[3].merge(ticks.hot().map { _ in 3 }).on { log.append("source \($0)") }
      other.merge(timer).on { log.append("timer") }
      hot.push(0)
      observable.set(1)
      loop.eventually(log.sorted() == ["hot 0", "observable 1", "request 2", "source 3", "timer"]) {
        ticks.stop()
        timer.terminate()
        _ = (inputs, other)
      }
    }
  }
}
