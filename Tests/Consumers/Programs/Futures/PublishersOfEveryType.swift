// Publishers and futures have values of any type: optional, void, a class, an existential, a large structure.
import UV
import UVFutures

enum PublishersOfEveryType: Program {
  static func main() throws {
    try each(Check(42 as Int?) { $0 == 42 })
    try each(Check(nil as Int?) { $0 == nil })
    try each(Check(.some(nil) as Int??) { $0 == .some(nil) })
    try each(Check(()) { _ in true })
    try each(Check(Box()) { $0.number == 7 })
    try each(Check(7 as any CustomStringConvertible & Sendable) { $0.description == "7" })
    try each(Check(nil as (any Error)?) { $0 == nil })
    try each(Check(Large()) { $0 == Large() })
  }

  private static func each<T: Sendable>(_ check: Check<T>) throws {
    let value = check.value
    var subscriptions: Set<AnyCancellable> = []
    EventLoop.runCallbacks { loop in
      func see<P: Publisher>(_ way: String, _ publisher: P) where P.Output == T {
        var result: T?
        publisher.sink { _ in
          check.see(way, result)
        } receiveValue: {
          result = .some($0)
        }
        .store(in: &subscriptions)
      }
      see("Just", Just(value))
      see("map", Just(1).map { _ in value })
      see("collect", Just(value).collect().map { $0[0] })
      see("Future", Future<T, Never> { $0(.success(value)) })
      see("request", loop.work { value }.publisher())
      see(
        "flatMap", Just(1).setFailureType(to: UVError.self).flatMap { _ in loop.work { value }.publisher() })
    }
    let awaited = try EventLoop.run { loop in
      var results = [await Future<T, Never> { $0(.success(value)) }.value]
      for try await element in loop.work({ value }).publisher().values { results.append(element) }
      return results
    }
    for result in awaited { check.see("awaited", result) }
    check.report()
  }
}

// Prints:
// 8 []
// 8 []
// 8 []
// 8 []
// 8 []
// 8 []
// 8 []
// 8 []
