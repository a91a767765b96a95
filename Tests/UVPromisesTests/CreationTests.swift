import Dispatch
import Foundation
import Testing
import UV
import UVPromises
import UVTestSupport

/// Making and resolving promises and guarantees.
@Suite struct CreationTests {
  @Test func `The loop's operations have promises`() async throws {
    try await program(logsInAnyOrder: ["slept", "stat", "true"]) { loop, log in
      loop.sleep(for: .milliseconds(1)).promise().done { log("slept") }.cauterize()
      loop.files.stat("/").promise().done { _ in log("stat") }.cauterize()
      loop.files.stat("/nowhere").promise().catch { log("\(($0 as? UVError)?.code == .noSuchFile)") }
    }
  }

  @Test func `A completion handler resolves`() async throws {
    try await program(logs: ["fetched"]) { loop, log in
      func fetch(_ done: @escaping (String?, (any Error)?) -> Void) {
        loop.queueMicrotask { done("fetched", nil) }
      }
      Promise<String> { seal in fetch { value, error in seal.resolve(value, error) } }.done { log($0) }
        .cauterize()
    }
  }

  @Test func `Point-free`() async throws {
    try await program(logs: ["Boom(number: 0)"]) { loop, log in
      func fetch(completion: @escaping (String?, (any Error)?) -> Void) {
        loop.queueMicrotask { completion(nil, Boom()) }
      }
      Promise<String> { fetch(completion: $0.resolve) }.done { log($0) }.catch { log("\($0)") }
    }
  }

  @Test func `Every way to resolve`() async throws {
    try await program(logs: [
      "Promise(1)", "Promise(Boom(number: 0))", "Promise(2)", "Promise(Boom(number: 3))", "Promise(4)",
      "Promise(Boom(number: 5))",
      "Promise(a completion handler was called with neither a value nor an error)", "Promise(6)",
      "Promise(7)",
      "Promise(Boom(number: 8))", "Promise(())", "Promise(())", "Promise(())", "Promise(Boom(number: 9))",
    ]) { _, log in
      func show(_ body: (Resolver<Int>) -> Void) {
        let (promise, seal) = Promise<Int>.pending()
        body(seal)
        log("\(promise)")
        promise.cauterizeSilently()
      }
      let none: (any Error)? = nil
      let noValue: Int? = nil
      show { $0.fulfill(1) }
      show { $0.reject(Boom()) }
      show { $0.resolve(PMKResult.fulfilled(2)) }
      show { $0.resolve(Result<Int, Boom>.failure(Boom(number: 3))) }
      show { $0.resolve(Optional(4), none) }
      show { $0.resolve(Optional(4), Boom(number: 5)) }
      show { $0.resolve(noValue, none) }
      show { $0.resolve(6, none) }
      show { $0.resolve(none, Optional(7)) }
      show { $0.resolve(Boom(number: 8), noValue) }
      func showVoid(_ body: (Resolver<Void>) -> Void) {
        let (promise, seal) = Promise<Void>.pending()
        body(seal)
        log("\(promise)")
        promise.cauterizeSilently()
      }
      showVoid { $0.fulfill() }
      showVoid { $0.fulfill_() }
      showVoid { $0.resolve(none) }
      showVoid { $0.resolve(Boom(number: 9)) }
    }
  }

  @Test func `The seal's methods are chosen by type`() async throws {
    try await program(logsInAnyOrder: ["1", "2", "3", "4", "Boom(number: 0)", "void"]) { _, log in
      func pair(_ done: (Int?, (any Error)?) -> Void) { done(1, nil) }
      func swapped(_ done: ((any Error)?, Int?) -> Void) { done(nil, 2) }
      func result(_ done: (Result<Int, Boom>) -> Void) { done(.success(3)) }
      func void(_ done: ((any Error)?) -> Void) { done(nil) }
      func plain(_ done: (Int) -> Void) { done(4) }
      Promise<Int> { pair($0.resolve) }.done { log("\($0)") }.cauterize()
      Promise<Int> { swapped($0.resolve) }.done { log("\($0)") }.cauterize()
      Promise<Int> { result($0.resolve) }.done { log("\($0)") }.cauterize()
      Promise<Void> { void($0.resolve) }.done { log("void") }.cauterize()
      Promise<Int> { plain($0.fulfill) }.done { log("\($0)") }.cauterize()
      Promise<Int> { $0.reject(Boom()) }.catch { log("\($0)") }
    }
  }

  @Test func `A guarantee's seal is a function`() async throws {
    try await program(logs: ["value"]) { _, log in Guarantee { seal in seal("value") }.done { log($0) } }
  }

  @Test func `A guarantee, point-free`() async throws {
    try await program(logs: ["fetched", "fetched"]) { loop, log in
      func fetch(_ done: @escaping (String) -> Void) { loop.queueMicrotask { done("fetched") } }
      func guarantee() -> Guarantee<String> { Guarantee(resolver: fetch) }
      func promise() -> Promise<String> { Promise(Guarantee(resolver: fetch)) }
      guarantee().done { log($0) }
      promise().done { log($0) }.cauterize()
    }
  }

  @Test func `A guarantee has no catch`() async throws {
    try await program(logs: ["false", "1"]) { _, log in
      let guarantee = Guarantee.value(1)
      guarantee.done { log("\($0)") }
      log("\(guarantee is any CatchMixin)")
    }
  }

  @Test func `Making guarantees, and their methods`() async throws {
    try await program(logsInAnyOrder: [
      "1", "fetched", "get 3", "3", "void", "as void", "[6, 2, 4]", "[3, 3, 1, 1, 2, 2]", "[3, 2]",
      "[4, 2, 3]",
      "[3, 1, 2]", "[3, 2]", "[1, 2, 3]",
    ]) { loop, log in
      func fetch(_ done: @escaping (String) -> Void) { loop.queueMicrotask { done("fetched") } }
      Guarantee { seal in seal(1) }.done { log("\($0)") }
      Guarantee(resolver: fetch).done { log($0) }
      let (guarantee, resolve) = Guarantee<Int>.pending()
      guarantee.map { $0 + 1 }.get { log("get \($0)") }.then { Guarantee.value("\($0)") }.done { log($0) }
      resolve(2)
      resolve(3)
      Guarantee.value.done { log("void") }
      Guarantee.value("text").map(\.count).asVoid().done { log("as void") }
      let list = Guarantee.value([3, 1, 2])
      list.mapValues { $0 * 2 }.done { log("\($0)") }
      list.flatMapValues { [$0, $0] }.done { log("\($0)") }
      list.compactMapValues { $0 == 1 ? nil : $0 }.done { log("\($0)") }
      list.thenMap { Guarantee.value($0 + 1) }.done { log("\($0)") }
      list.thenFlatMap { Guarantee.value([$0]) }.done { log("\($0)") }
      list.filterValues { $0 > 1 }.done { log("\($0)") }
      list.sortedValues().done { log("\($0)") }
    }
  }

  @Test func `after is a guarantee`() async throws {
    try await program(logs: ["done"]) { _, log in after(seconds: 0.001).done { log("done") } }
  }

  @Test func `A guarantee's chain may be left unused`() async throws {
    try await program(logs: ["1"]) { _, log in
      Guarantee.value(1).done { log("\($0)") }
      Guarantee.value(1).then { Guarantee.value($0) }
    }
  }

  @Test func `Guarantees and promises mix`() async throws {
    try await program(logsInAnyOrder: ["1 a", "2", "[1, 2]"]) { _, log in
      when(fulfilled: Guarantee.value(1), Promise.value("a")).done { log("\($0) \($1)") }.cauterize()
      Promise.value(1).then { Guarantee.value($0 + 1) }.done { log("\($0)") }.cauterize()
      when(fulfilled: [Guarantee.value(1), Guarantee.value(2)]).done { log("\($0)") }.cauterize()
    }
  }

  @Test func `Promise(resolver:) runs its body at once`() async throws {
    try await program(logs: ["body", "Promise(Boom(number: 0))", "Promise(1)"]) { _, log in
      let thrown = Promise<Int> { _ in
        log("body")
        throw Boom()
      }
      log("\(thrown)")
      thrown.cauterizeSilently()
      let sealed = Promise<Int> { seal in
        seal.fulfill(1)
        throw Boom()
      }
      log("\(sealed)")
    }
  }

  @Test func `Promises that are resolved from the start`() async throws {
    try await program(logsInAnyOrder: ["1", "2", "Boom(number: 0)", "init", "value"]) { _, log in
      Promise<Int>(error: Boom()).catch { log("\($0)") }
      Promise.value(1).done { log("\($0)") }.cauterize()
      Promise().done { log("init") }.cauterize()
      Promise.value.done { log("value") }.cauterize()
      Promise(Guarantee.value(2)).done { log("\($0)") }.cauterize()
    }
  }

  @Test func pending() async throws {
    try await program(logs: ["1"]) { _, log in
      let (promise, resolver) = Promise<Int>.pending()
      promise.done { log("\($0)") }.cauterize()
      resolver.fulfill(1)
    }
  }

  @Test func `A cancellable promise is a promise, and is made like one`() async throws {
    try await program { _, _ in
      #expect(CancellablePromise<Int> { $0.fulfill(1) }.value == 1)
      #expect(CancellablePromise.value(2).value == 2)
      let (promise, seal) = CancellablePromise<Int>.pending()
      seal.fulfill(3)
      #expect(promise.value == 3)
      let failed = CancellablePromise<Int>(error: Boom())
      #expect(failed.error is Boom)
      failed.cauterizeSilently()
    }
  }

  @Test func `wait runs the loop until the promise is resolved`() async throws {
    let log = Log<String>()
    try await withThread {
      Reports().install()
      let loop = try EventLoop()
      defer { loop.shutdown() }
      log("\(try loop.later(3).wait())")
      log("\(after(.milliseconds(1)).map { 4 }.wait())")
      log("\(try hang(loop.later(5)))")
      do { _ = try loop.failingLater().wait() } catch { log("\(error)") }
      log("\(try Promise.value(6).wait())")
      do { _ = try Promise<Int>.pending().promise.wait() } catch { log("\(error)") }
    }
    #expect(
      log.values == [
        "3", "4", "5", "Boom(number: 0)", "6", "the promise was deallocated before it was resolved",
      ])
  }

  @Test func `wait inside a running loop stops the program with a sentence`() async throws {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      EventLoop.runCallbacks { loop in
        loop.queueMicrotask { _ = try? Promise<Int>.pending().promise.wait() }
      }
    }
    let output = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(output.contains("would wait for itself"))
  }

  @Test func `DispatchQueue.async(.promise)`() async throws {
    try await program(logsInAnyOrder: ["42 true", "Boom(number: 0)"]) { loop, log in
      DispatchQueue.global().async(.promise) { 6 * 7 }.done {
        log("\($0) \(loop.executor.isOnLoop)")
      }
      DispatchQueue.global().async(.promise) { () throws -> Int in throw Boom() }.catch { log("\($0)") }
    }
  }

  @Test func descriptions() async throws {
    try await program(logs: [
      "Promise(1) Promise(…Int) Guarantee(x)",
      "Promise<Int>.pending(handlers: 1) Promise<Int>.fulfilled(1)",
    ]) { _, log in
      let (pending, seal) = Promise<Int>.pending()
      pending.map { $0 }.cauterizeSilently()
      log("\(Promise.value(1)) \(pending) \(Guarantee.value("x"))")
      log(String(reflecting: pending) + " " + String(reflecting: Promise.value(1)))
      seal.fulfill(1)
    }
  }

  @Test func `A promise's body starts when it is made`() async throws {
    try await program(logs: ["started", "made", "done"]) { _, log in
      let promise = Promise<Int> { seal in
        log("started")
        seal.fulfill(1)
      }
      log("made")
      promise.done { _ in log("done") }.cauterize()
    }
  }
}
