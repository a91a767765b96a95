import Dispatch
import Testing
import UV
import UVPromises
import UVTestSupport

private struct User {
  var name = "me"
  var nickname: String? = nil
  var isAdmin = true
}

private var numbers: Promise<[Int]> { Promise.value([3, 1, 2]) }
private var users: Promise<[User]> {
  Promise.value([User(), User(name: "you", nickname: "u", isAdmin: false)])
}

/// A thenable of its own make.
private struct Immediate: Thenable {
  var result: PMKResult<Int>? = .fulfilled(5)
  func pipe(to body: @escaping (PMKResult<Int>) -> Void) { body(result!) }
}

/// An error of a program's own that is a cancellation.
private struct GivenUp: CancellableError { let isCancelled = true }

/// The operators, one by one.
@Suite struct OperatorTests {
  @Test func `Pipe is called at once, or when the outcome comes`() async throws {
    try await program(logs: ["fulfilled(1)", "after", "fulfilled(2)", "resolved"]) { _, log in
      Promise.value(1).pipe { log("\($0)") }
      log("after")
      let (promise, seal) = Promise<Int>.pending()
      promise.pipe { log("\($0)") }
      seal.fulfill(2)
      log("resolved")
    }
  }

  @Test func `then takes any thenable`() async throws {
    try await program(logsInAnyOrder: ["5", "5", "6", "[5, 5]"]) { _, log in
      Promise.value(1).then { _ in Immediate() }.done { log("\($0)") }.cauterize()
      Immediate().then { Guarantee.value("\($0)") }.done { log($0) }.cauterize()
      Immediate().map { $0 + 1 }.done { log("\($0)") }.cauterize()
      when(fulfilled: [Immediate(), Immediate()]).done { log("\($0)") }.cauterize()
    }
  }

  @Test func `map with a key path`() async throws {
    try await program(logs: ["me"]) { _, log in
      Promise.value(User()).map(\.name).done { log($0) }.cauterize()
    }
  }

  @Test func `compactMap with a key path`() async throws {
    try await program(logsInAnyOrder: ["i", "nil"]) { _, log in
      Promise.value(User()).compactMap(\.nickname).catch { if case PMKError.compactMap = $0 { log("nil") } }
      Promise.value(User(nickname: "i")).compactMap(\.nickname).done { log($0) }.cauterize()
    }
  }

  @Test func `done gives a promise of nothing`() async throws {
    try await program(logs: ["void"]) { _, log in
      let end: Promise<Void> = Promise.value(1).done { _ in }
      end.done { log("void") }.cauterize()
    }
  }

  @Test func `get rejects if its handler throws`() async throws {
    try await program(logs: ["Boom(number: 0)"]) { _, log in
      Promise.value(1).get { _ in throw Boom() }.done { _ in log("never") }.catch { log("\($0)") }
    }
  }

  @Test func `tap returns the same outcome`() async throws {
    try await program(logs: ["1 [true]"]) { _, log in
      var seen: [Bool] = []
      Promise.value(1).tap { seen.append($0.isFulfilled) }.done { log("\($0) \(seen)") }.cauterize()
    }
  }

  @Test func asVoid() async throws {
    try await program(logs: ["void"]) { _, log in
      let void: Promise<Void> = Promise.value(1).asVoid()
      void.done { log("void") }.cauterize()
    }
  }

  @Test func state() async throws {
    try await program(logs: ["1000 nil true", "0110 Optional(1) true", "0101 nil false", "fulfilled(1)"]) {
      _, log in
      func show(_ promise: Promise<Int>) {
        let states = [promise.isPending, promise.isResolved, promise.isFulfilled, promise.isRejected]
        log(states.map { $0 ? "1" : "0" }.joined() + " \(promise.value as Int?) \(promise.error == nil)")
      }
      let (pending, seal) = Promise<Int>.pending()
      show(pending)
      seal.fulfill(1)
      show(pending)
      show(Promise(error: Boom()))
      log("\(pending.result!)")
    }
  }

  @Test func mapValues() async throws {
    try await program(logsInAnyOrder: ["Boom(number: 0)", "[\"me\", \"you\"]", "[6, 2, 4]"]) { _, log in
      numbers.mapValues { $0 * 2 }.done { log("\($0)") }.cauterize()
      users.mapValues(\.name).done { log("\($0)") }.cauterize()
      numbers.mapValues { _ in throw Boom() }.catch { log("\($0)") }
    }
  }

  @Test func flatMapValues() async throws {
    try await program(logs: ["[3, 3, 1, 1, 2, 2]"]) { _, log in
      numbers.flatMapValues { [$0, $0] }.done { log("\($0)") }.cauterize()
    }
  }

  @Test func `compactMapValues drops nil`() async throws {
    try await program(logs: ["[3, 2]", "[\"u\"]"]) { _, log in
      numbers.compactMapValues { $0 == 1 ? nil : $0 }.done { log("\($0)") }.cauterize()
      users.compactMapValues(\.nickname).done { log("\($0)") }.cauterize()
    }
  }

  @Test func `thenMap runs all at the same time, and keeps the order`() async throws {
    try await program(logs: ["start 3", "start 1", "start 2", "[30, 10, 20]"]) { _, log in
      numbers.thenMap { number in
        log("start \(number)")
        return after(.milliseconds(number)).map { number * 10 }
      }.done { log("\($0)") }.cauterize()
    }
  }

  @Test func thenFlatMap() async throws {
    try await program(logs: ["[3, -3, 1, -1, 2, -2]"]) { _, log in
      numbers.thenFlatMap { Promise.value([$0, -$0]) }.done { log("\($0)") }.cauterize()
    }
  }

  @Test func filterValues() async throws {
    try await program(logs: ["[3, 2]", "[\"me\"]"]) { _, log in
      numbers.filterValues { $0 > 1 }.done { log("\($0)") }.cauterize()
      users.filterValues(\.isAdmin).mapValues(\.name).done { log("\($0)") }.cauterize()
    }
  }

  @Test func `The first and the last value`() async throws {
    try await program(logsInAnyOrder: [
      "first 3", "first of nothing has none", "first where 1", "first without match has none", "last 2",
      "last of nothing has none",
    ]) { _, log in
      func show(_ label: String, _ promise: Promise<Int>) {
        promise.done { log("\(label) \($0)") }.catch {
          if case PMKError.emptySequence = $0 { log("\(label) has none") }
        }
      }
      show("first", numbers.firstValue)
      show("first where", numbers.firstValue { $0 < 3 })
      show("last", numbers.lastValue)
      show("first of nothing", Promise.value([]).firstValue)
      show("last of nothing", Promise.value([]).lastValue)
      show("first without match", numbers.firstValue { $0 > 9 })
    }
  }

  @Test func sortedValues() async throws {
    try await program(logs: ["[1, 2, 3]"]) { _, log in
      numbers.sortedValues().done { log("\($0)") }.cauterize()
    }
  }

  @Test func `catch is discardable, and for all that fails but cancellations`() async throws {
    try await program(logs: ["Boom(number: 0)"]) { _, log in
      Promise<Int>(error: Boom()).catch { log("\($0)") }
      Promise<Int>(error: PMKError.cancelled).catch { _ in log("never") }
    }
  }

  @Test func `A policy about cancellations`() async throws {
    try await program(logsInAnyOrder: [
      "2", "all: true", "by configuration", "ensure", "finally", "recovered 1", "true false", "own: true",
    ]) { _, log in
      let cancelled = Promise<Int>(error: PMKError.cancelled)
      cancelled.catch { _ in log("never") }.finally { log("finally") }
      cancelled.catch(policy: .allErrors) { log("all: \($0.isCancelled)") }
      cancelled.ensure { log("ensure") }.recover { _ in Guarantee.value(1) }.done { log("recovered \($0)") }
      cancelled.recover { _ -> Promise<Int> in
        log("never")
        return .value(1)
      }.recover(policy: .allErrors) { _ in Promise.value(2) }.done { log("\($0)") }.cauterize()
      log("\(UVError(.cancelled, operation: "x").isCancelled) \((Boom() as any Error).isCancelled)")
      let own = Promise<Int>(error: GivenUp())
      own.catch { _ in log("never") }
      own.catch(policy: .allErrors) { log("own: \($0.isCancelled)") }
      conf.catchPolicy = .allErrors
      cancelled.catch { _ in log("by configuration") }
      conf.catchPolicy = .allErrorsExceptCancellation
    }
  }

  @Test func `finally runs after catch, whatever happened`() async throws {
    try await program(logsInAnyOrder: ["1", "2", "caught"]) { _, log in
      Promise.value(1).catch { _ in log("never") }.finally { log("1") }
      Promise<Int>(error: Boom()).catch { _ in log("caught") }.finally { log("2") }
    }
  }

  @Test func `recover with a promise`() async throws {
    try await program(logsInAnyOrder: ["1", "2"]) { loop, log in
      loop.failingLater().recover { _ in loop.later(2) }.done { log("\($0)") }.cauterize()
      loop.later(1).recover { _ in loop.later(9) }.done { log("\($0)") }.cauterize()
    }
  }

  @Test func `recover with a guarantee`() async throws {
    try await program(logsInAnyOrder: ["3", "4"]) { loop, log in
      let guarantee: Guarantee<Int> = loop.failingLater().recover { _ in Guarantee.value(3) }
      guarantee.done { log("\($0)") }
      Promise<Int>(error: PMKError.cancelled).recover { _ in Guarantee.value(4) }.done { log("\($0)") }
    }
  }

  @Test func `recover of nothing`() async throws {
    try await program(logsInAnyOrder: ["Boom(number: 0)", "Boom(number: 2)", "went on"]) { _, log in
      let guarantee: Guarantee<Void> = Promise<Void>(error: Boom()).recover { log("\($0)") }
      guarantee.done { log("went on") }
      let promise: Promise<Void> = Promise<Void>(error: Boom()).recover { (_: any Error) throws -> Void in
        throw Boom(number: 2)
      }
      promise.catch { log("\($0)") }
    }
  }

  @Test func ensure() async throws {
    try await program(logs: ["ensure", "catch"]) { loop, log in
      loop.failingLater().ensure { log("ensure") }.catch { _ in log("catch") }
    }
  }

  @Test func `ensureThen is waited for`() async throws {
    try await program(logs: ["cleaned", "1", "cleaned", "Boom(number: 0)"]) { loop, log in
      loop.later(1).ensureThen { after(.milliseconds(2)).done { log("cleaned") } }.done { log("\($0)") }
        .cauterize()
      loop.failingLater(milliseconds: 5).ensureThen { after(.milliseconds(2)).done { log("cleaned") } }
        .catch { log("\($0)") }
    }
  }

  @Test func `cauterize logs`() async throws {
    let (_, reports) = try await programWithReports { _, _ in Promise<Int>(error: Boom()).cauterize() }
    #expect(reports.descriptions == ["cauterized error: Boom(number: 0)"])
  }

  @Test func `The errors`() async throws {
    let errors: [PMKError] = [
      .invalidCallingConvention, .returnedSelf, .badInput, .cancelled, .compactMap("x", Int.self),
      .emptySequence,
      .noWinner, .timedOut, .validationFailure, .aggregate([]), .abandoned,
    ]
    #expect(Set(errors.map(\.description)).count == errors.count)
    #expect(errors.filter(\.isCancelled).count == 1)
  }

  @Test func configuration() async throws {
    try await program(logs: ["true", "cauterized(UVPromisesTests.Boom(number: 0))"]) { _, log in
      log("\(conf.catchPolicy == .allErrorsExceptCancellation)")
      let handler = conf.logHandler
      conf.logHandler = { log("\($0)") }
      Promise<Int>(error: Boom()).cauterize().finally { conf.logHandler = handler }
    }
  }
}
