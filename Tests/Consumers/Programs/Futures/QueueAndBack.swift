// A chain moves to a queue for slow work and comes back, and one that has had enough there stops the loop's source.
import Dispatch
import UV
import UVFutures

enum QueueAndBack: Program {
  private static func sum(upTo limit: Int) -> Int { (1...limit).reduce(0, &+) }

  static func main() throws {
    let queue = DispatchQueue(label: "slow work")
    var subscriptions: Set<AnyCancellable> = []
    EventLoop.runCallbacks { loop in
      loop.files.stat("/").publisher()
        .map { _ in 100_000 }
        .receive(on: queue)
        .map { sum(upTo: $0) }
        .receive(on: loop)
        .sink { _ in
          print("on the loop:", loop.executor.isOnLoop)
        } receiveValue: {
          print("sum", $0)
        }
        .store(in: &subscriptions)
    }
    EventLoop.runCallbacks { loop in
      loop.ticks(every: .milliseconds(1)).publisher()
        .receive(on: queue)
        .prefix(3)
        .collect()
        .receive(on: loop)
        .sink { _ in
        } receiveValue: {
          print($0.count, "ticks")
        }
        .store(in: &subscriptions)
    }
  }
}

// Prints:
// sum 5000050000
// on the loop: true
// 3 ticks
