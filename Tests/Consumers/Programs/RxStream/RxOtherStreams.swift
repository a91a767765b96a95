// Observables know their value, cold streams answer who asks, and a producer and a timer feed hot ones.
import UV
import UVRxStream

enum RxOtherStreams: Program {
  static func main() throws {
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
