import Testing
import UV
import UVPromises
import UVTestSupport

/// Rules C1–C13 and C28–C38 of the contract: chains.
@Suite struct ChainTests {
  @Test("C1 one operation after the other") func c1_inOrder() async throws {
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

  @Test("C2 then waits for the promise that its handler returns") func c2_thenWaits() async throws {
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

  @Test("C3 done ends the success part") func c3_done() async throws {
    let log = try await program { _, log in
      let end: Promise<Void> = Promise.value(1).done { log("\($0)") }
      end.done { log("void") }.cauterize()
    }
    #expect(log == ["1", "void"])
  }

  @Test("C4 functions return promises of the value that callbacks would give") func c4_functions()
    async throws
  {
    let log = try await program { loop, log in
      func login(_ name: String) -> Promise<Int> { loop.later(name.count) }
      login("me").done { log("\($0)") }.cauterize()
    }
    #expect(log == ["2"])
  }

  @Test("C5 handlers' promises compose") func c5_compose() async throws {
    let log = try await program { loop, log in
      Promise.value(1).then { loop.later($0 + 1) }.then { loop.later($0 * 10) }.map { "\($0)" }.done {
        log($0)
      }
      .cauterize()
    }
    #expect(log == ["20"])
  }

  @Test("C6 errors cascade to the catch that follows") func c6_cascade() async throws {
    let log = try await program { loop, log in
      loop.failingLater(Boom(number: 6)).then { loop.later($0) }.map { $0 }.done { _ in log("never") }.catch {
        log("\($0)")
      }
    }
    #expect(log == ["Boom(number: 6)"])
  }

  @Test("C7 a rejected chain skips to the next catch") func c7_skips() async throws {
    let log = try await program { _, log in
      Promise<Int>(error: Boom(number: 7)).then { value -> Promise<Int> in
        log("never")
        return .value(value)
      }.get { _ in log("never") }.done { _ in log("never") }.catch { log("\($0)") }
    }
    #expect(log == ["Boom(number: 7)"])
  }

  @Test("C8 every catch on the branches of one promise runs") func c8_branches() async throws {
    let log = try await program { loop, log in
      let promise = loop.failingLater()
      promise.catch { _ in log("first") }
      promise.catch { _ in log("second") }
      promise.map { $0 }.catch { _ in log("third") }
    }
    #expect(log == ["first", "second", "third"])
  }

  @Test("C9 catch may be left unused, the links of a chain may not") func c9_warnings() async throws {
    // That the compiler warns is checked by hand; that these lines compile without a warning is checked here.
    let log = try await program { _, log in
      Promise.value(1).done { _ in }.catch { _ in }
      _ = Promise.value(1).map { $0 }
      log("compiled")
    }
    #expect(log == ["compiled"])
  }

  @Test("C10 a handler that throws rejects the chain") func c10_throws() async throws {
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

  @Test("C11 ensure runs in any case and passes the outcome on") func c11_ensure() async throws {
    let log = try await program { _, log in
      Promise.value(1).ensure { log("ensure") }.done { log("\($0)") }.cauterize()
      Promise<Int>(error: Boom()).ensure { log("ensure") }.map { $0 + 1 }.catch { log("\($0)") }
    }
    #expect(log == ["ensure", "ensure", "1", "Boom(number: 0)"])
  }

  @Test("C12 finally comes after catch") func c12_finally() async throws {
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

  @Test("C13 firstly runs its body once, before it returns") func c13_firstly() async throws {
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

  @Test("C28 map's handler returns a value") func c28_map() async throws {
    let log = try await program { _, log in Promise.value(20).map { $0 + 1 }.done { log("\($0)") }.cauterize()
    }
    #expect(log == ["21"])
  }

  @Test("C29 compactMap rejects nil") func c29_compactMap() async throws {
    let log = try await program { _, log in
      Promise.value("12").compactMap { Int($0) }.done { log("\($0)") }.cauterize()
      Promise.value("x").compactMap { Int($0) }.catch {
        if case PMKError.compactMap(let value, let type) = $0 { log("\(value) is no \(type)") }
      }
    }
    #expect(log == ["12", "x is no Int"])
  }

  @Test("C30 compactMap's handler may throw") func c30_compactMapThrows() async throws {
    let log = try await program { _, log in
      func parse(_ text: String) throws -> Any { if text.isEmpty { throw Boom() } else { return text } }
      Promise.value("").compactMap { try parse($0) as? Int }.catch { log("\($0)") }
      Promise.value("text").compactMap { try parse($0) as? Int }.catch {
        if case PMKError.compactMap = $0 { log("compactMap") }
      }
    }
    #expect(log == ["Boom(number: 0)", "compactMap"])
  }

  @Test("C31 helpers for sequences") func c31_sequences() async throws {
    let log = try await program { _, log in
      let numbers = Promise.value([1, 2, 3])
      numbers.mapValues { $0 * 2 }.done { log("\($0)") }.cauterize()
      numbers.thenMap { Promise.value($0 * 3) }.done { log("\($0)") }.cauterize()
      numbers.compactMapValues { $0 == 2 ? nil : $0 }.done { log("\($0)") }.cauterize()
      numbers.firstValue.done { log("\($0)") }.cauterize()
    }
    #expect(Set(log) == ["[2, 4, 6]", "[3, 6, 9]", "[1, 3]", "1"] && log.count == 4)
  }

  @Test("C32 get passes on the value that it was given") func c32_get() async throws {
    let log = try await program { _, log in
      Promise.value(1).get { log("\($0) is 1") }.done { log("\($0) is 1") }.done { log("\($0) is Void") }
        .cauterize()
    }
    #expect(log == ["1 is 1", "1 is 1", "() is Void"])
  }

  @Test("C33 tap sees the outcome and changes nothing") func c33_tap() async throws {
    let log = try await program { _, log in
      Promise.value(1).tap { log("\($0)") }.done { log("\($0)") }.cauterize()
      Promise<Int>(error: Boom()).tap { log("\($0)") }.catch { log("\($0)") }
    }
    #expect(
      Set(log) == ["fulfilled(1)", "1", "rejected(UVPromisesTests.Boom(number: 0))", "Boom(number: 0)"]
        && log.count == 4)
  }

  @Test("C34 firstly is sugar") func c34_sugar() async throws {
    let log = try await program { loop, log in
      func login() -> Promise<Int> { loop.later(1) }
      login().then { Promise.value($0) }.done { log("\($0)") }.cauterize()
      firstly { login() }.then { Promise.value($0) }.done { log("\($0)") }.cauterize()
    }
    #expect(log == ["1", "1"])
  }

  @Test("C37 closures of one line infer their types") func c37_inference() async throws {
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

  @Test("C38 done is then without a promise") func c38_done() async throws {
    // `then { }` that returns nothing does not compile, as Void is no Thenable; `done` takes its place.
    let log = try await program { _, log in
      Promise.value(1).done { value in
        let text = "\(value)"
        log(text)
      }.cauterize()
    }
    #expect(log == ["1"])
  }

  @Test("C100 earlier results are saved by map") func c100_savingResults() async throws {
    let log = try await program { loop, log in
      Promise.value("me").then { name in loop.later(42).map { ($0, name) } }.done { id, name in
        log("\(name) \(id)")
      }
      .cauterize()
    }
    #expect(log == ["me 42"])
  }
}
