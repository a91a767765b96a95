import Foundation
import Testing
import UV
import UVPromises
import UVTestSupport

private final class Token {}

/// What holds of every promise.
@Suite struct RuleTests {
  @Test func `async() of a promise and a guarantee`() async throws {
    try await asyncProgram(logs: ["1", "2", "3", "Boom(number: 0)", "true", "5"]) { loop, log in
      log("\(try await loop.later(1).async())")
      log("\(await after(.milliseconds(1)).map { 2 }.async())")
      log("\(try await Promise.value(3).async())")
      do { _ = try await loop.failingLater().async() } catch { log("\(error)") }
      do { _ = try await Promise<Int>(error: PMKError.cancelled).async() } catch {
        log("\(error.isCancelled)")
      }
      let made = Promise {
        try await loop.sleep(for: .milliseconds(1)).value
        return 4
      }
      log("\(try await made.map { $0 + 1 }.async())")
    }
  }

  @Test func `The first seal wins`() async throws {
    try await program(logs: ["1"]) { _, log in
      let (promise, seal) = Promise<Int>.pending()
      seal.fulfill(1)
      seal.fulfill(2)
      seal.reject(Boom())
      promise.done { log("\($0)") }.cauterize()
    }
  }

  @Test func `No handler runs before the call that attaches it returns`() async throws {
    try await program(logs: ["attached", "inline", "attached inline", "handler"]) { _, log in
      Promise.value(1).done { _ in log("handler") }.cauterize()
      log("attached")
      Promise.value(1).done(on: nil) { _ in log("inline") }.cauterize()
      log("attached inline")
    }
  }

  @Test func `Handlers run in the order added`() async throws {
    try await program(logs: ["1", "2", "3", "4", "5", "6", "nested"]) { loop, log in
      let promise = loop.later(0)
      for number in 1...5 { promise.done { _ in log("\(number)") }.cauterize() }
      promise.done { _ in promise.done { _ in log("nested") }.cauterize() }.cauterize()
      promise.done { _ in log("6") }.cauterize()
    }
  }

  @Test func `Handlers may be added before and after, and branch`() async throws {
    try await program(logs: ["2", "Boom(number: 0)", "late 1"]) { loop, log in
      let (promise, seal) = Promise<Int>.pending()
      promise.map { $0 + 1 }.done { log("\($0)") }.cauterize()
      seal.fulfill(1)
      promise.map { _ in throw Boom() }.done { _ in log("never") }.catch { log("\($0)") }
      after(.milliseconds(1)).done { promise.done { log("late \($0)") }.cauterize() }
    }
  }

  @Test func `A handler that returns its own promise`() async throws {
    try await program(logs: ["returnedSelf"]) { _, log in
      var promise: Promise<Int>!
      promise = Promise.value(1).then { _ in promise }
      promise.catch { if case PMKError.returnedSelf = $0 { log("returnedSelf") } }
    }
  }

  @Test func `then adopts the state of the promise returned`() async throws {
    try await program(logs: ["Boom(number: 2)", "true", "Boom(number: 0)"]) { loop, log in
      let (inner, seal) = Promise<Int>.pending()
      let outer = Promise.value(0).then { _ in inner }
      after(.milliseconds(1)).done {
        log("\(outer.isPending)")
        seal.reject(Boom())
      }
      outer.catch { log("\($0)") }
      Promise.value(0).then { _ in Promise<Int>(error: Boom(number: 2)) }.catch { log("\($0)") }
    }
  }

  @Test func `Handlers are let go when they have run`() async throws {
    try await program(logs: ["true true", "true true 3"]) { _, log in
      weak var ran: Token?
      weak var skipped: Token?
      let (promise, seal) = Promise<Int>.pending()
      var kept: [Any] = [promise]
      do {
        let first = Token()
        let second = Token()
        ran = first
        skipped = second
        let step = promise.map { value in withExtendedLifetime(first) { value } }
        let rescue = step.recover { error in withExtendedLifetime(second) { Promise(error: error) } }
        rescue.cauterize()
        kept += [step, rescue]
      }
      log("\(ran != nil) \(skipped != nil)")
      seal.fulfill(1)
      after(.milliseconds(1)).done { log("\(ran == nil) \(skipped == nil) \(kept.count)") }
    }
  }

  @Test func `What could be cancelled is let go, too`() async throws {
    try await program(logs: ["true true", "true 2"]) { loop, log in
      weak var operation: Token?
      weak var drawn: Token?
      var kept: [Any] = []
      do {
        let token = Token()
        operation = token
        kept.append(
          Promise<Int> { seal in
            seal.onCancel { withExtendedLifetime(token) {} }
            seal.fulfill(1)
          })
        let other = Token()
        drawn = other
        var left = 3
        let iterator = AnyIterator { () -> Promise<Int>? in
          left -= 1
          return withExtendedLifetime(other) { left < 0 ? nil : loop.later(left) }
        }
        kept.append(when(fulfilled: iterator, concurrently: 2))
      }
      log("\(operation == nil) \(drawn != nil)")
      // However long the iterator's promises take on a busy machine.
      func look(_ times: Int) {
        if drawn == nil || times == 0 { return log("\(drawn == nil) \(kept.count)") }
        after(.milliseconds(1)).done { look(times - 1) }
      }
      look(5000)
    }
  }

  @Test func `A pending promise that goes away is reported`() async throws {
    let (_, reports) = try await programWithReports { _, _ in
      _ = Promise<Int>.pending()
      Promise<Int> { _ in }.map { $0 }.done { _ in }.cauterize()
      _ = Guarantee<Int>.pending()
    }
    #expect(reports.events.values.count == 3)
    #expect(reports.descriptions.filter { $0.contains("pending promise was deallocated") }.count == 2)
    #expect(reports.descriptions.filter { $0.contains("pending guarantee was deallocated") }.count == 1)
    #if DEBUG
    #expect(reports.descriptions.allSatisfy { $0.contains("UVPromisesTests/RuleTests.swift:") })
    #endif
  }

  @Test func `Cancellation by hand: a promise and a function`() async throws {
    try await program(logs: ["ensure", "finally"]) { _, log in
      func work() -> (promise: Promise<Int>, cancel: () -> Void) {
        let (promise, seal) = Promise<Int>.pending()
        return (promise, { seal.reject(PMKError.cancelled) })
      }
      let (promise, cancel) = work()
      promise.ensure { log("ensure") }.catch { _ in log("never") }.finally { log("finally") }
      cancel()
    }
  }
}
