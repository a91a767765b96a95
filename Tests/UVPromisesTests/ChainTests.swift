import Testing
import UV
import UVPromises
import UVTestSupport

/// Chains.
@Suite struct ChainTests {
  @Test("One operation after the other") func oneOperationAfterTheOther() async throws {
    let log = try await program { loop, log in
      firstly {
        loop.later(1)
      }.then { value -> Promise<Int> in
        log("then \(value)")
        return loop.later(value + 1)
      }.done { value in
        log("done \(value)")
      }.catch { _ in log("never") }
    }
    #expect(log == ["then 1", "done 2"])
  }

  @Test("then waits for the promise that its handler returns")
  func thenWaitsForThePromiseThatItsHandlerReturns() async throws {
    let log = try await program { loop, log in
      let (inner, seal) = Promise<String>.pending()
      Promise.value(1).then { _ in inner }.done { log($0) }.cauterize()
      after(.milliseconds(2)).done {
        log("before")
        seal.fulfill("inner")
      }
    }
    #expect(log == ["before", "inner"])
  }

  @Test("done ends the success part") func doneEndsTheSuccessPart() async throws {
    let log = try await program { _, log in
      let end: Promise<Void> = Promise.value(1).done { log("\($0)") }
      end.done { log("void") }.cauterize()
    }
    #expect(log == ["1", "void"])
  }

  @Test("Functions return promises of the value that callbacks would give")
  func functionsReturnPromisesOfTheValueThatCallbacksWouldGive()
    async throws
  {
    let log = try await program { loop, log in
      func login(_ name: String) -> Promise<Int> { loop.later(name.count) }
      login("me").done { log("\($0)") }.cauterize()
    }
    #expect(log == ["2"])
  }

  @Test("Handlers' promises compose") func handlersPromisesCompose() async throws {
    let log = try await program { loop, log in
      Promise.value(1).then { loop.later($0 + 1) }.then { loop.later($0 * 10) }.map { "\($0)" }.done {
        log($0)
      }
      .cauterize()
    }
    #expect(log == ["20"])
  }

  @Test("Errors cascade to the catch that follows") func errorsCascadeToTheCatchThatFollows() async throws {
    let log = try await program { loop, log in
      loop.failingLater(Boom(number: 6)).then { loop.later($0) }.map { $0 }.done { _ in log("never") }.catch {
        log("\($0)")
      }
    }
    #expect(log == ["Boom(number: 6)"])
  }

  @Test("A rejected chain skips to the next catch") func aRejectedChainSkipsToTheNextCatch() async throws {
    let log = try await program { _, log in
      Promise<Int>(error: Boom(number: 7)).then { value -> Promise<Int> in
        log("never")
        return .value(value)
      }.get { _ in log("never") }.done { _ in log("never") }.catch { log("\($0)") }
    }
    #expect(log == ["Boom(number: 7)"])
  }

  @Test("Every catch on the branches of one promise runs") func everyCatchOnTheBranchesOfOnePromiseRuns()
    async throws
  {
    let log = try await program { loop, log in
      let promise = loop.failingLater()
      promise.catch { _ in log("first") }
      promise.catch { _ in log("second") }
      promise.map { $0 }.catch { _ in log("third") }
    }
    #expect(log == ["first", "second", "third"])
  }

  @Test("catch may be left unused, the links of a chain may not")
  func catchMayBeLeftUnusedTheLinksOfAChainMayNot() async throws {
    // That the compiler warns is checked by hand; that these lines compile without a warning is checked here.
    let log = try await program { _, log in
      Promise.value(1).done { _ in }.catch { _ in }
      _ = Promise.value(1).map { $0 }
      log("compiled")
    }
    #expect(log == ["compiled"])
  }

  @Test("A handler that throws rejects the chain") func aHandlerThatThrowsRejectsTheChain() async throws {
    let log = try await program { _, log in
      Promise.value(1).map { _ -> Int in throw Boom(number: 1) }.catch { log("map \($0)") }
      Promise.value(1).then { _ -> Promise<Int> in throw Boom(number: 2) }.catch { log("then \($0)") }
      Promise.value(1).done { _ in throw Boom(number: 3) }.catch { log("done \($0)") }
      Promise.value(1).get { _ in throw Boom(number: 4) }.catch { log("get \($0)") }
      Promise<Int>(error: Boom()).recover { _ -> Promise<Int> in throw Boom(number: 5) }.catch {
        log("recover \($0)")
      }
    }
    #expect(
      log == [
        "map Boom(number: 1)", "then Boom(number: 2)", "done Boom(number: 3)", "get Boom(number: 4)",
        "recover Boom(number: 5)",
      ])
  }

  @Test("ensure runs in any case and passes the outcome on") func ensureRunsInAnyCaseAndPassesTheOutcomeOn()
    async throws
  {
    let log = try await program { _, log in
      Promise.value(1).ensure { log("ensure") }.done { log("\($0)") }.cauterize()
      Promise<Int>(error: Boom()).ensure { log("ensure") }.map { $0 + 1 }.catch { log("\($0)") }
    }
    #expect(log == ["ensure", "ensure", "1", "Boom(number: 0)"])
  }

  @Test("finally comes after catch") func finallyComesAfterCatch() async throws {
    let log = try await program { _, log in
      Promise.value(1).done { _ in log("done") }.catch { _ in log("never") }.finally { log("finally 1") }
      Promise<Int>(error: Boom()).done { _ in log("never") }.catch { _ in log("catch") }.finally {
        log("finally 2")
      }
    }
    #expect(
      log == ["done", "finally 1", "catch", "finally 2"]
        || log == ["done", "catch", "finally 1", "finally 2"])
  }

  @Test("firstly runs its body once, before it returns") func firstlyRunsItsBodyOnceBeforeItReturns()
    async throws
  {
    let log = try await program { _, log in
      let promise = firstly { () -> Promise<Int> in
        log("side effect")
        return .value(1)
      }
      log("returned")
      promise.done { log("\($0)") }.cauterize()
    }
    #expect(log == ["side effect", "returned", "1"])
  }

  @Test("map's handler returns a value") func mapsHandlerReturnsAValue() async throws {
    let log = try await program { _, log in Promise.value(20).map { $0 + 1 }.done { log("\($0)") }.cauterize()
    }
    #expect(log == ["21"])
  }

  @Test("compactMap rejects nil") func compactMapRejectsNil() async throws {
    let log = try await program { _, log in
      Promise.value("12").compactMap { Int($0) }.done { log("\($0)") }.cauterize()
      Promise.value("x").compactMap { Int($0) }.catch {
        if case PMKError.compactMap(let value, let type) = $0 { log("\(value) is no \(type)") }
      }
    }
    #expect(log == ["12", "x is no Int"])
  }

  @Test("compactMap's handler may throw") func compactMapsHandlerMayThrow() async throws {
    let log = try await program { _, log in
      func parse(_ text: String) throws -> Any { if text.isEmpty { throw Boom() } else { return text } }
      Promise.value("").compactMap { try parse($0) as? Int }.catch { log("\($0)") }
      Promise.value("text").compactMap { try parse($0) as? Int }.catch {
        if case PMKError.compactMap = $0 { log("compactMap") }
      }
    }
    #expect(log == ["Boom(number: 0)", "compactMap"])
  }

  @Test("Helpers for sequences") func helpersForSequences() async throws {
    let log = try await program { _, log in
      let numbers = Promise.value([1, 2, 3])
      numbers.mapValues { $0 * 2 }.done { log("\($0)") }.cauterize()
      numbers.thenMap { Promise.value($0 * 3) }.done { log("\($0)") }.cauterize()
      numbers.compactMapValues { $0 == 2 ? nil : $0 }.done { log("\($0)") }.cauterize()
      numbers.firstValue.done { log("\($0)") }.cauterize()
    }
    #expect(Set(log) == ["[2, 4, 6]", "[3, 6, 9]", "[1, 3]", "1"] && log.count == 4)
  }

  @Test("get passes on the value that it was given") func getPassesOnTheValueThatItWasGiven() async throws {
    let log = try await program { _, log in
      Promise.value(1).get { log("\($0) is 1") }.done { log("\($0) is 1") }.done { log("\($0) is Void") }
        .cauterize()
    }
    #expect(log == ["1 is 1", "1 is 1", "() is Void"])
  }

  @Test("tap sees the outcome and changes nothing") func tapSeesTheOutcomeAndChangesNothing() async throws {
    let log = try await program { _, log in
      Promise.value(1).tap { log("\($0)") }.done { log("\($0)") }.cauterize()
      Promise<Int>(error: Boom()).tap { log("\($0)") }.catch { log("\($0)") }
    }
    #expect(
      Set(log) == ["fulfilled(1)", "1", "rejected(UVPromisesTests.Boom(number: 0))", "Boom(number: 0)"]
        && log.count == 4)
  }

  @Test("firstly is sugar") func firstlyIsSugar() async throws {
    let log = try await program { loop, log in
      func login() -> Promise<Int> { loop.later(1) }
      login().then { Promise.value($0) }.done { log("\($0)") }.cauterize()
      firstly { login() }.then { Promise.value($0) }.done { log("\($0)") }.cauterize()
    }
    #expect(log == ["1", "1"])
  }

  @Test("Closures of one line infer their types") func closuresOfOneLineInferTheirTypes() async throws {
    let log = try await program { loop, log in
      func bar(_ value: Int) -> Promise<String> { .value("bar \(value)") }
      let foo = Promise.value(1)
      foo.then { bar($0) }.done { log($0) }.cauterize()
      foo.then { value -> Promise<String> in
        log("two lines")
        return bar(value)
      }.done { log($0) }.cauterize()
      foo.then(bar).map(\.count).done { log("\($0)") }.cauterize()
    }
    #expect(log.sorted() == ["5", "bar 1", "bar 1", "two lines"])
  }

  @Test("done is then without a promise") func doneIsThenWithoutAPromise() async throws {
    // `then { }` that returns nothing does not compile, as Void is no Thenable; `done` takes its place.
    let log = try await program { _, log in
      Promise.value(1).done { value in
        let text = "\(value)"
        log(text)
      }.cauterize()
    }
    #expect(log == ["1"])
  }

  @Test("Earlier results are saved by map") func earlierResultsAreSavedByMap() async throws {
    let log = try await program { loop, log in
      Promise.value("me").then { name in loop.later(42).map { ($0, name) } }.done { id, name in
        log("\(name) \(id)")
      }
      .cauterize()
    }
    #expect(log == ["me 42"])
  }
}
