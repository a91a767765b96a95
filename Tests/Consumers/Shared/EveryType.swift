// What the programs pass values of every type through: optional, void, a class, an existential, a large structure.

final class Box: Sendable {
  let number = 7
}

struct Block: Equatable {
  var a = 1
  var b = 2
  var c = 3
  var d = 4
  var e = 5
}

/// 200 bytes.
struct Large: Equatable {
  var blocks = (Block(), Block(), Block(), Block(), Block())
  static func == (a: Large, b: Large) -> Bool { a.blocks == b.blocks }
}

/// A value of some type, and what has come back of it.
final class Check<T: Sendable> {
  let value: T
  private let isSame: (T) -> Bool
  private var count = 0
  private var wrong: [String] = []

  init(_ value: T, _ isSame: @escaping (T) -> Bool) {
    self.value = value
    self.isSame = isSame
  }

  func see(_ way: String, _ result: T?) {
    count += 1
    if let result, isSame(result) { return }
    wrong.append(way)
  }

  func report() { print(count, wrong) }
}
