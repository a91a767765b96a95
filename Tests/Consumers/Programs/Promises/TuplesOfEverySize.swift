// `when` of two to five promises and guarantees, and of arrays and lists without a value.
import UV
import UVPromises

enum TuplesOfEverySize: Program {
  static func main() throws {
    try EventLoop.run { loop in
      func p<T>(_ value: T) -> Promise<T> { .value(value) }
      func g<T>(_ value: T) -> Guarantee<T> { .value(value) }
      print(try await when(fulfilled: p(1), p("2")).async())
      print(try await when(fulfilled: p(1), p("2"), g(3.0)).async())
      print(try await when(fulfilled: p(1), p("2"), p(3.0), p(true)).async())
      print(try await when(fulfilled: p(1), p("2"), p(3.0), p(true), p("5")).async())
      print(await when(guarantees: g(1), g("2")).async())
      print(await when(guarantees: g(1), g("2"), g(3.0)).async())
      print(await when(guarantees: g(1), g("2"), g(3.0), g(true)).async())
      print(await when(guarantees: g(1), g("2"), g(3.0), g(true), g("5")).async())
      let none: [Promise<Void>] = [.value, Promise()]
      try await when(fulfilled: none).async()
      await when(guarantees: [Guarantee<Void>.value, Guarantee()]).async()
      try await when(fulfilled: Promise(), Promise(), Promise(), Promise(), Promise(), Promise())
        .async()
      print(await when(resolved: p(1), p(2)).async().count)
      let rejected = Promise<Int>(error: PMKError.badInput)
      let slow = loop.sleep(for: .seconds(60)).promise()
      do {
        _ = try await when(fulfilled: rejected, slow, cancellingRest: true).async()
      } catch {
        print("rejected", slow.isRejected)
      }
      let guarantee = g([3, 1, 2])
      print(
        await guarantee.map(\.count).async(), guarantee.result?.isFulfilled ?? false,
        "\(guarantee)".isEmpty)
      print(await guarantee.mapValues(\.description).async(), guarantee.debugDescription.isEmpty)
      let words = Guarantee.value(["a", ""])
      print(await words.compactMapValues(\.first).async(), await words.filterValues(\.isEmpty).async())
      let never = after(seconds: 3600)
      never.cancel()
      guarantee.pipe { print($0.value ?? []) }
      let names = Promise.value([["a": "b"], [:]])
      print(
        try await names.compactMapValues(\.first?.key).async(),
        try await names.filterValues(\.isEmpty).async())
    }
  }
}

// Prints:
// (1, "2")
// (1, "2", 3.0)
// (1, "2", 3.0, true)
// (1, "2", 3.0, true, "5")
// (1, "2")
// (1, "2", 3.0)
// (1, "2", 3.0, true)
// (1, "2", 3.0, true, "5")
// 2
// rejected true
// 3 true false
// ["3", "1", "2"] false
// ["a"] [""]
// [3, 1, 2]
// ["a"] [[:]]
