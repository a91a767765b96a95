// What cannot fail still cannot when its handlers run on a queue.
import Dispatch
import UV
import UVPromises

enum GuaranteesOnAQueue: Program {
  static func main() throws {
    let queue = DispatchQueue(label: "work")
    EventLoop.runCallbacks { loop in
      let executor = loop.executor
      Guarantee.value([3, 1, 2])
        .mapValues(on: queue) { executor.isOnLoop ? 0 : $0 * 2 }
        .filterValues(on: queue) { $0 > 2 }
        .flatMapValues(on: queue) { [$0, $0 + 1] }
        .compactMapValues(on: queue) { $0 == 5 ? nil : $0 }
        .thenMap(on: queue) { Guarantee.value($0 + 1) }
        .sortedValues(on: queue)
        .done { print($0) }
    }
    EventLoop.runCallbacks { loop in
      let executor = loop.executor
      Guarantee.value([3, 1, 2])
        .get(on: queue) { if executor.isOnLoop { print("on the loop: \($0)") } }
        .sortedValues(on: queue) { $0 > $1 }
        .then(on: queue) { Guarantee.value($0) }
        .map(on: queue) { $0.map(String.init) }
        .done { print($0.joined(separator: " ")) }
    }
    EventLoop.runCallbacks { _ in
      Guarantee.value([1, 2]).thenFlatMap(on: queue) { Guarantee.value([$0, $0]) }.done { print($0) }
    }
    EventLoop.runCallbacks { _ in
      Promise.value(4).done(on: queue) { print($0) }.cauterize()
    }
    EventLoop.runCallbacks { _ in
      let words = Guarantee.value(["b", "c", "a"])
      words.sortedValues().done { print($0) }
      words.sortedValues { $0 > $1 }.done { print($0) }
    }
  }
}

// Prints:
// [5, 7, 8]
// 3 2 1
// [1, 1, 2, 2]
// 4
// ["a", "b", "c"]
// ["c", "b", "a"]
