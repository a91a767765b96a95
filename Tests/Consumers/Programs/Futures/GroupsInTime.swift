// Values are grouped by time, thinned out, and told apart by the side that they came from.
import UV
import UVFutures

enum GroupsInTime: Program {
  static func main() throws {
    var subscriptions: Set<AnyCancellable> = []
    EventLoop.runCallbacks { loop in
      let numbers = PassthroughSubject<Int, Never>()
      numbers.collect(.byTime(loop, .milliseconds(10))).first().sink { print($0) }.store(in: &subscriptions)
      numbers.collect(.byTimeOrCount(loop, .seconds(60), 2)).first().sink { print($0) }
        .store(in: &subscriptions)
      numbers.throttle(for: .seconds(60), scheduler: loop, latest: false).first().sink {
        print("thinned", $0)
      }
      .store(in: &subscriptions)
      for number in 1...3 { numbers.send(number) }
      loop.sleep(for: .milliseconds(50)) { _ in numbers.send(completion: .finished) }
    }
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
// thinned 1
// [1, 2]
// [1, 2, 3]
// left 1
// 1 -
// right two
// 0 two
// true
