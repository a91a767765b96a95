// Several promises and guarantees at once: arrays, tuples of every size, and races.
import Dispatch
import UV
import UVPromises

enum PromisesTogether: Program {
  static func main() throws {
    try whenInAllForms()
    try tuplesOfEverySize()
    try guaranteesTogether()
    try racesAndTimeouts()
    try retryWithBackoff()
  }

  enum Failure: Error { case odd(Int) }

  static func even(_ number: Int) -> Promise<Int> {
    number.isMultiple(of: 2) ? .value(number) : Promise(error: Failure.odd(number))
  }

  /// Several promises at once: tuples, arrays, guarantees, outcomes, a limited number at a time.
  private static func whenInAllForms() throws {
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
      print(await when(Guarantee.value(1), .value(2), .value(3), .value(4), .value(5), .value(6)).async())
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

  /// `when` of two to five promises and guarantees, and of arrays and lists without a value.
  private static func tuplesOfEverySize() throws {
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
      let slow = loop.sleep(for: .untilCancelled).promise()
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

  static func later<T>(_ value: T) -> Guarantee<T> { after(.milliseconds(1)).map { value } }

  /// Several things that cannot fail are waited for together, each with a value of its own type.
  private static func guaranteesTogether() throws {
    EventLoop.run { _ in
      let (name, age) = await when(later("Ada"), later(36)).async()
      print(name, age)
      print(await when(later(1), later("2"), later(3.5)).async())
      print(await when(later(1), later("2"), later(3.5), later(true)).async())
      let (a, b, c, d, e) = await when(later(1), later(2), later(3), later(4), .value("last")).async()
      print(a + b + c + d, e)
    }
  }

  /// Races, timeouts and delays of promises.
  private static func racesAndTimeouts() throws {
    EventLoop.runCallbacks { loop in
      let slow = after(.milliseconds(40)).map { "slow" }
      let fast = after(seconds: 0.001).map { "fast" }
      race(slow, fast).done { print($0) }
      race(
        [loop.sleep(for: .untilCancelled).promise().map { "never" }, Promise.value("now")],
        cancellingRest: true
      )
      .done { print($0) }.cauterize()
      race(fulfilled: [Promise<String>(error: PMKError.badInput), .value("the one that is fulfilled")])
        .done { print($0) }.cauterize()
      any([Promise<Int>(error: PMKError.badInput), .value(3)]).done { print($0) }.cauterize()
      let hour = loop.sleep(for: .untilCancelled).promise()
      hour.timeout(after: .milliseconds(60)).catch(policy: .allErrors) {
        print("timed out: \($0.isCancelled)")
      }
      let (never, resolver) = Promise<Void>.pending()
      race(never, timeout(seconds: 0.08)).catch(policy: .allErrors) { error in
        if case PMKError.timedOut = error { print("too late") } else { print(error) }
        resolver.fulfill()
      }
      Promise.value("delayed").delay(.milliseconds(100)).done { print($0) }.cauterize()
      after(DispatchTimeInterval.milliseconds(120)).done { print("after") }
    }
  }

  struct Busy: Error { var attempt: Int }

  /// Work is tried again, with a pause that grows, while a condition says so.
  private static func retryWithBackoff() throws {
    EventLoop.runCallbacks { loop in
      var attempts = 0
      retry(
        attempts: 5, delay: .exponential(from: .milliseconds(1), by: 2, upTo: .milliseconds(4)).jittered()
      ) {
        () -> Promise<String> in
        attempts += 1
        guard attempts == 3 else { throw Busy(attempt: attempts) }
        return .value("the attempt number \(attempts)")
      }.done { print($0) }.catch { print($0) }.finally {
        retry(attempts: 3, delay: .none) { attemptsLeft, error in
          print("attempts left: \(attemptsLeft)")
          return attemptsLeft > 1
        } _: {
          Promise<Void>(error: Busy(attempt: 0))
        }.done { print("done") }.catch { print($0) }.finally {
          attempt(maximumRetryCount: 2, delayBeforeRetry: .milliseconds(1)) {
            loop.files.stat("/nowhere").promise()
          }.done { _ in print("found") }.catch { print($0) }
        }
      }
      print(Backoff.constant(.seconds(1)).duration(afterFailures: 7))
      print(Backoff { .milliseconds($0) }.duration(afterFailures: 3))
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
// [1, 2, 3, 4, 5, 6]
// [2]
// [8, 10]
// [1, 2, 3, 4, 5, 6] at most 2
// [true, false]
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
// Ada 36
// (1, "2", 3.5)
// (1, "2", 3.5, true)
// 10 last
// now
// the one that is fulfilled
// 3
// fast
// timed out: false
// too late
// delayed
// after
// 1.0 seconds
// 0.003 seconds
// the attempt number 3
// attempts left: 2
// attempts left: 1
// Busy(attempt: 0)
// fs_stat /nowhere: no such file or directory (ENOENT)
