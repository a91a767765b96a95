// Futures as streams of one value, as RxStream's own guide has them.
import UV
import UVRxStream

private struct Request: Sendable { var path: String }
private struct Unreachable: Error {}

private final class Client {
  let loop: EventLoop
  init(_ loop: EventLoop) { self.loop = loop }

  func network(_ request: Request) -> Future<String, any Error> {
    Future { completion in
      self.loop.sleep(for: .zero) { _ in
        completion(request.path.isEmpty ? .failure(Unreachable()) : .success("[\(request.path)]"))
      }
    }
  }
}

enum StreamsOfOneValue: Program {
  static func main() throws {
    for path in ["list", ""] {
      EventLoop.runCallbacks { loop in
        // At the beginning it hears of the network's errors alone, at the end of those of the chain, too.
        Client(loop).network(Request(path: path))
          .onError { print("at the beginning:", $0 is Unreachable) }
          .map { $0.dropFirst().dropLast() }
          .dispatch(.async(on: .background)).map { "object of \($0)" }
          .on { print("shows", $0) }
          .resultMap { _ -> Result<Int, any Error> in .failure(Unreachable()) }
          .onError { print("at the end:", $0 is Unreachable) }
      }
    }
    EventLoop.runCallbacks { inputs($0) }
    EventLoop.runCallbacks { _ in joined() }
  }

  private static func inputs(_ loop: EventLoop) {
    let input = FutureInput<Int, any Error>()
    func show(_ future: Future<Int, any Error>) { future.on { print("completed elsewhere with", $0) } }
    show(input)
    input.complete(.success(1))

    var runs = 0
    let lazy = Lazy<Int, any Error> { completion in
      runs += 1
      completion(.success(2))
    }
    print("runs before it is needed:", runs)
    for _ in 1...2 { lazy.on { print("lazy", $0, runs) } }

    let completed = Future<Int, any Error>.completed(3)
    var log = ["attached"]
    completed.on { log.append("later \($0)") }
    completed.on { log.append("at once \($0)") }.replay()
    print(log)
    FutureInput<Int, any Error>().on { _ in }.replay()
    loop.sleep(for: .zero) { _ in print(log) }
  }

  private static func joined() {
    let (left, right) = (FutureInput<Int, any Error>(), FutureInput<String, any Error>())
    let other = FutureInput<Int, any Error>()
    left.merge(other).on { print("merge", $0) }.onTerminate { print("merge", $0 == .completed) }
    left.zip(right).on { print("zip", $0, $1) }
    left.combine(right).on { print("combine", $0, $1) }
    other.complete(1)
    left.complete(2)
    right.complete("two")
  }
}

// Prints:
// shows object of list
// at the end: true
// at the end: true
// at the beginning: true
// completed elsewhere with 1
// runs before it is needed: 0
// lazy 2 1
// ["attached", "at once 3"]
// lazy 2 1
// ["attached", "at once 3", "later 3"]
// merge 1
// merge true
// zip 2 two
// combine 2 two
