// Values are grouped by time, and thinned out.
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
  }
}

// Prints:
// thinned 1
// [1, 2]
// [1, 2, 3]
