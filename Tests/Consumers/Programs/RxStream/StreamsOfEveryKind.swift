// A function takes hot streams of every kind, and a producer tells of an error that does not end it.
import UV
import UVRxStream

enum StreamsOfEveryKind: Program {
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

  static func main() throws {
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
}

// Prints:
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
