// Several promises at once: tuples, arrays, guarantees, outcomes, a limited number at a time.
import UV
import UVPromises

enum WhenInAllForms: Program {
  enum Failure: Error { case odd(Int) }

  static func even(_ number: Int) -> Promise<Int> {
    number.isMultiple(of: 2) ? .value(number) : Promise(error: Failure.odd(number))
  }

  static func main() throws {
    try EventLoop.run { loop in
      let (number, status, text) = try await when(
        fulfilled: even(2), loop.files.stat("/").promise(), Promise.value("text")
      ).async()
      print(number, status.type, text)
      print(try await when(fulfilled: [2, 4, 6].map(even)).async())
      do {
        print(try await when(fulfilled: [2, 3].map(even)).async())
      } catch Failure.odd(let number) {
        print("failed with \(number)")
      }
      print(await when(resolved: [2, 3].map(even)).async().map(\.isFulfilled))
      print(await when(guarantees: [Guarantee.value(1), .value(2)]).async())
      let (one, b) = await when(guarantees: Guarantee.value(1), Guarantee.value("b")).async()
      print(one, b)
      await when(Guarantee.value, Guarantee()).async()
      print(await allSettled([even(1), even(2)]).async().compactMap(\.value))
      print(try await all([even(8), even(10)]).async())

      var running = 0
      var most = 0
      let promises = (1...6).lazy.map { number -> Promise<Int> in
        running += 1
        most = max(most, running)
        return loop.sleep(for: .milliseconds(2)).promise().map {
          running -= 1
          return number
        }
      }
      print(try await when(fulfilled: promises.makeIterator(), concurrently: 2).async(), "at most \(most)")
      let outcomes = await when(resolved: [1, 2].lazy.map(even).makeIterator(), concurrently: 1).async()
      print(outcomes.map(\.isRejected))
    }
  }
}

// Prints:
// 2 directory text
// [2, 4, 6]
// failed with 3
// [true, false]
// [1, 2]
// 1 b
// [2]
// [8, 10]
// [1, 2, 3, 4, 5, 6] at most 2
// [true, false]
