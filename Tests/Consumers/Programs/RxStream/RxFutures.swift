// RxStream's operators on a future, one after the other.
import UV
import UVRxStream

enum RxFutures: Program {
  enum Failure: Error, Equatable { case wrong, worse }

  static func main() throws {
    EventLoop.runCallbacks { loop in
      let input = FutureInput<Int, Failure>()
      print(input.isActive, input.state == .active)
      let text: Future<String, Failure> = input.map { "\($0)" }
      text.on { print("text \($0)") }
      input.then { print("then \($0)") }
      input.resultMap { $0 > 0 ? .success($0) : .failure(.wrong) }.on { print("positive \($0)") }
      input.asyncMap { value, done in done(.success(value + 1)) }.on { print("async \($0)") }
      let filtered: Future<Int, Failure> = input.filter { $0 > 100 }
      filtered.defaultValue(100).on { print("default \($0)") }
      input.stamp { -$0 }.on { print("stamp \($0.stamp)") }
      input.timeStamp().on { print("time \($0.stamp.nanoseconds > 0)") }
      input.doWhile { $0 < 3 }.onTerminate { print("doWhile \($0 == .cancelled)") }
      input.until(then: .error(.worse)) { $0 == 5 }.onError { print("until \($0)") }
      input.until { $0 == 5 ? .cancelled : nil }.on { print("not until \($0)") }
      input.start(with: [1, 2]).on { print("start \($0)") }
      input.concat([6, 7]).on { print("concat \($0)") }
      input.flatMap { [$0, $0 * 10] }.on { print("flatMap \($0)") }
      input.complete(5)
      print(input.isActive, input.state == .terminated(reason: .completed))

      let owner = FutureInput<Int, Failure>()
      input.lifeOf(owner).on { print("life \($0)") }
      input.using(owner).on { print("using \($0.0 === owner) \($0.1)") }
      Future<[Int], Never>.completed([8, 9]).flatten().on { print("flatten \($0)") }
      let failed = Future<Int, Failure>.completed(Failure.wrong)
      failed.onError { print("failed \($0)") }
      failed.merge(input).on { print("merge \($0)") }
      let pair: Future<(Int, Int), Failure> = input.zip(input)
      pair.on { print("zip \($0)") }
      input.combine(Future<String, Failure>.completed("b")).on { print("combine \($0)") }
      let either: Future<Either<Int, String>, Failure> = FutureInput<Int, Failure>().merge(
        Future<String, Failure>.completed("right"))
      either.on { print($0 == .right("right")) }
      print(input.named("input").descriptor)
      input.canReplay(false).on { print("not heard \($0)") }
      let named = FutureInput<Int, Never>().named("named").onDebugInfo { print($0.hasPrefix("named")) }
      named.complete(1)
      named.replay()
    }
  }
}

// Prints:
// true true
// text 5
// then 5
// positive 5
// async 6
// default 100
// stamp -5
// time true
// start 1
// start 2
// start 5
// concat 5
// concat 6
// concat 7
// flatMap 5
// flatMap 50
// until worse
// doWhile true
// false true
// input
// true
// life 5
// using true 5
// flatten 8
// flatten 9
// failed wrong
// merge 5
// zip (5, 5)
// combine (5, "b")
// true
