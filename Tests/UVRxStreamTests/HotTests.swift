import Foundation
import Testing
import UV
import UVRxStream
import UVTestSupport

/// RxStream's operators on streams of many values.
@Suite struct HotTests {
  private final class Record<Value> {
    var values: [Value] = []
    var errors: [Trouble] = []
    var ends: [Termination<Trouble>] = []
    @discardableResult
    init(_ stream: Hot<Value, Trouble>) {
      stream.on { self.values.append($0) }
      stream.onError { self.errors.append($0) }
      stream.onTerminate { self.ends.append($0) }
    }
  }

  /// What `make` makes of the numbers from 1 to `count`, and of the end.
  private func run<T>(_ count: Int, _ make: (HotInput<Int, Trouble>) -> Hot<T, Trouble>) -> Record<T> {
    let input = HotInput<Int, Trouble>()
    let record = Record(make(input))
    if count > 0 { for value in 1...count { input.push(value) } }
    input.terminate()
    return record
  }

  @Test func `Transforming operators`() {
    #expect(run(3) { $0.map { "\($0)" } }.values == ["1", "2", "3"])
    #expect(run(3) { $0.map { $0 == 2 ? nil : $0 } }.values == [1, 3])
    #expect(run(3) { $0.flatMap { [$0, $0] } }.values == [1, 1, 2, 2, 3, 3])
    #expect(run(2) { $0.map { [$0, 9] }.flatten() }.values == [1, 9, 2, 9])
    #expect(run(4) { $0.scan(initial: 0) { $0 + $1 } }.values == [1, 3, 6, 10])
    #expect(run(4) { $0.reduce(initial: 0) { $0 + $1 } }.values == [10])
    #expect(run(2) { $0.stamp { "\($0)" } }.values.map(\.stamp) == ["1", "2"])
    #expect(run(2) { $0.countStamp() }.values.map(\.stamp) == [1, 2])
    #expect(run(3) { $0.count() }.values == [1, 2, 3])
    #expect(run(3) { $0.sum() }.values == [1, 3, 6])
    #expect(run(3) { $0.map { Double($0) }.average() }.values == [1, 1.5, 2])
    #expect(run(2) { $0.timeStamp() }.values.count == 2)
    var transitions: [Int?] = []
    _ = run(3) { $0.onTransition { prior, _ in transitions.append(prior) } }
    #expect(transitions == [nil, 1, 2])
  }

  @Test func `Choosing operators`() {
    #expect(run(4) { $0.filter { $0 % 2 == 0 } }.values == [2, 4])
    #expect(run(5) { $0.first() }.values == [1])
    #expect(run(5) { $0.first(3) }.values == [1, 2, 3])
    #expect(run(5) { $0.first(3) }.ends == [.cancelled])
    #expect(run(5) { $0.next(2, then: .completed) }.ends == [.completed])
    #expect(run(5) { $0.last() }.values == [5])
    #expect(run(5) { $0.last(3) }.values == [3, 4, 5])
    #expect(run(2) { $0.last(3) }.values == [1, 2])
    #expect(run(2) { $0.last(3, partial: false) }.values == [])
    #expect(run(6) { $0.stride(3) }.values == [3, 6])
    #expect(run(5) { $0.skip(3) }.values == [4, 5])
    #expect(run(4) { $0.map { $0 / 2 }.distinct() }.values == [0, 1, 2])
    #expect(run(4) { $0.map { [3, 4, 1, 2][$0 - 1] }.min() }.values == [3, 1])
    #expect(run(4) { $0.map { [3, 4, 1, 5][$0 - 1] }.max() }.values == [3, 4, 5])
    #expect(run(8) { $0.buffer(size: 3) }.values == [[1, 2, 3], [4, 5, 6], [7, 8]])
    #expect(run(8) { $0.buffer(size: 3, partial: false) }.values == [[1, 2, 3], [4, 5, 6]])
    #expect(run(4) { $0.window(size: 3) }.values == [[1, 2, 3], [2, 3, 4]])
    #expect(run(3) { $0.window(size: 2, partial: true) }.values == [[1], [1, 2], [2, 3]])
    #expect(run(3) { $0.window(size: .seconds(1000), limit: 2) }.values == [[1], [1, 2], [2, 3]])
    #expect(run(2) { $0.start(with: [-1, 0]) }.values == [-1, 0, 1, 2])
    #expect(run(2) { $0.concat([8, 9]) }.values == [1, 2, 8, 9])
    #expect(run(0) { $0.defaultValue(7) }.values == [7])
    #expect(run(1) { $0.defaultValue(7) }.values == [1])
  }

  @Test func `The last group of values is sent though it is empty, and that of a short stream once more`() {
    #expect(run(4) { $0.buffer(size: 2) }.values == [[1, 2], [3, 4], []])
    #expect(run(4) { $0.buffer(size: 2, partial: false) }.values == [[1, 2], [3, 4]])
    #expect(run(0) { $0.buffer(size: 2) }.values == [[]])
    #expect(run(1) { $0.window(size: 2, partial: true) }.values == [[1], [1]])
    #expect(run(1) { $0.window(size: 2) }.values == [])
  }

  @Test func `A stream and a future are described by their names, or by their types`() {
    let (stream, future) = (HotInput<Int, Trouble>().named("stream"), FutureInput<Int, Trouble>())
    #expect(stream.debugDescription == "stream")
    #expect(future.debugDescription == "FutureInput<Int, Trouble>")
    stream.descriptor = "other"
    future.descriptor = "answer"
    #expect(stream.debugDescription == "other")
    #expect(future.debugDescription == "answer")
  }

  @Test func `A debug printer takes the place of those before it, and none that of itself`() {
    let (stream, future) = (HotInput<Int, Trouble>(), FutureInput<Int, Trouble>())
    var log: [String] = []
    stream.onDebugInfo { _ in log.append("first") }
    future.onDebugInfo { _ in log.append("first") }
    #expect(stream.debugPrinter != nil && future.debugPrinter != nil)
    stream.debugPrinter = { log.append($0) }
    future.debugPrinter = { log.append($0) }
    stream.push(1)
    future.complete(2)
    #expect(log.count == 2 && !log.contains("first"))
    stream.debugPrinter = nil
    stream.push(3)
    #expect(log.count == 2 && stream.debugPrinter == nil)
  }

  @Test func `What is to persist keeps itself until it ends`() async throws {
    try await withCallbackLoop { _ in
      var log: [String] = []
      weak var stream: HotInput<Int, Trouble>?
      weak var future: FutureInput<Int, Trouble>?
      do {
        let (kept, keptFuture) = (HotInput<Int, Trouble>().persist(), FutureInput<Int, Trouble>().persist())
        kept.on { log.append("stream \($0)") }.onTerminate { log.append("stream \($0)") }
        keptFuture.on { log.append("future \($0)") }
        (stream, future) = (kept, keptFuture)
        HotInput<Int, Trouble>().persist().persist(false).onTerminate { log.append("dropped \($0)") }
      }
      #expect(log == ["dropped completed"])
      stream?.push(1)
      future?.complete(2)
      #expect(future == nil)
      stream?.terminate()
      #expect(stream == nil)
      #expect(log == ["dropped completed", "stream 1", "future 2", "stream completed"])
    }
  }

  @Test("A stream's next operation is done elsewhere, in order, and what follows on the loop")
  func dispatching() async throws {
    try await withCallbackLoop { loop in
      let executor = loop.executor
      let input = HotInput<Int, Trouble>()
      var (log, ends): ([String], Int) = ([], 0)
      input
        .dispatch(.async(on: .background)).resultMap { value -> Result<Int, Trouble> in
          if executor.isOnLoop { return .failure(.second) }
          if value == 1 { usleep(5000) }
          return value == 3 ? .failure(.first) : .success(value * 10)
        }
        .onError { log.append("\($0)") }
        .dispatch(.async(on: .background)).map { $0 == 20 ? nil : "\($0) \(executor.isOnLoop)" }
        .on { log.append("\($0) \(executor.isOnLoop)") }
        .onTerminate { _ in ends += 1 }
      for value in 1...4 { input.push(value) }
      input.terminate()
      loop.eventually(ends == 1) {
        #expect(log.filter { $0 != "first" } == ["10 false true", "40 false true"])
        #expect(log.count == 3)
      }
    }
  }

  @Test func `Operators that end a stream`() {
    #expect(run(5) { $0.doWhile { $0 < 3 } }.values == [1, 2])
    #expect(run(5) { $0.doWhile { prior, next in (prior ?? 0) + next < 6 } }.values == [1, 2, 3])
    #expect(run(5) { $0.until { $0 == 3 } }.ends == [.cancelled])
    #expect(run(5) { $0.until { $0 == 3 ? .error(.first) : nil } }.ends == [.error(.first)])
    let input = HotInput<Int, Trouble>()
    var token: Token? = Token()
    let (using, life) = (Record(input.using(token!).map { $0.1 }), Record(input.lifeOf(token!)))
    input.push(1)
    token = nil
    input.push(2)
    #expect(using.values == [1])
    #expect(life.values == [1])
    #expect(life.ends == [.cancelled])
    // The stream itself goes on.
    #expect(input.state == .active)
  }

  @Test func `Errors do not end a stream unless it says so`() {
    let input = HotInput<Int, Trouble>()
    let all = Record(input)
    let mapped = Record(input.resultMap { $0 == 2 ? .failure(.second) : .success($0) })
    let ended = Record(input.mapError { _ in .cancelled })
    input.push(1)
    input.push(Trouble.first)
    input.push(2)
    input.push(3)
    #expect(all.values == [1, 2, 3])
    #expect(all.errors == [.first])
    #expect(mapped.values == [1, 3])
    #expect(mapped.errors == [.first, .second])
    #expect(ended.values == [1])
    #expect(ended.ends == [.cancelled])
    input.terminate(withReason: .error(.second))
    #expect(all.errors == [.first, .second])
    #expect(input.state == .terminated(reason: .error(.second)))
    input.push(4)
    #expect(all.values == [1, 2, 3])
  }

  @Test func `The last value is replayed to the chain that asks`() {
    let input = HotInput<Int, Trouble>()
    input.push(0)
    input.push(1)
    var (a, b): ([Int], [Int]) = ([], [])
    let one = input.map { $0 * 10 }.on { a.append($0) }
    input.on { b.append($0) }
    one.replay()
    #expect(a == [10])
    #expect(b == [])
    input.canReplay(false)
    input.on { b.append($0) }.replay()
    #expect(b == [])
  }

  @Test func `Streams are merged, zipped and combined`() {
    let (left, right) = (HotInput<Int, Trouble>(), HotInput<String, Trouble>())
    let (merged, zipped) = (Record(left.merge(right)), Record(left.zip(right, buffer: 2)))
    let (latest, once) = (
      Record(left.combine(stream: right)), Record(left.combine(latest: false, stream: right))
    )
    left.push(1)
    left.push(2)
    left.push(3)
    right.push("a")
    right.push("b")
    right.push("c")
    #expect(merged.values.compactMap(\.left) == [1, 2, 3])
    #expect(merged.values.compactMap(\.right) == ["a", "b", "c"])
    #expect(zipped.values.map { "\($0.0)\($0.1)" } == ["1a", "2b"])
    #expect(latest.values.map { "\($0.0)\($0.1)" } == ["3a", "3b", "3c"])
    #expect(once.values.map { "\($0.0)\($0.1)" } == ["3a"])
    left.terminate()
    #expect(merged.ends == [])
    right.push("d")
    #expect(latest.values.count == 4)
    right.terminate()
    #expect(merged.ends == [.completed])
    #expect(latest.ends == [.completed])
    let same = HotInput<Int, Trouble>()
    let both = Record(same.merge(left))
    same.push(6)
    #expect(both.values == [6])
  }

  @Test func `A hot stream that was merged with another is let go with both`() async throws {
    try await withCallbackLoop { _ in
      weak var stream: Hot<Int, Never>?
      weak var other: Hot<Int, Never>?
      do {
        let right = HotInput<Int, Never>()
        let both = HotInput<Int, Never>().merge(right)
        (stream, other) = (both, right)
      }
      #expect(stream == nil)
      #expect(other == nil)
    }
  }

  @Test func `Values are pushed on other threads, and heard on the loop`() async throws {
    let log = Log<String>()
    try await withCallbackLoop { loop in
      let input = HotInput<Int, Trouble>()
      input.asyncMap { value, done in
        let work = Box { done(.success(value * 2)) }
        DispatchQueue.global().async { work.value!() }
      }
      .on { log.append("\($0) \(loop.executor.isOnLoop)") }
      .onTerminate { log.append("\($0) \(loop.executor.isOnLoop)") }
      let box = Box(input)
      DispatchQueue.global().async {
        box.value!.push(1)
        box.value!.push(2)
        box.value = nil
      }
      let producer = HotProducer<Int, Trouble> { tell in
        let tell = Box(tell)
        DispatchQueue.global().async {
          tell.value!(.next(3))
          tell.value!(.terminate(reason: .completed))
        }
      }
      producer.on { log.append("produced \($0)") }
      let observable = ObservableInput<Int, Trouble>(0)
      observable.on { log.append("set \($0)") }
      let set = Box(observable)
      DispatchQueue.global().async {
        set.value!.set(4)
        set.value!.terminate()
      }
      loop.eventually(log.values.count == 5) { withExtendedLifetime(producer) {} }
    }
    #expect(log.values.sorted() == ["2 true", "4 true", "completed true", "produced 3", "set 4"])
  }

  @Test func `A producer's events are values, errors that don't end it, and its end`() async throws {
    let log = Log<String>()
    try await withCallbackLoop { loop in
      let producer = HotProducer<Int, Trouble> { tell in
        loop.queueMicrotask {
          let events: [StreamEvent<Int, Trouble>] = [
            .next(1), .error(.first), .next(2), .terminate(reason: .completed),
          ]
          events.forEach(tell)
        }
      }
      producer.on { log.append("\($0)") }.onError { log.append("\($0)") }.onTerminate { log.append("\($0)") }
      loop.eventually(log.values.count == 4) { withExtendedLifetime(producer) {} }
    }
    #expect(log.values == ["1", "first", "2", "completed"])
  }

  @Test func `An observable knows its value, and so do those derived from it`() {
    let input = ObservableInput<Int, Trouble>(0)
    var log: [String] = []
    let derived = input.map { "\($0)" }.on { log.append($0) }
    let sum = input.scan(initial: 10) { $0 + $1 }
    #expect(derived.value == "0")
    #expect(log == [])
    input.set(1).set(2)
    #expect(input.value == 2)
    #expect(derived.value == "2")
    #expect(sum.value == 13)
    #expect(log == ["1", "2"])
    #expect(input.observable().value == 2)
    input.terminate()
    input.set(3)
    #expect(input.value == 2)
  }

  @Test func `A cold stream answers the chain that asked, or all where they share`() {
    let cold = Cold<Int, Int, Trouble> { request, answer in
      answer(request % 2 == 0 ? .success(request + 1) : .failure(.first))
      answer(.success(100))
    }
    var (a, b): ([String], [String]) = ([], [])
    let one = cold.map { "\($0)" }.on { a.append($0) }.onError { a.append("\($0)") }.onTerminate {
      a.append("\($0)")
    }
    let two = cold.mapRequest { (text: String) in Int(text)! }.on { b.append("\($0)") }.onError {
      b.append("\($0)")
    }
    one.request(2)
    one.request(1)
    #expect(a == ["3", "first"])
    #expect(b == [])
    two.request("4")
    #expect(b == ["5"])
    cold.share(true)
    two.request("6")
    #expect(a == ["3", "first", "7"])
    #expect(b == ["5", "7"])
    cold.terminate()
    #expect(a.last == "completed")
    one.request(2)
    #expect(one.state == .terminated(reason: .completed))
    #expect(a.count == 4)
  }

  @Test func `A stream timer ticks until it is stopped, and may be started anew`() async throws {
    try await withCallbackLoop { loop in
      let timer = StreamTimer(interval: .milliseconds(1))
      var ticks = 0
      timer.on {
        ticks += 1
        if ticks == 3 { timer.stop() }
        if ticks == 5 { timer.terminate() }
      }
      #expect(!timer.isTimerActive)
      timer.start(delayFirst: false)
      #expect(ticks == 1)
      loop.eventually(ticks == 3) { timer.restart(withInterval: .milliseconds(2)) }
      loop.eventually(ticks == 5 && timer.state == .terminated(reason: .completed))
    }
  }

  @Test("Operators on a progression return progressions, which hear the progress and cancel the work")
  func progressions() async throws {
    try await withCallbackLoop { _ in
      let input = ProgressionInput<Int, Int, Trouble>()
      var log: [String] = []
      let chain: Progression<Int, String, Trouble> = input.on { log.append("\($0)") }.resultMap {
        .success("<\($0)>")
      }
      chain.onProgress { log.append("at \($0.current)") }.on { log.append($0) }
      input.updateProgress(ProgressEvent(title: "", unit: "", current: 1, total: 2))
      input.complete(7)
      #expect(log == ["at 1", "7", "<7>"])
      let other = ProgressionInput<Int, Int, Trouble>()
      other.on { _ in }.onTerminate { log.append("\($0)") }.cancel()
      #expect(!other.isActive)
      #expect(log.last == "cancelled")
    }
  }

  @Test("The left of two completed futures wins a merge, and a default stands in for an error")
  func mergedFutures() async throws {
    try await withCallbackLoop { loop in
      var log: [Int] = []
      Future<Int, Trouble>.completed(0).merge(Future<Int, Trouble>.completed(1)).on { log.append($0) }
        .replay()
      Future<Int, Trouble>.completed(2).merge(Lazy<Int, Trouble> { $0(.success(3)) }).on { log.append($0) }
        .replay()
      FutureInput<Int, Trouble>().merge(Future<Int, Trouble>.completed(4)).on { log.append($0) }.replay()
      Future<Int, Trouble>.completed(.first).defaultValue(5).on { log.append($0) }.replay()
      let pair: Future<(Int, Int), Trouble> = Future<Int, Trouble>.completed(6).zip(
        Future<Int, Trouble>.completed(7))
      pair.on { log.append($0.0 * 10 + $0.1) }.replay()
      #expect(log == [0, 2, 4, 5, 67])
      var either: [Either<Int, String>] = []
      Future<Int, Trouble>.completed(8).merge(Future<String, Trouble>.completed("nine")).on {
        either.append($0)
      }
      loop.queueMicrotask {
        #expect(either.map(\.left) == [8])
        Either<Int, String>("text").onLeft { _ in Issue.record("left") }.onRight { #expect($0 == "text") }
      }
    }
  }
}
