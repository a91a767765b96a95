import Testing
import UV
import UVRxStream
import UVTestSupport

/// What RxStream's document says of futures.
@Suite struct StreamRuleTests {
  private typealias Text = Future<String, Trouble>

  @Test func `A future delivers one value or an error and ends`() async throws {
    try await withCallbackLoop { loop in
      var log: [String] = []
      Text.completed("value").on { log.append($0) }.onTerminate { log.append("\($0)") }
      Text.completed(.first).onError { log.append("\($0)") }.onTerminate { log.append("\($0)") }
      loop.sleep(for: .zero) { _ in
        #expect(log == ["value", "completed", "error(UVTestSupport.Trouble.first)", "first"])
      }
    }
  }

  @Test func `A future is processed as any stream`() async throws {
    try await withCallbackLoop { loop in
      var log: [String] = []
      Text.completed("2").map { Int($0) }.filter { $0 > 1 }.stamp { $0 * 10 }.on {
        log.append("\($0.value) \($0.stamp)")
      }
      loop.sleep(for: .zero) { _ in #expect(log == ["2 20"]) }
    }
  }

  @Test func `The chain delivers after every reference to the future has been dropped`() async throws {
    try await withCallbackLoop { loop in
      var log: [Int] = []
      func start() {
        Future<Int, Never> { promise in loop.sleep(for: .milliseconds(1)) { _ in promise(.success(3)) } }
          .on { log.append($0) }
      }
      start()
      loop.eventually(log == [3])
    }
  }

  /// A network that answers soon.
  private func network(_ loop: EventLoop, _ request: String) -> Future<String, Trouble> {
    Future { promise in
      loop.sleep(for: .zero) { _ in
        promise(request == "bad" ? .failure(.first) : .success("json of \(request)"))
      }
    }
  }

  @Test func `A function returns a future where it had a callback, and its result is mapped`() async throws {
    try await withCallbackLoop { loop in
      var log: [Int] = []
      network(loop, "a").map { $0.count }.on { log.append($0) }
      loop.eventually(log == [9])
    }
  }

  @Test func `Dispatch applies to the next operation, which runs elsewhere`() async throws {
    try await withCallbackLoop { loop in
      let executor = loop.executor
      var log: [Bool] = []
      network(loop, "a")
        .dispatch(.async(on: .background)).map { _ in executor.isOnLoop }
        .on { log += [$0, executor.isOnLoop] }
      loop.eventually(log == [false, true])
    }
  }

  @Test func `Two hops in a flat chain, and an observer on a queue`() async throws {
    let seen = Log<String>()
    try await withCallbackLoop { loop in
      let queue = CustomQueue("test")
      network(loop, "a")
        .dispatch(.async(on: .background)).map { $0 + "!" }
        .dispatch(.async(on: .custom(queue))).on { seen.append("\($0) \(queue.isCurrent)") }
        .on { seen.append("\($0) \(queue.isCurrent)") }
    }
    #expect(seen.values == ["json of a! true", "json of a! false"])
  }

  @Test func `An error of the task ends the future, and every error does`() async throws {
    try await withCallbackLoop { loop in
      var log: [String] = []
      let future = network(loop, "bad").on { _ in log.append("value") }.onTerminate {
        log.append("\($0 == .error(.second))")
      }
      loop.eventually(
        log == ["true"] && !future.isActive && future.state == .terminated(reason: .error(.first)))
    }
  }

  @Test func `onError handles errors in the chain`() async throws {
    try await withCallbackLoop { loop in
      var log: [Trouble] = []
      network(loop, "bad").map { $0.count }.onError { log.append($0) }
      loop.eventually(log == [.first])
    }
  }

  @Test("onError sees the errors from before its place", arguments: ["a", "bad"])
  func onErrorSeesTheErrorsFromBeforeItsPlace(request: String) async throws {
    try await withCallbackLoop { loop in
      var log: [String] = []
      network(loop, request)
        .onError { _ in log.append("A") }
        .resultMap { _ in Result<Int, Trouble>.failure(.second) }
        .onError { _ in log.append("B") }
      loop.eventually(log.sorted() == (request == "a" ? ["B"] : ["A", "B"]))
    }
  }

  @Test func `An input is completed from outside with a value, an error or a result`() {
    var log: [String] = []
    let inputs = (0..<3).map { _ in FutureInput<Int, Trouble>() }
    for input in inputs { input.on { log.append("\($0)") }.onError { log.append("\($0)") } }
    inputs[0].complete(1)
    inputs[1].complete(.first)
    inputs[2].complete(.success(2))
    #expect(log == ["1", "first", "2"])
  }

  @Test func `An input that is let go ends its chain as cancelled`() {
    var log: [Termination<Never>] = []
    var input: FutureInput<Int, Never>? = FutureInput()
    input?.on { _ in Issue.record("a value") }.onTerminate { log.append($0) }
    input = nil
    #expect(log == [.cancelled])
  }

  @Test func `An input is completed elsewhere than it was made`() {
    func complete(_ input: FutureInput<Int, Never>) { input.complete(15) }
    let input = FutureInput<Int, Never>()
    var log: [Int] = []
    input.on { log.append($0) }
    complete(input)
    #expect(log == [15])
  }

  @Test func `An input is a future`() {
    let input = FutureInput<Int, Never>()
    let future: Future<Int, Never> = input
    var log: [Int] = []
    future.on { log.append($0) }
    input.complete(16)
    #expect(log == [16])
  }

  @Test func `A lazy future runs its task when something is attached`() {
    var runs = 0
    let lazy = Lazy<Int, Never> { promise in
      runs += 1
      promise(.success(17))
    }
    #expect(runs == 0)
    var log: [Int] = []
    lazy.on { log.append($0) }
    #expect(runs == 1)
    #expect(log == [17])
  }

  @Test func `An ordinary future runs its task at once`() {
    var runs = 0
    _ = Future<Int, Never> { _ in runs += 1 }
    #expect(runs == 1)
  }

  @Test func `A lazy future keeps the value and lets the task go`() async throws {
    try await withCallbackLoop { loop in
      var (runs, log): (Int, [Int]) = (0, [])
      var token: Token? = Token()
      weak let observed = token
      let lazy = Lazy<Int, Never> { [token] promise in
        _ = token
        runs += 1
        promise(.success(19))
      }
      token = nil
      #expect(observed != nil)
      lazy.on { log.append($0) }
      lazy.on { log.append($0) }
      #expect(observed == nil)
      loop.sleep(for: .zero) { _ in
        #expect(runs == 1)
        #expect(log == [19, 19])
      }
    }
  }

  @Test func `A lazy future that nobody wants never runs`() {
    _ = Lazy<Int, Never> { _ in Issue.record("ran") }
  }

  @Test func `A completed future replays after a short delay, once`() async throws {
    try await withCallbackLoop { loop in
      var log: [Int] = []
      Future<Int, Never>.completed(21).on { log.append($0) }.on { log.append($0 + 1) }
      #expect(log == [])
      loop.eventually(log == [21, 22])
    }
  }

  @Test func `replay() delivers at once, and not again later`() async throws {
    try await withCallbackLoop { loop in
      var log: [Int] = []
      Future<Int, Never>.completed(22).on { log.append($0) }.on { log.append($0 + 1) }.replay()
      #expect(log == [22, 23])
      loop.eventually(log == [22, 23])
    }
  }

  @Test func `replay() on an unfilled future does nothing, and the value comes once`() {
    var log: [Int] = []
    let input = FutureInput<Int, Never>()
    input.on { log.append($0) }.replay()
    #expect(log == [])
    input.complete(23)
    #expect(log == [23])
  }

  @Test func `A future merges with another stream into a future`() {
    let (left, right) = (FutureInput<Int, Trouble>(), HotInput<Int, Trouble>())
    let merged: Future<Int, Trouble> = left.merge(right)
    let zipped: Future<(Int, Int), Trouble> = left.zip(right)
    let combined: Future<(Int, Int), Trouble> = left.combine(right)
    var log: [String] = []
    merged.on { log.append("\($0)") }
    zipped.on { log.append("\($0)") }
    combined.on { log.append("\($0)") }
    right.push(2)
    left.complete(1)
    #expect(log == ["2", "(1, 2)", "(1, 2)"])
  }

  @Test func `Merge delivers the first value of either side and completes`() {
    let (left, right) = (FutureInput<Int, Never>(), FutureInput<Int, Never>())
    var log: [String] = []
    left.merge(right).on { log.append("\($0)") }.onTerminate { log.append("\($0)") }
    right.complete(2)
    left.complete(1)
    #expect(log == ["2", "completed"])
  }

  @Test("Combine and zip deliver one pair", arguments: [true, false])
  func combineAndZipDeliverOnePair(zips: Bool) {
    let (left, right) = (FutureInput<Int, Never>(), HotInput<String, Never>())
    var log: [String] = []
    let pair: Future<(Int, String), Never> = zips ? left.zip(right) : left.combine(right)
    pair.on { log.append("\($0)") }.onTerminate { log.append("\($0)") }
    right.push("a")
    right.push("b")
    left.complete(1)
    #expect(log == ["(1, \"a\")", "completed"])
  }
}
