// A table of what can be shown of a user: key paths are values, and promises take them.
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
    Promise.value(users).mapValues(path)
  }

  static func main() throws {
    try EventLoop.run { _ in
      print(try await column(\.name).async(), try await column(\.age).async())
      let (isAdult, nickname) = (\User.isAdult, \User.nickname)
      print(try await Promise.value(users).filterValues(isAdult).mapValues(\.name).async())
      print(try await Promise.value(users).compactMapValues(nickname).async())
      print(
        try await Promise.value(users[1]).compactMap(nickname).async(),
        try await Promise.value(users[0]).map(isAdult).async())
      let sure = Guarantee.value(users)
      print(await sure.mapValues(isAdult).async(), await sure.filterValues(isAdult).async().count)
      print(await sure.compactMapValues(nickname).async(), await sure.map(\[User].count).async())
      let count = \[User].count
      print(await sure.map(count).async())
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
