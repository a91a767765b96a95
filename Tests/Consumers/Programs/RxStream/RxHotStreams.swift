// Hot streams: pushed into, merged, throttled, with every operator.
import UV
import UVRxStream

private final class EverySecond: Throttle {
  private var count = 0
  func process(work: @escaping ThrottledWork) {
    count += 1
    work(count.isMultiple(of: 2) ? .perform({}) : .cancel)
  }
}

/// Says what the work does.
private final class Watched: Throttle {
  let throttle = PressureThrottle(buffer: 0, limit: 1)
  func process(work: @escaping ThrottledWork) {
    throttle.process { signal in
      switch signal {
      case .cancel: print("dropped")
      case .perform: print("begins")
      }
      work(signal)
    }
  }
}

enum RxHotStreams: Program {
  static func main() throws {
    try rxHotAndThrottle()
    try rxHotOperators()
  }

  enum Failure: Error, Equatable { case wrong }

  /// Hot streams: pushed into, merged, throttled, ended; and a throttle of one's own.
  private static func rxHotAndThrottle() throws {
    EventLoop.runCallbacks { loop in
      let input = HotInput<Int, Failure>()
      input.on { print("on \($0)") }.onError { print("error \($0)") }.onTerminate { _ in print("terminated") }
      input.map { $0 }.throttled(EverySecond()).on { print("second \($0)") }
      input.throttle(TimedThrottle(interval: .milliseconds(5), delayFirst: true)).on { print("last \($0)") }
      input.asyncMap { value, done in loop.sleep(for: .milliseconds(1)) { _ in done(.success(value)) } }
        .throttled(Watched()).on { print("first \($0)") }
      input.merge(HotInput<Int, Failure>()).on { print("merged \($0)") }
      for number in 1...2 { input.push(number) }
      loop.sleep(for: .milliseconds(30)) { _ in
        input.terminate(withReason: .error(.wrong))
        print(input.termination == .error(.wrong))
        input.push(3)
      }
    }
  }

  /// A hot stream takes RxStream's operators, and its errors do not end it.
  private static func rxHotOperators() throws {
    let numbers = HotInput<Int, UVError>()
    numbers.on { print("on", $0) }.onTransition { print("from", $0 ?? 0, "to", $1) }
      .onError { print("error", $0.code == .busy) }.mapError { _ in .cancelled }
      .onTerminate { print("ended", $0) }
    numbers.map { $0 * 2 }.filter(include: { $0 > 2 }).resultMap { .success("<\($0)>") }
      .asyncMap { value, done in done(.success(value)) }.on { print($0) }
    numbers.flatMap { [$0, $0] }.scan(initial: 0) { $0 + $1 }.reduce(initial: 0) { $0 + $1 }.on {
      print("sum of sums", $0)
    }
    numbers.map { [$0, 0] }.flatten().distinct().last(2, partial: true).on { print("last", $0) }
    numbers.buffer(size: 2).on { print("buffer", $0) }
    numbers.window(size: 2).on { print("window", $0) }
    numbers.window(size: .seconds(1000), limit: 1).on { print("timed", $0) }
    numbers.first(2).next(1, then: .completed).skip(0).stride(1).on { print("first", $0) }
    numbers.stamp { "\($0)" }.countStamp().on { print($0.stamp, $0.value.stamp) }
    numbers.timeStamp().count().on { print("count", $0) }
    numbers.distinct { $0 != $1 }.min().on { print("min", $0) }
    numbers.max().max { $0 > $1 }.min { $0 < $1 }.on { print("max", $0) }
    numbers.sum().on { print("sum", $0) }
    numbers.map { Double($0) }.average().on { print("average", $0) }
    numbers.start(with: [0]).concat([9]).defaultValue(5).on { print("all", $0) }
    numbers.doWhile { $0 < 2 }.doWhile { prior, next in (prior ?? 0) < next }.on { print("while", $0) }
    numbers.until { $0 == 2 }.until { prior, next in prior == next }.until { _ in nil as Termination<UVError>?
    }
    .on { print("until", $0) }
    let object = numbers
    numbers.using(object).lifeOf(object).on { print("using", $0.1) }
    let named = numbers.merge(HotInput<Int, UVError>()).named("merged").onDebugInfo {
      if $0.hasPrefix("merged: next") { print($0) }
    }
    print(named.descriptor, named.asHot === named, named.isActive)
    numbers.zip(numbers, buffer: 1).on { print("zip", $0) }
    numbers.combine(latest: true, stream: numbers).on { print("combine", $0) }
    let either: Hot<Either<Int, String>, UVError> = numbers.merge(HotInput<String, UVError>())
    either.on { $0.onLeft { print("left", $0) }.onRight { print($0) } }
    print(Either<Int, String>(1).left ?? 0, Either<Int, String>("one").right ?? "")

    numbers.push(1)
    numbers.push(UVError(.busy, operation: "own"))
    numbers.push(2)
    numbers.on { print("replayed", $0) }.replay()
    numbers.canReplay(false)
    numbers.terminate()
    print(numbers.state == .terminated(reason: .completed))
  }
}

// Prints:
// on 1
// begins
// merged 1
// on 2
// second 2
// dropped
// merged 2
// first 1
// last 2
// terminated
// error wrong
// true
// merged true true
// 1 one
// on 1
// from 0 to 1
// timed [1]
// first 1
// 1 1
// count 1
// min 1
// max 1
// sum 1
// average 1.0
// all 0
// all 1
// while 1
// until 1
// using 1
// merged: next(1)
// zip (1, 1)
// combine (1, 1)
// left 1
// error true
// ended cancelled
// on 2
// from 1 to 2
// <4>
// buffer [1, 2]
// window [1, 2]
// timed [2]
// 2 2
// count 2
// sum 3
// average 1.5
// all 2
// using 2
// merged: next(2)
// zip (2, 2)
// combine (2, 1)
// combine (2, 2)
// left 2
// replayed 2
// sum of sums 13
// last 2
// last 0
// buffer []
// all 9
// true
