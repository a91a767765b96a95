// Promises have values of any type: optional, void, a class, an existential, a large structure.
import Dispatch
import UV
import UVPromises

enum PromisesOfEveryType: Program {
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
    EventLoop.runCallbacks { loop in
      func see(_ way: String, _ promise: Promise<T>) {
        promise.done { check.see(way, $0) }.catch { _ in check.see(way, nil) }
      }
      see("value", .value(value))
      see("seal", Promise { seal in loop.queueMicrotask { seal.fulfill(value) } })
      see("resolve", Promise { $0.resolve(.fulfilled(value)) })
      see(
        "pending",
        {
          let (promise, seal) = Promise<T>.pending()
          seal.fulfill(value)
          return promise
        }())
      see("map", Promise.value(1).map { _ in value })
      see("map of it", Promise.value(value).map { $0 })
      see("then", Promise.value(value).then { Promise.value($0) })
      see("get", Promise.value(value).get { _ in })
      see(
        "recover",
        Promise<T>(error: PMKError.cancelled).recover(policy: .allErrors) { _ in Promise.value(value) })
      see("ensure", Promise.value(value).ensure {})
      see("when", when(fulfilled: [Promise.value(value)]).map { $0[0] })
      see("when two", when(fulfilled: Promise.value(value), Promise.value(1)).map { $0.0 })
      see("race", race([Promise.value(value)]))
      see("firstly", firstly { Promise.value(value) })
      see(
        "timeout",
        Promise { seal in loop.queueMicrotask { seal.fulfill(value) } }.timeout(after: .seconds(60)))
      see("request", loop.work { value }.promise())
      see("queue", Promise.value(1).map(on: DispatchQueue.global()) { _ in value })
      see("sequence", Promise.value([1]).mapValues { _ in value }.firstValue)
      Guarantee { $0(value) }.done { check.see("guarantee", $0) }
    }
    let awaited = try EventLoop.run { _ in
      var results = [try await Promise.value(value).async()]
      results.append(
        try await Promise { seal in DispatchQueue.global().async { seal.fulfill(value) } }.async())
      results.append(await Guarantee { $0(value) }.async())
      results.append(try await Promise { () async throws in value }.async())
      return results
    }
    for result in awaited { check.see("async", result) }
    check.report()
  }
}

// Prints:
// 23 []
// 23 []
// 23 []
// 23 []
// 23 []
// 23 []
// 23 []
// 23 []
