// A table of what can be shown of a user: key paths are values, and a closure applies them.
import UV
import UVPromises

private struct User {
  var name: String
  var age: Int
  var nickname: String?
  var isAdult: Bool { age >= 18 }
}

enum KeyPathsAsValues: Program {
  private static let users = [
    User(name: "Ada", age: 36, nickname: nil), User(name: "Max", age: 9, nickname: "M"),
  ]

  private static func column<Value>(_ path: KeyPath<User, Value>) -> Promise<[Value]> {
    Promise.value(users).mapValues { $0[keyPath: path] }
  }

  static func main() throws {
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
// ["Ada", "Max"] [36, 9]
// ["Ada"]
// ["M"]
// M true
// [true, false] 1
// ["M"] 2
// 2
