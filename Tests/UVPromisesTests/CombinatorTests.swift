import Dispatch
import Testing
import UV
import UVPromises
import UVTestSupport

/// When, race, after, firstly.
@Suite struct CombinatorTests {
  @Test("when, race and a promise that an inline handler returned are settled with their last part")
  func settledWithTheLastPart() async throws {
    try await program(logs: ["true true true true", "[1, 2] 1"]) { _, log in
      let (part, seal) = Promise<Int>.pending()
      let all = when(fulfilled: [part, .value(2)])
      let outcomes = when(resolved: part)
      let first = race(part, after(.seconds(1000)).map { 0 }, cancellingRest: true)
      let returned = Promise.value(1).then(on: nil) { _ in part }
      let nested = when(fulfilled: all, first).map(on: nil) { "\($0) \($1)" }
      seal.fulfill(1)
      log("\(all.isFulfilled) \(outcomes.isFulfilled) \(first.isFulfilled) \(returned.isFulfilled)")
      log(nested.value ?? "pending")
    }
  }

  @Test func `whens of whens, and promises that inline handlers return, take no stack`() async throws {
    try await program(logs: ["10000 0"]) { _, log in
      let (part, seal) = Promise<Int>.pending()
      var all = when(fulfilled: [part]).map(on: nil) { $0[0] + 1 }
      for _ in 1..<10_000 { all = when(fulfilled: [all]).map(on: nil) { $0[0] + 1 } }
      var returned = part
      for _ in 0..<10_000 {
        let last = returned
        returned = Promise.value(1).then(on: nil) { _ in last }
      }
      seal.fulfill(0)
      log("\(all.value ?? -1) \(returned.value ?? -1)")
    }
  }

  @Test func `Three and more promises of nothing are waited for without their type written`() async throws {
    try await program(logs: ["done", "[1, 1, 2, 2]"]) { _, log in
      let part = Promise<Void>.value
      when(fulfilled: part, part, part).catch { log("\($0)") }
      when(fulfilled: part, part, part, part).done { log("done") }.cauterize()
      Guarantee.value([1, 2]).thenFlatMap(on: .global()) { Guarantee.value([$0, $0]) }.done { log("\($0)") }
    }
  }

  @Test func `when runs both, and its values are typed`() async throws {
    try await program(logs: ["2"]) { loop, log in
      when(fulfilled: loop.later(1, milliseconds: 3), loop.later("a")).done { number, text in
        let sum: Int = number + text.count
        log("\(sum)")
      }.cauterize()
    }
  }

  @Test func `when fails if any fails`() async throws {
    try await program(logs: ["Boom(number: 0)"]) { loop, log in
      when(fulfilled: loop.later(1, milliseconds: 3), loop.failingLater(as: String.self)).done { _, _ in
        log("never")
      }.catch { log("\($0)") }
    }
  }

  @Test func `The others go on after a failure`() async throws {
    try await program(logs: ["failed", "slow"]) { loop, log in
      // What is to come first is begun first: however late the machine is, its date is the earlier one.
      let failing = loop.failingLater()
      let slow = loop.later(1, milliseconds: 4).get { _ in log("slow") }
      when(fulfilled: [slow, failing]).catch { _ in log("failed") }
    }
  }

  @Test func `The outcome of a promise does not stop its task`() async throws {
    try await program(logs: ["rejected", "task ends"]) { loop, log in
      let (promise, seal) = Promise<Int>.pending()
      loop.sleep(for: .milliseconds(2)) { _ in log("task ends") }
      seal.reject(Boom())
      promise.catch { _ in log("rejected") }
    }
  }

  @Test func `when(resolved:) waits for all, even if some fail`() async throws {
    try await program(logs: ["true [true, false]"]) { loop, log in
      let slow = loop.later(2, milliseconds: 4)
      when(resolved: loop.failingLater(), slow).done { results in
        log("\(slow.isResolved) \(results.map(\.isRejected))")
      }
    }
  }

  @Test func `Whichever finishes first is the result`() async throws {
    try await program(logsInAnyOrder: ["Boom(number: 0)", "fast"]) { loop, log in
      let (fast, failing) = (loop.later("fast"), loop.failingLater())
      race(loop.later("slow", milliseconds: 5), fast).done { log($0) }.cauterize()
      race(loop.later(1, milliseconds: 5), failing).catch { log("\($0)") }
    }
  }

  @Test func `Every form of when(resolved:)`() async throws {
    try await program(logsInAnyOrder: ["0", "2", "Boom(number: 0)", "[1, 2]", "[false, true]"]) { loop, log in
      when(resolved: [loop.failingLater(), loop.later(2, milliseconds: 3)]).done { results in
        for case .fulfilled(let value) in results { log("\(value)") }
        for case .rejected(let error) in results { log("\(error)") }
        log("\(results.map(\.isFulfilled))")
      }
      when(resolved: loop.later(1), loop.later(2)).done { log("\($0.compactMap(\.value))") }
      when(resolved: [Promise<Int>]()).done { log("\($0.count)") }
    }
  }

  @Test func `Every form of race`() async throws {
    try await program(logsInAnyOrder: ["Boom(number: 0)", "badInput", "fast", "g1"]) { loop, log in
      let (fast, failing) = (loop.later("fast"), loop.failingLater())
      race(loop.later("slow", milliseconds: 4), fast).done { log($0) }.cauterize()
      race([loop.later(1, milliseconds: 6), failing]).catch { log("\($0)") }
      race([Promise<Int>]()).catch { if case PMKError.badInput = $0 { log("badInput") } }
      race(after(.milliseconds(1)).map { "g1" }, after(.milliseconds(5)).map { "g2" }).done { log($0) }
    }
  }

  @Test func `firstly catches what its body throws`() async throws {
    try await program(logsInAnyOrder: ["1", "2", "Boom(number: 0)"]) { _, log in
      firstly { () throws -> Promise<Int> in throw Boom() }.catch { log("\($0)") }
      firstly { Guarantee.value(1) }.done { log("\($0)") }
      firstly { Promise.value(2) }.done { log("\($0)") }.cauterize()
    }
  }

  @Test func `after, in every form; zero and less is the next turn`() async throws {
    try await program(logs: ["microtask", "zero", "negative", "dispatch", "duration"]) { loop, log in
      after(.zero).done { log("zero") }
      after(seconds: -1).done {
        log("negative")
        // Not begun before: in a turn that takes longer than they do, they would come first.
        after(DispatchTimeInterval.milliseconds(1)).done { log("dispatch") }
        after(.milliseconds(2)).done { log("duration") }
      }
      loop.queueMicrotask { log("microtask") }
    }
  }

  @Test func `after is not early`() async throws {
    try await program(logs: ["true"]) { _, log in
      let start = ContinuousClock.now
      after(seconds: 0.02).done { log("\(ContinuousClock.now - start >= .milliseconds(20))") }
    }
  }

  @Test func `Every form of when(fulfilled:)`() async throws {
    try await program(logsInAnyOrder: [
      "2: 1 a", "3: 1 a true", "4: 1 a true 2", "5: 1 a true 2 b", "any [1, \"a\"]", "array [3, 1, 2]",
      "empty []",
      "variadic", "voids",
    ]) { loop, log in
      func p<T>(_ value: T, _ ms: Int = 1) -> Promise<T> { loop.later(value, milliseconds: ms) }
      when(fulfilled: p(()), p(())).done { log("variadic") }.cauterize()
      when(fulfilled: [p(3, 3), p(1), p(2, 2)]).done { log("array \($0)") }.cauterize()
      when(fulfilled: [p(()), p(())]).done { log("voids") }.cauterize()
      when(fulfilled: p(1), p("a")).done { log("2: \($0) \($1)") }.cauterize()
      when(fulfilled: p(1), p("a"), p(true)).done { log("3: \($0) \($1) \($2)") }.cauterize()
      when(fulfilled: p(1), p("a"), p(true), p(2)).done { log("4: \($0) \($1) \($2) \($3)") }.cauterize()
      when(fulfilled: p(1), p("a"), p(true), p(2), p("b")).done { log("5: \($0) \($1) \($2) \($3) \($4)") }
        .cauterize()
      let mixed: [any Thenable] = [p(1), Guarantee.value("a")]
      when(fulfilled: mixed).done { (values: [Any]) in log("any \(values)") }.cauterize()
      when(fulfilled: [Promise<Int>]()).done { log("empty \($0)") }.cauterize()
    }
  }

  @Test func `when from an iterator, so many at a time`() async throws {
    let log = try await program { loop, log in
      var made = 0
      var running = 0
      var most = 0
      let iterator = AnyIterator { () -> Promise<Int>? in
        guard made < 20 else { return nil }
        made += 1
        let number = made
        running += 1
        most = max(most, running)
        return loop.later(number, milliseconds: 1 + number % 3).ensure { running -= 1 }
      }
      when(fulfilled: iterator, concurrently: 4).done { values in
        log("\(values == Array(1...20)) \(most)")
      }.cauterize()
      when(fulfilled: AnyIterator { Promise.value(1) }, concurrently: 0).catch {
        if case PMKError.badInput = $0 { log("badInput") }
      }
      var drawn = 0
      let failing = AnyIterator { () -> Promise<Int>? in
        drawn += 1
        return drawn == 3 ? loop.failingLater() : loop.later(drawn)
      }
      when(fulfilled: failing, concurrently: 2).catch { _ in log("stopped at \(drawn)") }
      when(fulfilled: [Promise.value(1), .value(2)].makeIterator(), concurrently: 1).done { log("\($0)") }
        .cauterize()
    }
    #expect(log.sorted().prefix(3) == ["[1, 2]", "badInput", "stopped at 4"])
    #expect(log.last == "true 4")
  }

  @Test func `when(resolved:) from an iterator goes on after a failure`() async throws {
    try await program(logs: ["badInput", "[nil, Optional(2), Optional(3)]"]) { loop, log in
      let source = [loop.failingLater(), loop.later(2), loop.later(3)].makeIterator()
      when(resolved: source, concurrently: 2).done { log("\($0.map(\.value))") }
      when(resolved: AnyIterator { Promise.value(1) }, concurrently: -1).done { results in
        if case .rejected(PMKError.badInput)? = results.first, results.count == 1 { log("badInput") }
      }
    }
  }

  @Test func `when of guarantees`() async throws {
    try await program(logsInAnyOrder: ["1 a", "1 a 2", "1 a 2 b", "1 a 2 b 3", "[1, 2]", "voids"]) { _, log in
      func g<T>(_ value: T) -> Guarantee<T> { after(.milliseconds(1)).map { value } }
      when(guarantees: [g(1), g(2)]).done { log("\($0)") }
      when(guarantees: g(1), g("a")).done { log("\($0) \($1)") }
      when(guarantees: g(1), g("a"), g(2)).done { log("\($0) \($1) \($2)") }
      when(guarantees: g(1), g("a"), g(2), g("b")).done { log("\($0) \($1) \($2) \($3)") }
      when(guarantees: g(1), g("a"), g(2), g("b"), g(3)).done { log("\($0) \($1) \($2) \($3) \($4)") }
      when(g(()), g(())).done { log("voids") }
    }
  }

  @Test func `race(fulfilled:) skips failures`() async throws {
    try await program(logsInAnyOrder: ["2", "badInput", "noWinner"]) { loop, log in
      race(fulfilled: [loop.failingLater(), loop.later(2, milliseconds: 3)]).done { log("\($0)") }.cauterize()
      race(fulfilled: [loop.failingLater(), loop.failingLater()]).catch {
        if case PMKError.noWinner = $0 { log("noWinner") }
      }
      race(fulfilled: [Promise<Int>]()).catch { if case PMKError.badInput = $0 { log("badInput") } }
    }
  }

  @Test func `A sequence of promises in a loop is serial`() async throws {
    try await program(logs: ["start 1", "end 1", "start 2", "end 2", "start 3", "end 3"]) { loop, log in
      var promise = Promise.value(0)
      for number in 1...3 {
        promise = promise.then { _ in
          log("start \(number)")
          return loop.later(number).get { log("end \($0)") }
        }
      }
      promise.cauterize()
    }
  }

  @Test func `The timeout pattern`() async throws {
    try await program(logs: ["true"]) { loop, log in
      let timeout = after(seconds: 0.002)
      let work = loop.later(1, milliseconds: 40)
      race(when(fulfilled: [work]).asVoid(), timeout.asVoid().map { $0 }.then { Promise.value }).done {
        log("\(work.isPending)")
      }.cauterize()
    }
  }

  @Test func `The minimum-duration pattern`() async throws {
    try await program(logs: ["1 true"]) { loop, log in
      let start = ContinuousClock.now
      let waitAtLeast = after(seconds: 0.01)
      loop.later(1).then { value in waitAtLeast.map { value } }.done { value in
        log("\(value) \(ContinuousClock.now - start >= .milliseconds(10))")
      }.cauterize()
    }
  }

  @Test func `The retry pattern`() async throws {
    try await program(logsInAnyOrder: ["3", "Boom(number: 2)"]) { _, log in
      var attempts = 0
      attempt(maximumRetryCount: 3, delayBeforeRetry: .milliseconds(1)) { () throws -> Promise<Int> in
        attempts += 1
        if attempts < 3 { throw Boom(number: attempts) }
        return .value(attempts)
      }.done { log("\($0)") }.cauterize()
      var failures = 0
      attempt(maximumRetryCount: 2, delayBeforeRetry: .milliseconds(1)) { () -> Promise<Int> in
        failures += 1
        return Promise(error: Boom(number: failures))
      }.catch { log("\($0)") }
    }
  }
}
