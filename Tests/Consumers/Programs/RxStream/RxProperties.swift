// Streams as properties, answers joined with other streams, and promises whose operation is done elsewhere.
import UV
import UVRxStream

private final class Thermometer {
  @HotWrap var readings: Hot<Int, Never>
  @ObservableWrap(20) var latest: Observable<Int, Never>

  func read(_ value: Int) {
    _readings <- value
    _latest <- value
    if latest != value || value != latest { print("never") }
  }

  func reset() {
    $readings.push(0)
    $latest.set(0)
  }
}

enum RxProperties: Program {
  static func main() throws {
    EventLoop.runCallbacks { loop in
      properties()
      answers()
      promises(loop)
    }
  }

  private static func properties() {
    let thermometer = Thermometer()
    thermometer.readings.average().on { print("mean", $0) }
    thermometer.latest.map { $0 > 25 ? "hot" : nil }.on { print($0) }
    thermometer.read(20)
    thermometer.read(30)
    print(thermometer.latest == 30, 30 == thermometer.latest)
    thermometer.reset()
    print(thermometer.latest.value)

    let input = HotInput<Int, Never>()
    input.until { prior, next in prior == next ? .completed : nil }.onTerminate { print($0 == .completed) }
    for value in [1, 2, 2] { input <- value }

    let checked = ObservableInput<Int, UVError>(0)
    checked.onError { print($0.name) }
    checked.push(error: UVError(.busy, operation: "check"))
    checked <- 1
  }

  private static func answers() {
    let squares = Cold<Int, Int, Never> { number, answer in answer(.success(number * number)) }.named(
      "squares")
    let words = HotInput<String, Never>()
    let numbers = HotInput<Int, Never>()
    print(squares.descriptor, String(reflecting: squares))
    squares.descriptor = "others"
    let merged = squares.merge(numbers).on { print("merged", $0) }
    squares.merge(words).on { print("either", $0.left ?? 0, $0.right ?? "none") }
    squares.zip(words).on { print("zipped", $0.0, $0.1) }
    squares.combine(stream: words).on { print("combined", $0.0, $0.1) }
    let means = squares.average().until { prior, next in next > 5 ? .completed : nil }.on {
      print("mean", $0)
    }
    let all = squares.asHot.on { print("shared", $0) }
    merged.request(2)
    squares.request(3, share: true)
    numbers.push(1)
    words.push("word")
    means.request(1)
    print(all.isActive)
  }

  private static func promises(_ loop: EventLoop) {
    let queue = CustomQueue(type: .concurrent, name: "several threads")
    var runs = 0
    let work = StreamPromise<Int, UVError> { _, completion in
      runs += 1
      completion(.success(runs))
    }
    work.dispatch(.async(on: .custom(queue))).resultMap { number -> Result<Int, UVError> in
      number == 1 ? .failure(UVError(.busy, operation: "work")) : .success(number)
    }
    .dispatch(.async(on: .custom(CustomQueue(type: .serial, name: "one thread")))).map { $0 * 10 }
    .dispatch(.async(on: .background)).on { _ in }
    .retry(2)
    .on { print("attempt", $0) }
    .onTerminate { print("all attempts:", $0 == .completed) }

    let done: Progression<String, Int, UVError> = .completed(7)
    done.on { print("done", $0) }.replay()
    let failed: Progression<String, Int, UVError> = .completed(UVError(.busy, operation: "nothing"))
    failed.onError { print($0.name) }.replay()
  }
}

// Prints:
// mean 20
// mean 25
// hot
// true true
// mean 16
// 0
// true
// EBUSY
// squares squares
// merged 4
// merged 9
// either 9 none
// shared 9
// merged 1
// either 0 word
// zipped 9 word
// combined 9 word
// true
// done 7
// EBUSY
// attempt 20
// all attempts: true
