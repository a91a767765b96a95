import Testing
import UV
import UVPromises
import UVTestSupport

/// Resolves later than it is asked to, as a foreign promise would, and more than once.
private final class Foreign: Thenable {
  private let loop: EventLoop
  private let outcomes: [PMKResult<Int>]
  var result: PMKResult<Int>? { nil }

  init(_ loop: EventLoop, _ outcomes: PMKResult<Int>...) {
    self.loop = loop
    self.outcomes = outcomes
  }

  func pipe(to body: @escaping (PMKResult<Int>) -> Void) {
    loop.queueMicrotask { [outcomes] in for outcome in outcomes { body(outcome) } }
  }
}

/// Promises/A+ 2.3: how a promise is resolved. (Most of 2.3.3 is about objects that may have a `then`; here
/// the compiler knows what is a `Thenable`.)
@Suite struct APlusResolutionTests {
  @Test func `2.3.1 a promise that is resolved with itself is rejected`() async throws {
    try await program(logs: ["then", "recover"]) { loop, log in
      var first: Promise<Int>!
      first = Promise.value(1).then { _ in first }
      first.catch { if case PMKError.returnedSelf = $0 { log("then") } }
      var second: Promise<Int>!
      second = loop.failingLater().recover { _ in second }
      second.catch { if case PMKError.returnedSelf = $0 { log("recover") } }
    }
  }

  @Test func `2.3.2.1 a pending promise is waited for`() async throws {
    try await program(logs: ["true", "3"]) { loop, log in
      let (inner, seal) = Promise<Int>.pending()
      let outer = Promise.value(1).then { _ in inner }
      after(.milliseconds(2)).done {
        log("\(outer.isPending)")
        seal.fulfill(3)
      }
      outer.done { log("\($0)") }.cauterize()
    }
  }

  @Test func `2.3.2.2 its value is taken, now or later`() async throws {
    try await program(logs: ["1", "2"]) { loop, log in
      Promise.value(0).then { _ in Promise.value(1) }.done { log("\($0)") }.cauterize()
      Promise.value(0).then { _ in loop.later(2) }.done { log("\($0)") }.cauterize()
    }
  }

  @Test func `2.3.2.3 its error is taken, now or later`() async throws {
    try await program(logs: ["Boom(number: 1)", "Boom(number: 2)"]) { loop, log in
      Promise.value(0).then { _ in Promise<Int>(error: Boom(number: 1)) }.catch { log("\($0)") }
      Promise.value(0).then { _ in loop.failingLater(Boom(number: 2)) }.catch { log("\($0)") }
    }
  }

  @Test func `2.3.3.3 a foreign promise's first outcome is taken`() async throws {
    try await program(logsInAnyOrder: ["1", "4", "Boom(number: 0)"]) { loop, log in
      Promise.value(0).then { _ in Foreign(loop, .fulfilled(1), .rejected(Boom()), .fulfilled(2)) }.done {
        log("\($0)")
      }
      .cauterize()
      Promise.value(0).then { _ in Foreign(loop, .rejected(Boom()), .fulfilled(1)) }.catch { log("\($0)") }
      Promise(Foreign(loop, .fulfilled(4))).done { log("\($0)") }.cauterize()
    }
  }

  @Test func `2.3.4 a value is taken as it is`() async throws {
    try await program(logs: ["Promise(1)", "true"]) { _, log in
      // A promise in a promise stays one where the handler was `map`.
      Promise.value(1).map { Promise.value($0) }.done { log("\($0)") }.cauterize()
      Promise.value(Optional<Int>.none).map { $0 }.done { log("\($0 == nil)") }.cauterize()
    }
  }
}
