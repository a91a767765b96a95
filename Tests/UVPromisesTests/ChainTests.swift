import Testing
import UV
import UVPromises
import UVTestSupport

/// Chains.
@Suite struct ChainTests {
  @Test func `One operation after the other`() async throws {
    try await program(logs: ["then 1", "done 2"]) { loop, log in
      firstly {
        loop.later(1)
      }.then { value -> Promise<Int> in
        log("then \(value)")
        return loop.later(value + 1)
      }.done { value in
        log("done \(value)")
      }.catch { _ in log("never") }
    }
  }

  @Test func `then waits for the promise that its handler returns`() async throws {
    try await program(logs: ["before", "inner"]) { loop, log in
      let (inner, seal) = Promise<String>.pending()
      Promise.value(1).then { _ in inner }.done { log($0) }.cauterize()
      after(.milliseconds(2)).done {
        log("before")
        seal.fulfill("inner")
      }
    }
  }

  @Test func `No handler runs on the stack that settles a promise that others take over`() async throws {
    try await program(logs: ["before", "after", "value", "end"]) { loop, log in
      let (inner, seal) = Promise<String>.pending()
      Promise.value(1).then { _ in inner }.done { log($0) }.catch { _ in log("never") }.finally { log("end") }
      after(.milliseconds(2)).done {
        log("before")
        seal.fulfill("value")
        log("after")
      }
    }
  }

  @Test func `A catch that has nothing to do still ends`() async throws {
    try await program(logs: ["asked", "first", "second"]) { _, log in
      let (promise, seal) = Promise<Int>.pending()
      let end = promise.catch { _ in log("never") }
      seal.fulfill(1)
      end.finally { log("first") }
      Promise.value(2).catch { _ in log("never") }.finally { log("second") }
      log("asked")
    }
  }

  @Test func `A catch hears of an error later, behind a promise that takes it over`() async throws {
    try await program(logs: ["rejected", "Boom(number: 0)", "end"]) { _, log in
      let (inner, seal) = Promise<Int>.pending()
      Promise.value(1).then { _ in inner }.catch { log("\($0)") }.finally { log("end") }
      after(.milliseconds(2)).done {
        seal.reject(Boom())
        log("rejected")
      }
    }
  }

  @Test func `done ends the success part`() async throws {
    try await program(logs: ["1", "void"]) { _, log in
      let end: Promise<Void> = Promise.value(1).done { log("\($0)") }
      end.done { log("void") }.cauterize()
    }
  }

  @Test func `Functions return promises of the value that callbacks would give`() async throws {
    try await program(logs: ["2"]) { loop, log in
      func login(_ name: String) -> Promise<Int> { loop.later(name.count) }
      login("me").done { log("\($0)") }.cauterize()
    }
  }

  @Test func `Handlers' promises compose`() async throws {
    try await program(logs: ["20"]) { loop, log in
      Promise.value(1).then { loop.later($0 + 1) }.then { loop.later($0 * 10) }.map { "\($0)" }.done {
        log($0)
      }
      .cauterize()
    }
  }

  @Test func `Errors cascade to the catch that follows`() async throws {
    try await program(logs: ["Boom(number: 6)"]) { loop, log in
      loop.failingLater(Boom(number: 6)).then { loop.later($0) }.map { $0 }.done { _ in log("never") }.catch {
        log("\($0)")
      }
    }
  }

  @Test func `A rejected chain skips to the next catch`() async throws {
    try await program(logs: ["Boom(number: 7)"]) { _, log in
      Promise<Int>(error: Boom(number: 7)).then { value -> Promise<Int> in
        log("never")
        return .value(value)
      }.get { _ in log("never") }.done { _ in log("never") }.catch { log("\($0)") }
    }
  }

  @Test func `Every catch on the branches of one promise runs`() async throws {
    try await program(logs: ["first", "second", "third"]) { loop, log in
      let promise = loop.failingLater()
      promise.catch { _ in log("first") }
      promise.catch { _ in log("second") }
      promise.map { $0 }.catch { _ in log("third") }
    }
  }

  @Test func `catch may be left unused, the links of a chain may not`() async throws {
    // That the compiler warns is checked by hand; that these lines compile without a warning is checked here.
    try await program(logs: ["compiled"]) { _, log in
      Promise.value(1).done { _ in }.catch { _ in }
      _ = Promise.value(1).map { $0 }
      log("compiled")
    }
  }

  @Test func `A handler that throws rejects the chain`() async throws {
    try await program(logs: [
      "map Boom(number: 1)", "then Boom(number: 2)", "done Boom(number: 3)", "get Boom(number: 4)",
      "recover Boom(number: 5)",
    ]) { _, log in
      Promise.value(1).map { _ -> Int in throw Boom(number: 1) }.catch { log("map \($0)") }
      Promise.value(1).then { _ -> Promise<Int> in throw Boom(number: 2) }.catch { log("then \($0)") }
      Promise.value(1).done { _ in throw Boom(number: 3) }.catch { log("done \($0)") }
      Promise.value(1).get { _ in throw Boom(number: 4) }.catch { log("get \($0)") }
      Promise<Int>(error: Boom()).recover { _ -> Promise<Int> in throw Boom(number: 5) }.catch {
        log("recover \($0)")
      }
    }
  }

  @Test func `ensure runs in any case and passes the outcome on`() async throws {
    try await program(logs: ["ensure", "ensure", "1", "Boom(number: 0)"]) { _, log in
      Promise.value(1).ensure { log("ensure") }.done { log("\($0)") }.cauterize()
      Promise<Int>(error: Boom()).ensure { log("ensure") }.map { $0 + 1 }.catch { log("\($0)") }
    }
  }

  @Test func `finally comes after catch`() async throws {
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

  @Test func `firstly runs its body once, before it returns`() async throws {
    try await program(logs: ["side effect", "returned", "1"]) { _, log in
      let promise = firstly { () -> Promise<Int> in
        log("side effect")
        return .value(1)
      }
      log("returned")
      promise.done { log("\($0)") }.cauterize()
    }
  }

  @Test func `map's handler returns a value`() async throws {
    try await program(logs: ["21"]) { _, log in
      Promise.value(20).map { $0 + 1 }.done { log("\($0)") }.cauterize()
    }
  }

  @Test func `compactMap rejects nil`() async throws {
    try await program(logs: ["12", "x is no Int"]) { _, log in
      Promise.value("12").compactMap { Int($0) }.done { log("\($0)") }.cauterize()
      Promise.value("x").compactMap { Int($0) }.catch {
        if case PMKError.compactMap(let value, let type) = $0 { log("\(value) is no \(type)") }
      }
    }
  }

  @Test func `compactMap's handler may throw`() async throws {
    try await program(logs: ["Boom(number: 0)", "compactMap"]) { _, log in
      func parse(_ text: String) throws -> Any { if text.isEmpty { throw Boom() } else { return text } }
      Promise.value("").compactMap { try parse($0) as? Int }.catch { log("\($0)") }
      Promise.value("text").compactMap { try parse($0) as? Int }.catch {
        if case PMKError.compactMap = $0 { log("compactMap") }
      }
    }
  }

  @Test func `Helpers for sequences`() async throws {
    let log = try await program { _, log in
      let numbers = Promise.value([1, 2, 3])
      numbers.mapValues { $0 * 2 }.done { log("\($0)") }.cauterize()
      numbers.thenMap { Promise.value($0 * 3) }.done { log("\($0)") }.cauterize()
      numbers.compactMapValues { $0 == 2 ? nil : $0 }.done { log("\($0)") }.cauterize()
      numbers.firstValue.done { log("\($0)") }.cauterize()
    }
    #expect(Set(log) == ["[2, 4, 6]", "[3, 6, 9]", "[1, 3]", "1"] && log.count == 4)
  }

  @Test func `get passes on the value that it was given`() async throws {
    try await program(logs: ["1 is 1", "1 is 1", "() is Void"]) { _, log in
      Promise.value(1).get { log("\($0) is 1") }.done { log("\($0) is 1") }.done { log("\($0) is Void") }
        .cauterize()
    }
  }

  @Test func `tap sees the outcome and changes nothing`() async throws {
    let log = try await program { _, log in
      Promise.value(1).tap { log("\($0)") }.done { log("\($0)") }.cauterize()
      Promise<Int>(error: Boom()).tap { log("\($0)") }.catch { log("\($0)") }
    }
    #expect(
      Set(log) == ["fulfilled(1)", "1", "rejected(UVPromisesTests.Boom(number: 0))", "Boom(number: 0)"]
        && log.count == 4)
  }

  @Test func `firstly is sugar`() async throws {
    try await program(logs: ["1", "1"]) { loop, log in
      func login() -> Promise<Int> { loop.later(1) }
      login().then { Promise.value($0) }.done { log("\($0)") }.cauterize()
      firstly { login() }.then { Promise.value($0) }.done { log("\($0)") }.cauterize()
    }
  }

  @Test func `Closures of one line infer their types`() async throws {
    try await program(logsInAnyOrder: ["5", "bar 1", "bar 1", "two lines"]) { loop, log in
      func bar(_ value: Int) -> Promise<String> { .value("bar \(value)") }
      let foo = Promise.value(1)
      foo.then { bar($0) }.done { log($0) }.cauterize()
      foo.then { value -> Promise<String> in
        log("two lines")
        return bar(value)
      }.done { log($0) }.cauterize()
      foo.then(bar).map(\.count).done { log("\($0)") }.cauterize()
    }
  }

  @Test func `done is then without a promise`() async throws {
    // `then { }` that returns nothing does not compile, as Void is no Thenable; `done` takes its place.
    try await program(logs: ["1"]) { _, log in
      Promise.value(1).done { value in
        let text = "\(value)"
        log(text)
      }.cauterize()
    }
  }

  @Test func `Earlier results are saved by map`() async throws {
    try await program(logs: ["me 42"]) { loop, log in
      Promise.value("me").then { name in loop.later(42).map { ($0, name) } }.done { id, name in
        log("\(name) \(id)")
      }
      .cauterize()
    }
  }
}
