// What promises and guarantees of sequences can do with their elements.
import UV
import UVPromises

enum SequencesOfValues: Program {
  static func main() throws {
    try EventLoop.run { loop in
      let numbers = Promise.value([3, 1, 2])
      print(try await numbers.mapValues { $0 * 10 }.async())
      print(try await numbers.mapValues(\.description).async())
      print(try await numbers.flatMapValues { [$0, $0] }.async())
      print(try await numbers.compactMapValues { $0 > 1 ? $0 : nil }.async())
      print(try await numbers.filterValues { $0 < 3 }.async())
      let later = numbers.thenMap { number in
        loop.sleep(for: .milliseconds(number)).promise().map { number }
      }
      print(try await later.thenFlatMap { Promise.value([$0, -$0]) }.async())
      print(try await numbers.sortedValues().firstValue.async())
      print(try await numbers.lastValue.async(), try await numbers.firstValue { $0 < 3 }.async())
      do {
        print(try await Promise.value([Int]()).firstValue.async())
      } catch PMKError.emptySequence {
        print("empty")
      }
      print(try await Promise.value("12").compactMap { Int($0) }.async())
      do {
        print(try await Promise.value("x").compactMap { Int($0) }.async())
      } catch PMKError.compactMap(let value, let type) {
        print(value, type)
      }
      let guarantee = Guarantee.value([3, 1, 2])
      print(await guarantee.mapValues { $0 + 1 }.sortedValues().async())
      print(await guarantee.filterValues { $0 > 1 }.compactMapValues { $0 }.flatMapValues { [$0] }.async())
      print(await guarantee.thenMap { .value($0 * 2) }.thenFlatMap { .value([$0]) }.async())
      await guarantee.asVoid().async()
      let (one, two) = try await Promise.value(1).zip(Promise.value(2)).async()
      let (a, b) = try await zip(Promise.value("a"), Guarantee.value("b")).async()
      print(one, two, a, b)
      print(try await Promise.value(0).fold([Promise.value(1), .value(2)]) { $0 + $1 }.async())
      print(try await Promise.value(0).reduce([1, 2, 3]) { Promise.value($0 + $1) }.async())
    }
  }
}

// Prints:
// [30, 10, 20]
// ["3", "1", "2"]
// [3, 3, 1, 1, 2, 2]
// [3, 2]
// [1, 2]
// [3, -3, 1, -1, 2, -2]
// 1
// 2 1
// empty
// 12
// x Int
// [2, 3, 4]
// [3, 2]
// [6, 2, 4]
// 1 2 a b
// 3
// 6
