// What promises of sequences do with their elements, and key paths with their values.
import UV
import UVPromises

private struct User {
  var name: String
  var age: Int
  var nickname: String?
  var isAdult: Bool { age >= 18 }
}

enum ValuesOfPromises: Program {
  static func main() throws {
    try sequencesOfValues()
    try keyPathsAsValues()
  }

  /// What promises and guarantees of sequences can do with their elements.
  private static func sequencesOfValues() throws {
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

  private static let users = [
    User(name: "Ada", age: 36, nickname: nil), User(name: "Max", age: 9, nickname: "M"),
  ]

  private static func column<Value>(_ path: KeyPath<User, Value>) -> Promise<[Value]> {
    Promise.value(users).mapValues { $0[keyPath: path] }
  }

  /// A table of what can be shown of a user: key paths are values, and a closure applies them.
  private static func keyPathsAsValues() throws {
    try EventLoop.run { _ in
      print(try await column(\.name).async(), try await column(\.age).async())
      let (isAdult, nickname) = (\User.isAdult, \User.nickname)
      print(try await Promise.value(users).filterValues { $0[keyPath: isAdult] }.mapValues(\.name).async())
      print(try await Promise.value(users).compactMapValues { $0[keyPath: nickname] }.async())
      print(
        try await Promise.value(users[1]).compactMap { $0[keyPath: nickname] }.async(),
        try await Promise.value(users[0]).map { $0[keyPath: isAdult] }.async())
      let sure = Guarantee.value(users)
      print(
        await sure.mapValues { $0[keyPath: isAdult] }.async(),
        await sure.filterValues { $0[keyPath: isAdult] }.async().count)
      print(
        await sure.compactMapValues { $0[keyPath: nickname] }.async(), await sure.map(\[User].count).async())
      let count = \[User].count
      print(await sure.map { $0[keyPath: count] }.async())
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
// ["Ada", "Max"] [36, 9]
// ["Ada"]
// ["M"]
// M true
// [true, false] 1
// ["M"] 2
// 2
