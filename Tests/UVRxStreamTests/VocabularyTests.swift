import Dispatch
import Testing
import UV
import UVRxStream
import UVTestSupport

/// What RxStream has beside the rules, on streams.
@Suite struct VocabularyTests {
  /// Answers each request with itself.
  private let echo = Cold<Int, Int, Trouble> { request, answer in answer(.success(request)) }

  @Test("replay() delivers the value of a completed future at once where it has become a stream of many")
  func replayOfStreams() async throws {
    try await withCallbackLoop { loop in
      var log: [String] = []
      let future = Future<Int, Trouble>.completed(1)
      future.flatMap { [$0, 2] }.on { log.append("flatMap \($0)") }.onTerminate { log.append("\($0)") }
        .replay()
      #expect(log == ["flatMap 1", "flatMap 2", "completed"])
      log = []
      future.map { [$0, 3] }.flatten().on { log.append("flatten \($0)") }.replay()
      future.start(with: [0]).on { log.append("start \($0)") }.replay()
      future.concat([4]).on { log.append("concat \($0)") }.replay()
      let input = HotInput<Int, Trouble>()
      input.merge(future).on { log.append("merge \($0)") }.replay()
      let expected = ["flatten 1", "flatten 3", "start 0", "start 1", "concat 1", "concat 4", "merge 1"]
      #expect(log == expected)
      // The microtask that would have delivered it finds nothing to do.
      loop.sleep(for: .zero) { _ in
        #expect(log == expected)
        input.terminate()
      }
    }
  }

  @Test func `A stream that two make replays the last value of each`() {
    let (left, right) = (HotInput<Int, Trouble>(), HotInput<Int, Trouble>())
    var log: [Int] = []
    left.push(1)
    left.push(2)
    right.push(3)
    left.merge(right).on { log.append($0) }.replay()
    #expect(log == [2, 3])
  }

  @Test func `until may end a stream by its value and the one before`() {
    var ends: [Termination<Trouble>] = []
    let input = HotInput<Int, Trouble>()
    input.until { prior, next in prior == next ? .completed : nil }.onTerminate { ends.append($0) }
    let asked = echo.until { prior, next in prior == next ? .completed : nil }.onTerminate { ends.append($0) }
    for value in [1, 2, 1] {
      input.push(value)
      asked.request(value)
    }
    #expect(ends == [])
    input.push(1)
    asked.request(1)
    #expect(ends == [.completed, .completed])
  }

  @Test func `The mean of whole numbers is a whole number`() {
    var means: [Int] = []
    let input = HotInput<Int, Trouble>()
    input.average().on { means.append($0) }
    let asked = echo.average().on { means.append($0) }
    for value in [1, 4, 5] { input.push(value) }
    for value in [2, 5] { asked.request(value) }
    #expect(means == [1, 2, 3, 2, 3])
  }

  @Test func `An observable passes errors on and goes on after them`() {
    var log: [String] = []
    let observable = ObservableInput<Int, Trouble>(0)
    observable.onError { log.append("\($0)") }.on { log.append("\($0)") }
    observable.push(error: .first)
    observable.set(1)
    #expect(log == ["first", "1"])
  }

  @Test func `A map of an observable that may return nil is a stream from now on`() {
    var calls = 0
    var log: [String] = []
    let observable = ObservableInput<Int, Trouble>(0)
    observable.map { value -> String? in
      calls += 1
      return value == 2 ? nil : "\(value)"
    }
    .on { log.append($0) }
    #expect(calls == 0)
    for value in 1...3 { observable.set(value) }
    #expect(calls == 3 && log == ["1", "3"])
  }

  @Test("What another stream delivers into answers goes to all, an answer to the chain that asked")
  func joinedAnswers() {
    let other = HotInput<Int, Trouble>()
    var log: [String] = []
    let merged = echo.named("echo").merge(other).onTerminate { log.append("\($0)") }
    #expect(echo.descriptor == "echo" && "\(String(reflecting: echo))" == "echo")
    let one = merged.on { log.append("one \($0)") }
    merged.on { log.append("two \($0)") }
    one.request(1)
    other.push(2)
    #expect(log == ["one 1", "one 2", "two 2"])
    log = []
    echo.terminate()
    one.request(4)
    other.push(5)
    other.terminate(withReason: .cancelled)
    #expect(log == ["one 5", "two 5", "cancelled"])
  }

  @Test func `Answers are zipped, combined and merged with those of another stream`() {
    let words = Cold<String, String, Trouble> { request, answer in answer(.success(request)) }
    var log: [String] = []
    echo.zip(words, buffer: 1).on { log.append("zip \($0.0) \($0.1)") }
    echo.combine(latest: false, stream: words).on { log.append("pair \($0.0) \($0.1)") }
    echo.merge(words).on { log.append("either \($0)") }
    for number in 1...3 { echo.request(number, share: true) }
    log = []
    words.request("a", share: true)
    #expect(log == ["zip 1 a", "pair 3 a", "either right(\"a\")"])
  }

  @Test func `A stream may be a property that only its owner pushes into`() {
    let owner = Owner()
    var log: [String] = []
    owner.lines.on { log.append($0) }
    owner.count.on { log.append("\($0)") }
    owner.work()
    #expect(log == ["one", "two", "1"])
    let isOne = owner.count == 1 && 1 == owner.count
    let isTwo = !(owner.count != 2 && 2 != owner.count)
    #expect(isOne && !isTwo)
    let input = HotInput<Int, Trouble>()
    input.on { log.append("\($0)") }
    let observable = ObservableInput<Int, Trouble>(0)
    let (pushed, set) = (input <- 7, observable <- 8)
    #expect(pushed == 7 && set == 8 && log.last == "7" && observable.value == 8)
  }

  @Test func `A function takes futures and hot streams of each kind, and a future is a hot stream to it`() {
    func values<Stream: HotStream<Int, Never>>(of stream: Stream, _ push: () -> Void) -> [Int] {
      var values: [Int] = []
      stream.asHot.on { values.append($0) }
      push()
      return values
    }
    func both(_ future: some StreamFuture<Int, Never>) -> (Future<Int, Never>, Hot<Int, Never>) {
      (future.asFuture, future.asHot)
    }
    let (hot, observable) = (HotInput<Int, Never>(), ObservableInput<Int, Never>(0))
    #expect(values(of: hot) { hot.push(1) } == [1])
    #expect(values(of: observable) { observable.set(2) } == [2])
    let input = FutureInput<Int, Never>()
    let (future, stream) = both(input)
    var log: [Int] = []
    stream.on { log.append($0) }
    let any: any AnyStream<Int, Never> = input
    any.asHot.on { log.append($0) }
    input.complete(.success(3))
    #expect(future === input && log == [3, 3])
  }

  private final class Owner {
    @HotWrap var lines: Hot<String, Never>
    @ObservableWrap(0) var count: Observable<Int, Never>

    func work() {
      $lines.push("one")
      _lines <- "two"
      _count <- 1
    }
  }
}
