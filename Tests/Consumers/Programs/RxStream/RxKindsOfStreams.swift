// Streams of every kind, functions that take them, and cells that keep them.
import UV
import UVRxStream

private struct Cell {
  var future: Future<Int, Never>
  var stream: Hot<Int, Never>
  var state: StreamState<Never>
  var end: Termination<Never>?
}

private func keep<F: StreamFuture<Int, Never>>(_ future: F) -> Future<Int, Never> {
  future.asFuture
}

private func asStream(_ future: some StreamFuture<Int, Never>) -> Hot<Int, Never> { future.asHot }

enum RxKindsOfStreams: Program {
  static func main() throws {
    try rxOtherStreams()
    try streamsOfEveryKind()
    try cellOfStreams()
    try eitherSide()
  }

  /// Observables know their value, cold streams answer who asks, and a producer and a timer feed hot ones.
  private static func rxOtherStreams() throws {
    let size = ObservableInput<Int, Never>(1)
    let shown = size.map { "\($0)" }.on { print("size", $0) }
    let total = size.onTransition { _, _ in }.onTerminate { print("size", $0) }.skip(0).distinct { $0 != $1 }
      .scan(initial: 0) { $0 + $1 }
    size.hot().on { print("hot", $0) }
    size.set(2).set(3)
    print(size.value, shown.value, total.value, size.observable().value)
    size.terminate()

    let lengths = Cold<String, Int, UVError> { text, answer in
      answer(text.isEmpty ? .failure(UVError(.invalidArgument, operation: "own")) : .success(text.count))
    }
    let asked = lengths.share(false).mapRequest { (number: Int) in "\(number)" }.map { $0 * 10 }.on {
      print("length", $0)
    }
    .onError { _ in print("no length") }
    asked.request(1234)
    lengths.onTerminate { print("lengths", $0) }
    lengths.terminate()
    print(asked.isActive, asked.state == .terminated(reason: .completed), lengths.termination == .completed)

    let producer = HotProducer<Int, UVError> { tell in
      EventLoop.runCallbacks { loop in
        loop.queueMicrotask {
          tell(.next(1))
          tell(.terminate(reason: .completed))
        }
      }
    }
    print(producer.isActive)

    EventLoop.runCallbacks { loop in
      let timer = StreamTimer(interval: .milliseconds(1))
      var ticks = 0
      timer.on {
        ticks += 1
        if ticks == 2 { timer.stop().restart(withInterval: .milliseconds(2)) }
        if ticks == 3 { timer.terminate() }
      }
      .onTerminate { _ in print("ticks", ticks, timer.isTimerActive, timer.interval) }
      timer.start(delayFirst: false)
    }

    EventLoop.runCallbacks { _ in
      let work = ProgressionInput<Int, Int, UVError>()
      let text: Progression<Int, String, UVError> = work.on { print("done", $0) }.onError { print($0) }
        .onTerminate { _ in }.defaultValue(0).until { _ in false }.doWhile { _ in true }.until { _ in nil }
        .lifeOf(work).asyncMap { value, done in done(.success(value)) }.stamp { $0 }.timeStamp()
        .resultMap { .success("\($0.value.stamp)") }
      text.onProgress { print("at", $0.current) }
      let joined = work.merge(FutureInput<Int, UVError>()).combine(Future<Int, UVError>.completed(1))
      joined.onTerminate { _ in print("joined") }
      work.updateProgress(ProgressEvent(title: "work", unit: "steps", current: 1, total: 2))
      work.complete(7)
    }
  }

  static func show<Stream: HotStream<Int, UVError>>(_ name: String, _ stream: Stream) {
    stream.map { "\(name) \($0)" }.on { print($0) }
    stream.filter { $0 > 1 }.delay(.milliseconds(1)).on { print("later", $0) }
    print(stream.asHot.isActive)
  }

  /// What is known of a temperature, with the last that was read.
  static func watch(_ temperature: Observable<Int, UVError>) {
    print("at first", temperature.value)
    temperature.on { print("now", $0) }.onError { print("no reading:", $0.name) }
  }

  /// A function takes hot streams of every kind, and a producer tells of an error that does not end it.
  private static func streamsOfEveryKind() throws {
    var kept: [Hot<Int, UVError>] = []
    EventLoop.runCallbacks { loop in
      let input = HotInput<Int, UVError>()
      let temperature = ObservableInput<Int, UVError>(20)
      show("hot", input)
      show("observable", temperature)
      watch(temperature)
      input.push(1)
      temperature.set(21)

      let producer = HotProducer<Int, UVError> { tell in
        loop.queueMicrotask {
          let events: [StreamEvent<Int, UVError>] = [
            .next(1), .error(UVError(.busy, operation: "read")), .next(2), .terminate(reason: .completed),
          ]
          events.forEach(tell)
        }
      }
      producer.on { print("produced", $0) }.onError { print("error", $0.name) }
      kept.append(producer)

      let copy = ProgressionInput<Int, Int, UVError>()
      copy.filter { $0 > 1 }.map { "\($0) bytes" }.delay(.milliseconds(2)).on { print("copied", $0) }
      copy.complete(2)
    }
    print(kept.count, "producer")
  }

  /// A cell keeps a future, a stream, and how they ended; a task waits for a request and for a source's stream.
  private static func cellOfStreams() throws {
    let input = FutureInput<Int, Never>()
    let stream = HotInput<Int, Never>()
    var cell = Cell(future: keep(input), stream: stream, state: input.state)
    input.complete(.success(5))
    cell.state = input.state
    stream.terminate()
    cell.end = stream.termination
    print(
      cell.future === input, cell.state == .terminated(reason: .completed), cell.end == .completed)
    let done = FutureInput<Void, UVError>()
    done.complete()
    let failed = FutureInput<Int, UVError>()
    failed.complete(UVError(.busy, operation: "own"))
    print(
      done.isActive, failed.state == .terminated(reason: .error(UVError(.busy, operation: "own"))))
    try EventLoop.run { loop in
      let size = loop.files.stat("/").streamFuture().map { $0.type == .directory ? "a directory" : nil }
      print(try await size.value)
      let ticks = loop.ticks(every: .milliseconds(1))
      let third = FutureInput<Int, UVError>()
      ticks.hot().count().filter { $0 == 3 }.on { third.complete(Int($0)) }
      print(try await third.value)
      ticks.stop()
      asStream(Future { settle in settle(.success(6)) }).on { print("as a stream", $0) }
      let either: any AnyStream<Int, UVError> = third
      either.asHot.on { print("again", $0) }
    }
  }

  /// Values are told apart by the side that they came from.
  private static func eitherSide() throws {
    let sides = [Either<Int, String>(1), Either("two")]
    for side in sides {
      side.onLeft { print("left \($0)") }.onRight { print("right \($0)") }
      print(side.left ?? 0, side.right ?? "-")
    }
    let third: Either<Int, String> = .left(3)
    print(third == .left(3))
  }
}

// Prints:
// size 2
// hot 2
// size 3
// hot 3
// 3 3 5 3
// size completed
// length 40
// lengths completed
// false true true
// false
// ticks 3 false 0.002 seconds
// at 1
// done 7
// joined
// true
// true
// at first 20
// hot 1
// observable 21
// now 21
// produced 1
// error EBUSY
// produced 2
// later 21
// copied 2 bytes
// 1 producer
// true true true
// false true
// a directory
// 3
// as a stream 6
// again 3
// left 1
// 1 -
// right two
// 0 two
// true
