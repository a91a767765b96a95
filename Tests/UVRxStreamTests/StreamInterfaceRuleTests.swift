import Dispatch
import Testing
import UV
import UVRxStream
import UVTestSupport

/// The interface of RxStream's futures.
@Suite struct StreamInterfaceRuleTests {
  /// What an input's chain hears.
  private final class Chain<Output> {
    var log: [String] = []
    func watch(_ future: Future<Output, Trouble>) {
      future.on { [self] in log.append("\($0)") }.onTerminate { [self] in log.append(name($0)) }
    }
    func watch(_ stream: Hot<Output, Trouble>) {
      stream.on { [self] in log.append("\($0)") }.onTerminate { [self] in log.append(name($0)) }
    }
    private func name(_ termination: Termination<Trouble>) -> String {
      switch termination {
      case .completed: "completed"
      case .cancelled: "cancelled"
      case .error(let error): "\(error)"
      }
    }
  }

  private func input() -> FutureInput<Int, Trouble> { FutureInput() }

  @Test func `Merging a future into a stream of many values gives such a stream`() {
    let (hot, future, chain) = (HotInput<Int, Trouble>(), input(), Chain<Int>())
    let merged: Hot<Int, Trouble> = hot.merge(future)
    chain.watch(merged)
    hot.push(1)
    future.complete(2)
    hot.push(3)
    hot.terminate()
    #expect(chain.log == ["1", "2", "3", "completed"])
  }

  @Test func `A future may be completed when it is made`() async throws {
    try await withCallbackLoop { loop in
      let chain = Chain<Int>()
      chain.watch(.completed(1))
      chain.watch(.completed(.second))
      loop.sleep(for: .zero) { _ in #expect(chain.log == ["1", "completed", "second"]) }
    }
  }

  @Test func `A task runs where it is dispatched, and only its first completion counts`() async throws {
    try await withLoop { loop in
      let executor = loop.executor
      let elsewhere = Future<Bool, Never>(dispatch: .async(on: .background)) { completion in
        completion(.success(executor.isOnLoop))
        completion(.success(true))
      }
      let inline = Future<Int, Never> { completion in
        completion(.success(1))
        completion(.success(2))
      }
      let (first, second) = (try await elsewhere.value, try await inline.value)
      #expect(first == false)
      #expect(second == 1)
    }
  }

  @Test func `on, then, onError and onTerminate return futures that need not be kept`() {
    let (value, error) = (input(), input())
    var log: [String] = []
    for input in [value, error] {
      let last: Future<Int, Trouble> =
        input.on { log.append("on \($0)") }.then { log.append("then \($0)") }.onError { log.append("\($0)") }
      last.onTerminate { _ in log.append("end") }
    }
    value.complete(1)
    error.complete(.first)
    #expect(log == ["on 1", "then 1", "end", "end", "first"])
  }

  @Test func `Terminations are equal whatever the error, and a future knows its state`() {
    #expect(Termination<Trouble>.error(.first) == .error(.second))
    #expect(Termination<Trouble>.completed != .cancelled)
    let input = input()
    #expect(input.isActive)
    #expect(input.state == .active)
    input.complete(.first)
    #expect(!input.isActive)
    #expect(input.state == .terminated(reason: .error(.second)))
  }

  @Test("map passes nothing on for nil, and completes", arguments: [true, false])
  func mapPassesNothingOnForNilAndCompletes(isNil: Bool) {
    let (input, chain) = (input(), Chain<String>())
    chain.watch(input.map { isNil ? nil : "\($0)!" })
    input.complete(1)
    #expect(chain.log == (isNil ? ["completed"] : ["1!", "completed"]))
  }

  @Test("resultMap may end the future with an error", arguments: [true, false])
  func resultMapMayEndTheFutureWithAnError(fails: Bool) {
    let (input, chain) = (input(), Chain<Int>())
    chain.watch(input.resultMap { fails ? .failure(.second) : .success($0 + 1) })
    input.complete(1)
    #expect(chain.log == (fails ? ["second"] : ["2", "completed"]))
  }

  @Test func `asyncMap waits for its completion; with nil there is nothing`() async throws {
    try await withCallbackLoop { loop in
      let chains = (0..<3).map { _ in Chain<Int>() }
      let results: [Result<Int, Trouble>?] = [.success(2), .failure(.first), nil]
      for (chain, result) in zip(chains, results) {
        let input = self.input()
        chain.watch(
          input.asyncMap { (_, completion: @escaping (Result<Int, Trouble>?) -> Void) in
            loop.queueMicrotask { completion(result) }
          })
        input.complete(1)
        #expect(chain.log == [])
      }
      loop.sleep(for: .zero) { _ in
        #expect(chains.map(\.log) == [["2", "completed"], ["first"], ["completed"]])
      }
    }
  }

  @Test func `flatMap and flatten make a stream of many values, in order`() {
    let (input, list) = (input(), FutureInput<[Int], Trouble>())
    let (first, second) = (Chain<Int>(), Chain<Int>())
    first.watch(input.flatMap { [$0, $0 + 1, $0 + 2] })
    second.watch(list.flatten())
    input.complete(1)
    list.complete([4, 5])
    #expect(first.log == ["1", "2", "3", "completed"])
    #expect(second.log == ["4", "5", "completed"])
  }

  @Test("filter passes a value on or completes without", arguments: [true, false])
  func filterPassesAValueOnOrCompletesWithout(includes: Bool) {
    let (input, chain) = (input(), Chain<Int>())
    chain.watch(input.filter { _ in includes })
    input.complete(1)
    #expect(chain.log == (includes ? ["1", "completed"] : ["completed"]))
  }

  @Test func `stamp and timeStamp pair the value`() async throws {
    try await withCallbackLoop { loop in
      let input = self.input()
      let begin = loop.clock.now
      var count = 0
      input.stamp { $0 * 2 }.on {
        #expect($0 == (1, 2))
        count += 1
      }
      input.timeStamp().on {
        #expect($0.value == 1)
        #expect($0.stamp >= begin)
        count += 1
      }
      input.complete(1)
      #expect(count == 2)
    }
  }

  @Test func `delay delivers later, and the end waits for the value`() async throws {
    try await withCallbackLoop { loop in
      let (input, chain) = (self.input(), Chain<Int>())
      let begin = loop.clock.now
      let delayed = input.delay(.milliseconds(3))
      chain.watch(delayed.on { _ in #expect(begin.duration(to: loop.clock.now) >= .milliseconds(3)) })
      input.complete(1)
      #expect(chain.log == [])
      loop.eventually(chain.log == ["1", "completed"])
    }
  }

  @Test func `start(with:) comes before a value, concat before the end`() {
    let chains = (0..<4).map { _ in Chain<Int>() }
    let (value, nothing) = (input(), input())
    let empty: Future<Int, Trouble> = nothing.filter { _ in false }
    chains[0].watch(value.start(with: [8, 9]))
    chains[1].watch(value.concat([8, 9]))
    chains[2].watch(empty.start(with: [8, 9]))
    chains[3].watch(empty.concat([8, 9]))
    value.complete(1)
    nothing.complete(1)
    #expect(chains[0].log == ["8", "9", "1", "completed"])
    #expect(chains[1].log == ["1", "8", "9", "completed"])
    #expect(chains[2].log == ["completed"])
    #expect(chains[3].log == ["8", "9", "completed"])
  }

  @Test func `A default value stands in for none, whether that is an error or not`() {
    let (input, failing) = (input(), input())
    let (chain, failure) = (Chain<Int>(), Chain<Int>())
    let filtered: Future<Int, Trouble> = input.filter { _ in false }
    chain.watch(filtered.defaultValue(9))
    failure.watch(failing.defaultValue(9))
    input.complete(1)
    failing.complete(.first)
    #expect(chain.log == ["9", "completed"])
    #expect(failure.log == ["9", "completed"])
  }

  @Test func `merge of two types gives either, zip and combine give pairs`() {
    let (left, right) = (input(), FutureInput<String, Trouble>())
    var log: [String] = []
    let either: Future<Either<Int, String>, Trouble> = left.merge(right)
    let pair: Future<(Int, String), Trouble> = left.zip(right)
    either.on { log.append("\($0)") }
    pair.on { log.append("\($0)") }
    left.combine(right).on { log.append("\($0)") }
    right.complete("a")
    left.complete(1)
    #expect(log == ["right(\"a\")", "(1, \"a\")", "(1, \"a\")"])
  }

  @Test func `An error does not end a merge while the other side may win, but ends a zip`() {
    let (left, right, merged, zipped) = (input(), input(), Chain<Int>(), Chain<(Int, Int)>())
    merged.watch(left.merge(right))
    zipped.watch(left.zip(right))
    left.complete(.first)
    #expect(merged.log == [])
    #expect(zipped.log == ["first"])
    right.complete(2)
    #expect(merged.log == ["2", "completed"])
    let (well, ill, mixed) = (input(), input(), Chain<(Int, Int)>())
    mixed.watch(well.zip(ill))
    well.complete(1)
    ill.complete(.second)
    #expect(mixed.log == ["second"])

    let (bothFail, ends) = ((input(), input()), Chain<Int>())
    ends.watch(bothFail.0.merge(bothFail.1))
    bothFail.0.complete(.first)
    bothFail.1.complete(.second)
    #expect(ends.log == ["second"])
  }

  @Test func `doWhile, until, using and lifeOf end a future early`() {
    func end(
      _ step: (Future<Int, Trouble>) -> Future<Int, Trouble>, between: () -> Void = {}
    ) -> [String] {
      let (input, chain) = (input(), Chain<Int>())
      chain.watch(step(input))
      between()
      input.complete(1)
      return chain.log
    }
    #expect(end { $0.doWhile { $0 == 1 } } == ["1", "completed"])
    #expect(end { $0.doWhile { $0 == 2 } } == ["cancelled"])
    #expect(end { $0.doWhile(then: .completed) { $0 == 2 } } == ["completed"])
    #expect(end { $0.until { $0 == 2 } } == ["1", "completed"])
    #expect(end { $0.until(then: .error(.second)) { $0 == 1 } } == ["second"])
    #expect(end { $0.until { $0 == 1 ? .completed : nil } } == ["completed"])
    var token: Token? = Token()
    #expect(end { $0.lifeOf(token!) } == ["1", "completed"])
    #expect(
      end {
        $0.lifeOf(token!)
      } between: {
        token = nil
      } == ["cancelled"])
    token = Token()
    #expect(end { $0.using(token!).resultMap { .success($0.1) } } == ["1", "completed"])
    #expect(
      end {
        $0.using(token!, then: .completed).resultMap { .success($0.1) }
      } between: {
        token = nil
      }
        == ["completed"])
  }

  @Test func `Of an input's completions the first counts`() {
    let (input, chain) = (input(), Chain<Int>())
    chain.watch(input)
    input.complete(1)
    input.complete(2)
    input.complete(.first)
    #expect(chain.log == ["1", "completed"])
  }

  @Test func `A lazy task may be dispatched`() async throws {
    try await withLoop { loop in
      let executor = loop.executor
      let lazy = Lazy<Bool, Never>(dispatch: .async(on: .background)) { completion in
        completion(.success(executor.isOnLoop))
      }
      let value = try await lazy.value
      #expect(value == false)
    }
  }

  // `persist` and `dispatched` do not exist. A future is kept by its references, so there is nothing to
  // persist; an operation that leaves the loop needs a Sendable closure, so where it runs must be said before
  // it, with `dispatch`. The `debugPrinter` of all streams, a global that any thread could set, is one of each stream.
  @Test func `Streams have a name, debug information, and may refuse to replay`() async throws {
    try await withCallbackLoop { loop in
      var log: [String] = []
      let named = self.input().named("answer").onDebugInfo { log.append($0) }
      #expect(named.descriptor == "answer")
      named.complete(1)
      #expect(log.count == 1)
      #expect(log[0].contains("answer"))
      let silent = Future<Int, Trouble>.completed(1).canReplay(false)
      silent.on { _ in Issue.record("replayed") }
    }
  }

  @Test func `Work is dispatched inline, to queues, later, or to a thread, and chained`() async throws {
    let queue = CustomQueue("b48")
    let log = Log<String>()
    Dispatch.inline.execute { log.append("inline") }
    #expect(log.values == ["inline"])
    Dispatch.sync(on: .custom(queue)).execute {
      log.append("sync \(queue.isCurrent)")
      // On a serial queue from itself this would wait for ever, were it not noticed.
      Dispatch.sync(on: .custom(queue)).execute { log.append("again") }
    }
    #expect(log.values == ["inline", "sync true", "again"])
    await withCheckedContinuation { continuation in
      Dispatch.async(on: .background).execute { log.append("background") }
        .then(.after(delay: .milliseconds(1), on: .priorityBackground(.high))) { log.append("later") }
        .then(.newThread) { log.append("thread") }
        .then(.async(on: .main)) { log.append("main") }
        .then(.async(on: .priorityBackground(.low))) { log.append("low") }
        .then(.async(on: .priorityBackground(.background))) { continuation.resume() }
    }
    #expect(log.values.dropFirst(3) == ["background", "later", "thread", "main", "low"])
  }

  @Test func `All that follows the same work is done, also if the work has not ended`() async {
    let (log, end) = (Log<String>(), DispatchSemaphore(value: 0))
    await withCheckedContinuation { continuation in
      let chain = Dispatch.newThread.execute { end.wait() }
      chain.then(.inline) { log.append("first") }
      chain.then(.inline) {
        log.append("second")
        continuation.resume()
      }
      end.signal()
    }
    #expect(log.values == ["first", "second"])
  }
}
