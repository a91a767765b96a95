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

/// The operators, one by one.
@Suite struct OperatorTests {
  @Test("Pipe is told at once, or when the outcome comes") func pipeIsToldAtOnceOrWhenTheOutcomeComes()
    async throws
  {
    let log = try await program { _, log in
      Promise.value(1).pipe { log("\($0)") }
      log("after")
      let (promise, seal) = Promise<Int>.pending()
      promise.pipe { log("\($0)") }
      seal.fulfill(2)
      log("resolved")
    }
    #expect(log == ["fulfilled(1)", "after", "fulfilled(2)", "resolved"])
  }

  @Test("then takes any thenable") func thenTakesAnyThenable() async throws {
    let log = try await program { _, log in
      Promise.value(1).then { _ in Immediate() }.done { log("\($0)") }.cauterize()
      Immediate().then { Guarantee.value("\($0)") }.done { log($0) }.cauterize()
      Immediate().map { $0 + 1 }.done { log("\($0)") }.cauterize()
      when(fulfilled: [Immediate(), Immediate()]).done { log("\($0)") }.cauterize()
    }
    #expect(log.sorted() == ["5", "5", "6", "[5, 5]"])
  }

  @Test("map with a key path") func mapWithAKeyPath() async throws {
    let log = try await program { _, log in Promise.value(User()).map(\.name).done { log($0) }.cauterize() }
    #expect(log == ["me"])
  }

  @Test("compactMap with a key path") func compactMapWithAKeyPath() async throws {
    let log = try await program { _, log in
      Promise.value(User()).compactMap(\.nickname).catch { if case PMKError.compactMap = $0 { log("nil") } }
      Promise.value(User(nickname: "i")).compactMap(\.nickname).done { log($0) }.cauterize()
    }
    #expect(log.sorted() == ["i", "nil"])
  }

  @Test("done gives a promise of nothing") func doneGivesAPromiseOfNothing() async throws {
    let log = try await program { _, log in
      let end: Promise<Void> = Promise.value(1).done { _ in }
      end.done { log("void") }.cauterize()
    }
    #expect(log == ["void"])
  }

  @Test("get rejects if its handler throws") func getRejectsIfItsHandlerThrows() async throws {
    let log = try await program { _, log in
      Promise.value(1).get { _ in throw Boom() }.done { _ in log("never") }.catch { log("\($0)") }
    }
    #expect(log == ["Boom(number: 0)"])
  }

  @Test("tap returns the same outcome") func tapReturnsTheSameOutcome() async throws {
    let log = try await program { _, log in
      var seen: [Bool] = []
      Promise.value(1).tap { seen.append($0.isFulfilled) }.done { log("\($0) \(seen)") }.cauterize()
    }
    #expect(log == ["1 [true]"])
  }

  @Test("asVoid") func asVoid() async throws {
    let log = try await program { _, log in
      let void: Promise<Void> = Promise.value(1).asVoid()
      void.done { log("void") }.cauterize()
    }
    #expect(log == ["void"])
  }

  @Test("State") func state() async throws {
    let log = try await program { _, log in
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
    #expect(log == ["1000 nil true", "0110 Optional(1) true", "0101 nil false", "fulfilled(1)"])
  }

  @Test("mapValues") func mapValues() async throws {
    let log = try await program { _, log in
      numbers.mapValues { $0 * 2 }.done { log("\($0)") }.cauterize()
      users.mapValues(\.name).done { log("\($0)") }.cauterize()
      numbers.mapValues { _ in throw Boom() }.catch { log("\($0)") }
    }
    #expect(log.sorted() == ["Boom(number: 0)", "[\"me\", \"you\"]", "[6, 2, 4]"])
  }

  @Test("flatMapValues") func flatMapValues() async throws {
    let log = try await program { _, log in
      numbers.flatMapValues { [$0, $0] }.done { log("\($0)") }.cauterize()
    }
    #expect(log == ["[3, 3, 1, 1, 2, 2]"])
  }

  @Test("compactMapValues drops nil") func compactMapValuesDropsNil() async throws {
    let log = try await program { _, log in
      numbers.compactMapValues { $0 == 1 ? nil : $0 }.done { log("\($0)") }.cauterize()
      users.compactMapValues(\.nickname).done { log("\($0)") }.cauterize()
    }
    #expect(log == ["[3, 2]", "[\"u\"]"])
  }

  @Test("thenMap runs all at the same time, and keeps the order")
  func thenMapRunsAllAtTheSameTimeAndKeepsTheOrder() async throws {
    let log = try await program { _, log in
      numbers.thenMap { number in
        log("start \(number)")
        return after(.milliseconds(number)).map { number * 10 }
      }.done { log("\($0)") }.cauterize()
    }
    #expect(log == ["start 3", "start 1", "start 2", "[30, 10, 20]"])
  }

  @Test("thenFlatMap") func thenFlatMap() async throws {
    let log = try await program { _, log in
      numbers.thenFlatMap { Promise.value([$0, -$0]) }.done { log("\($0)") }.cauterize()
    }
    #expect(log == ["[3, -3, 1, -1, 2, -2]"])
  }

  @Test("filterValues") func filterValues() async throws {
    let log = try await program { _, log in
      numbers.filterValues { $0 > 1 }.done { log("\($0)") }.cauterize()
      users.filterValues(\.isAdmin).mapValues(\.name).done { log("\($0)") }.cauterize()
    }
    #expect(log == ["[3, 2]", "[\"me\"]"])
  }

  @Test("The first and the last value") func theFirstAndTheLastValue() async throws {
    let log = try await program { _, log in
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
    #expect(
      log.sorted() == [
        "first 3", "first of nothing has none", "first where 1", "first without match has none", "last 2",
        "last of nothing has none",
      ])
  }

  @Test("sortedValues") func sortedValues() async throws {
    let log = try await program { _, log in
      numbers.sortedValues().done { log("\($0)") }.cauterize()
    }
    #expect(log == ["[1, 2, 3]"])
  }

  @Test("catch is discardable, and for all that fails but cancellations")
  func catchIsDiscardableAndForAllThatFailsButCancellations() async throws {
    let log = try await program { _, log in
      Promise<Int>(error: Boom()).catch { log("\($0)") }
      Promise<Int>(error: PMKError.cancelled).catch { _ in log("never") }
    }
    #expect(log == ["Boom(number: 0)"])
  }

  @Test("A policy about cancellations") func aPolicyAboutCancellations() async throws {
    let log = try await program { _, log in
      let cancelled = Promise<Int>(error: PMKError.cancelled)
      cancelled.catch { _ in log("never") }.finally { log("finally") }
      cancelled.catch(policy: .allErrors) { log("all: \($0.isCancelled)") }
      cancelled.ensure { log("ensure") }.recover { _ in Guarantee.value(1) }.done { log("recovered \($0)") }
      cancelled.recover { _ -> Promise<Int> in
        log("never")
        return .value(1)
      }.recover(policy: .allErrors) { _ in Promise.value(2) }.done { log("\($0)") }.cauterize()
      log("\(UVError(.cancelled, operation: "x").isCancelled) \((Boom() as any Error).isCancelled)")
      conf.catchPolicy = .allErrors
      cancelled.catch { _ in log("by configuration") }
      conf.catchPolicy = .allErrorsExceptCancellation
    }
    #expect(
      log.sorted() == [
        "2", "all: true", "by configuration", "ensure", "finally", "recovered 1", "true false",
      ])
  }

  @Test("finally runs after catch, whatever happened") func finallyRunsAfterCatchWhateverHappened()
    async throws
  {
    let log = try await program { _, log in
      Promise.value(1).catch { _ in log("never") }.finally { log("1") }
      Promise<Int>(error: Boom()).catch { _ in log("caught") }.finally { log("2") }
    }
    #expect(log.sorted() == ["1", "2", "caught"])
  }

  @Test("recover with a promise") func recoverWithAPromise() async throws {
    let log = try await program { loop, log in
      loop.failingLater().recover { _ in loop.later(2) }.done { log("\($0)") }.cauterize()
      loop.later(1).recover { _ in loop.later(9) }.done { log("\($0)") }.cauterize()
    }
    #expect(log.sorted() == ["1", "2"])
  }

  @Test("recover with a guarantee") func recoverWithAGuarantee() async throws {
    let log = try await program { loop, log in
      let guarantee: Guarantee<Int> = loop.failingLater().recover { _ in Guarantee.value(3) }
      guarantee.done { log("\($0)") }
      Promise<Int>(error: PMKError.cancelled).recover { _ in Guarantee.value(4) }.done { log("\($0)") }
    }
    #expect(log.sorted() == ["3", "4"])
  }

  @Test("recover of nothing") func recoverOfNothing() async throws {
    let log = try await program { _, log in
      let guarantee: Guarantee<Void> = Promise<Void>(error: Boom()).recover { log("\($0)") }
      guarantee.done { log("went on") }
      let promise: Promise<Void> = Promise<Void>(error: Boom()).recover { (_: any Error) throws -> Void in
        throw Boom(number: 2)
      }
      promise.catch { log("\($0)") }
    }
    #expect(log.sorted() == ["Boom(number: 0)", "Boom(number: 2)", "went on"])
  }

  @Test("ensure") func ensure() async throws {
    let log = try await program { loop, log in
      loop.failingLater().ensure { log("ensure") }.catch { _ in log("catch") }
    }
    #expect(log == ["ensure", "catch"])
  }

  @Test("ensureThen is waited for") func ensureThenIsWaitedFor() async throws {
    let log = try await program { loop, log in
      loop.later(1).ensureThen { after(.milliseconds(2)).done { log("cleaned") } }.done { log("\($0)") }
        .cauterize()
      loop.failingLater(milliseconds: 5).ensureThen { after(.milliseconds(2)).done { log("cleaned") } }
        .catch { log("\($0)") }
    }
    #expect(log == ["cleaned", "1", "cleaned", "Boom(number: 0)"])
  }

  @Test("cauterize logs") func cauterizeLogs() async throws {
    let (_, reports) = try await programWithReports { _, _ in Promise<Int>(error: Boom()).cauterize() }
    #expect(reports.descriptions == ["cauterized error: Boom(number: 0)"])
  }

  @Test("The errors") func theErrors() async throws {
    let errors: [PMKError] = [
      .invalidCallingConvention, .returnedSelf, .badInput, .cancelled, .compactMap("x", Int.self),
      .emptySequence,
      .noWinner, .timedOut, .validationFailure, .aggregate([]), .abandoned,
    ]
    #expect(Set(errors.map(\.description)).count == errors.count)
    #expect(errors.filter(\.isCancelled).count == 1)
  }

  @Test("Configuration") func configuration() async throws {
    let log = try await program { _, log in
      log("\(conf.catchPolicy == .allErrorsExceptCancellation)")
      let handler = conf.logHandler
      conf.logHandler = { log("\($0)") }
      Promise<Int>(error: Boom()).cauterize().finally { conf.logHandler = handler }
    }
    #expect(log == ["true", "cauterized(UVPromisesTests.Boom(number: 0))"])
  }
}
