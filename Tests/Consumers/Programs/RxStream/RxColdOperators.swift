// A cold stream takes the operators of a hot one: each of them makes another cold stream, which is asked in turn.
import UV
import UVRxStream

/// Squares of what is asked for; nobody has a square of zero to give.
private typealias Squares = Cold<Int, Int, UVError>

private final class Screen {}

enum RxColdOperators: Program {
  private static func squares() -> Squares {
    Squares { number, answer in
      answer(
        number == 0 ? .failure(UVError(.invalidArgument, operation: "square")) : .success(number * number))
    }
  }

  /// Asks a chain for several squares, and prints what it answers. The stream at its head is kept meanwhile.
  private static func show<Output>(
    _ name: String, _ numbers: [Int] = [1, 2, 3], _ chain: (Squares) -> Cold<Int, Output, UVError>
  ) {
    let source = squares()
    var answers: [String] = []
    let shown = chain(source).on { answers.append("\($0)") }
    for number in numbers { shown.request(number) }
    source.terminate()
    print(name, answers.joined(separator: " "))
  }

  static func main() throws {
    EventLoop.runCallbacks { loop in
      show("map") { $0.map { $0 + 1 } }
      show("filter", [1, 2, 2]) { $0.filter { $0 > 1 }.distinct { $0 != $1 } }
      show("flatMap") { $0.flatMap { [$0, -$0] } }
      show("flatten") { $0.map { [$0, 0] }.flatten() }
      show("result") { $0.resultMap { .success($0 * 10) }.asyncMap { value, done in done(.success(value)) } }
      show("scan") { $0.scan(initial: 0) { $0 + $1 } }
      show("count") { $0.count() }
      show("stamped") { $0.countStamp().map { "\($0.stamp):\($0.value)" } }
      show("named") { $0.stamp { "n\($0)" }.map { "\($0.stamp)" } }
      show("timed") { $0.timeStamp().map { $0.stamp <= loop.clock.now } }
      show("smallest", [3, 1, 2]) { $0.min { $0 < $1 } }
      show("largest", [1, 3, 2]) { $0.max { $0 > $1 } }
      show("compared", [2, 2, 1, 3]) { $0.distinct().min() }
      show("rising", [2, 1, 3]) { $0.max() }
      show("sums") { $0.sum() }
      show("means") { $0.map { Double($0) }.average() }
      show("not optional") { $0.map { $0 > 1 ? $0 : nil } }
      show("first") { $0.first(2) }
      show("next") { $0.next(1) }
      show("skip") { $0.skip(1).stride(1) }
      show("windows") { $0.window(size: 2, partial: true) }
      show("in time") { $0.window(size: .seconds(60), limit: 2).map(\.count) }
      show("start") { $0.start(with: [7]) }
      show("until") { $0.until { $0 == 4 } }
      show("until twice", [2, 2, 3]) { $0.until { previous, next in previous == next } }
      show("until the reason") { $0.until { $0 == 4 ? .completed : nil } }
      show("while") { $0.doWhile { $0 < 4 } }
      show("while rising", [1, 3, 2]) { $0.doWhile { previous, next in (previous ?? 0) < next } }
      show("error", [1, 0, 2]) { $0.mapError { _ in .cancelled } }

      let screen = Screen()
      show("living") { $0.lifeOf(screen).using(screen).map { $0.1 } }
      let source = squares()
      let large = source.map { $0 > 2 ? "<\($0)>" : nil }.on { (text: String) in print("large", text) }
      large.request(1)
      large.request(2)
      let transitions = source.onTransition { previous, next in print("from \(previous ?? 0) to \(next)") }
      transitions.request(1)
      transitions.request(2)

      // What waits for the end of the stream says it there; a shared answer goes to all that listen.
      let ending = squares()
      ending.reduce(initial: 0) { $0 + $1 }.on { print("sum", $0) }
      ending.last(2).on { print("last", $0) }
      ending.buffer(size: 2).on { print("buffer", $0) }
      ending.concat([100]).on { print("with the end", $0) }
      ending.defaultValue(0).on { print("or else", $0) }
      for number in 1...3 { ending.request(number, share: true) }
      ending.terminate()

      let late = source.delay(.milliseconds(1)).on { print("late", $0) }
      late.request(5)
    }
  }
}

// Prints:
// map 2 5 10
// filter 4
// flatMap 1 -1 4 -4 9 -9
// flatten 1 0 4 0 9 0
// result 10 40 90
// scan 1 5 14
// count 1 2 3
// stamped 1:1 2:4 3:9
// named n1 n4 n9
// timed true true true
// smallest 9 1
// largest 1 9
// compared 4 1
// rising 4 9
// sums 1 5 14
// means 1.0 2.5 4.666666666666667
// not optional 4 9
// first 1 4
// next 1
// skip 4 9
// windows [1] [1, 4] [4, 9]
// in time 1 2 2
// start 7 1 4 9
// until 1
// until twice 4
// until the reason 1
// while 1
// while rising 1 9
// error 1
// living 1 4 9
// large <4>
// from 0 to 1
// from 1 to 4
// with the end 1
// or else 1
// buffer [1, 4]
// with the end 4
// or else 4
// with the end 9
// or else 9
// sum 14
// last 4
// last 9
// buffer [9]
// with the end 100
// late 25
