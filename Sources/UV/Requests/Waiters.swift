/// Completions that wait for the same thing, each of which may be cancelled.
package struct Waiters<Success> {
  private var entries = Queue<(number: UInt, done: Completion<Success>)>()
  private var lastNumber: UInt = 0

  package init() {}

  package var isEmpty: Bool { entries.isEmpty }

  /// Adds a completion, and returns the number by which it is known from now on.
  package mutating func add(_ done: @escaping Completion<Success>) -> UInt {
    lastNumber &+= 1
    entries.append((lastNumber, done))
    return lastNumber
  }

  package func contains(_ number: UInt) -> Bool { entries.contains { $0.number == number } }

  /// Takes one completion out; nil if it has been taken out already.
  package mutating func take(_ number: UInt) -> Completion<Success>? {
    guard let index = entries.firstIndex(where: { $0.number == number }) else { return nil }
    return entries.remove(at: index).done
  }

  /// Takes the one out that has waited longest; nil if there is none.
  package mutating func takeFirst() -> Completion<Success>? { entries.popFirst()?.done }

  /// Takes all out, in the order in which they came.
  package mutating func takeAll() -> [Completion<Success>] { entries.takeAll().map(\.done) }
}
