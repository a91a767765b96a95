// The elements of a sequence are worked on away from the loop, by promises that keep their names.
import Dispatch
import UV
import UVPromises

enum ElementsOnAQueue: Program {
  static func main() throws {
    let queue = DispatchQueue(label: "work")
    try EventLoop.run { loop in
      let numbers = Promise.value([3, 1, 2])
      print(try await numbers.mapValues(on: queue) { $0 * 10 }.async())
      print(try await numbers.flatMapValues(on: queue) { [$0, -$0] }.async())
      print(try await numbers.compactMapValues(on: queue) { $0 > 1 ? "\($0)" : nil }.async())
      print(try await numbers.filterValues(on: queue) { $0 != 1 }.async())
      print(try await numbers.sortedValues(on: queue).async())
      print(try await numbers.firstValue(on: queue) { $0 < 3 }.async())
      print(try await numbers.thenMap(on: queue) { Promise.value($0 + 1) }.async())
      print(try await numbers.thenFlatMap(on: .global()) { Promise.value([$0, $0]) }.async())
      do {
        _ = try await numbers.firstValue(on: queue) { $0 > 3 }.async()
      } catch PMKError.emptySequence {
        print("no such number")
      }
    }
  }
}

// Prints:
// [30, 10, 20]
// [3, -3, 1, -1, 2, -2]
// ["3", "2"]
// [3, 2]
// [1, 2, 3]
// 1
// [4, 2, 3]
// [3, 3, 1, 1, 2, 2]
// no such number
