import Dispatch
import Foundation
import Testing
import UV
import UVPromises
import UVTestSupport

/// Making and resolving promises and guarantees.
@Suite struct CreationTests {
  @Test("The loop's operations have promises") func theLoopsOperationsHavePromises() async throws {
    let log = try await program { loop, log in
      loop.sleep(for: .milliseconds(1)).promise().done { log("slept") }.cauterize()
      loop.files.stat("/").promise().done { _ in log("stat") }.cauterize()
      loop.files.stat("/nowhere").promise().catch { log("\(($0 as? UVError)?.code == .noSuchFile)") }
    }
    #expect(log.sorted() == ["slept", "stat", "true"])
  }

  @Test("A completion handler resolves") func aCompletionHandlerResolves() async throws {
    let log = try await program { loop, log in
      func fetch(_ done: @escaping (String?, (any Error)?) -> Void) {
        loop.queueMicrotask { done("fetched", nil) }
      }
      Promise<String> { seal in fetch { value, error in seal.resolve(value, error) } }.done { log($0) }
        .cauterize()
    }
    #expect(log == ["fetched"])
  }

  @Test("Point-free") func pointFree() async throws {
    let log = try await program { loop, log in
      func fetch(completion: @escaping (String?, (any Error)?) -> Void) {
        loop.queueMicrotask { completion(nil, Boom()) }
      }
      Promise<String> { fetch(completion: $0.resolve) }.done { log($0) }.catch { log("\($0)") }
    }
    #expect(log == ["Boom(number: 0)"])
  }

  @Test("Every way to resolve") func everyWayToResolve() async throws {
    let log = try await program { _, log in
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
    #expect(
      log == [
        "Promise(1)", "Promise(Boom(number: 0))", "Promise(2)", "Promise(Boom(number: 3))", "Promise(4)",
        "Promise(Boom(number: 5))",
        "Promise(a completion handler was called with neither a value nor an error)", "Promise(6)",
        "Promise(7)",
        "Promise(Boom(number: 8))", "Promise(())", "Promise(())", "Promise(())", "Promise(Boom(number: 9))",
      ])
  }

  @Test("The seal's methods are chosen by type") func theSealsMethodsAreChosenByType() async throws {
    let log = try await program { _, log in
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
    #expect(log.sorted() == ["1", "2", "3", "4", "Boom(number: 0)", "void"])
  }

  @Test("A guarantee's seal is a function") func aGuaranteesSealIsAFunction() async throws {
    let log = try await program { _, log in Guarantee { seal in seal("value") }.done { log($0) } }
    #expect(log == ["value"])
  }

  @Test("A guarantee, point-free") func aGuaranteePointFree() async throws {
    let log = try await program { loop, log in
      func fetch(_ done: @escaping (String) -> Void) { loop.queueMicrotask { done("fetched") } }
      func guarantee() -> Guarantee<String> { Guarantee(resolver: fetch) }
      func promise() -> Promise<String> { Promise(Guarantee(resolver: fetch)) }
      guarantee().done { log($0) }
      promise().done { log($0) }.cauterize()
    }
    #expect(log == ["fetched", "fetched"])
  }

  @Test("A guarantee has no catch") func aGuaranteeHasNoCatch() async throws {
    let log = try await program { _, log in
      let guarantee = Guarantee.value(1)
      guarantee.done { log("\($0)") }
      log("\(guarantee is any CatchMixin)")
    }
    #expect(log == ["false", "1"])
  }

  @Test("Making guarantees, and their methods") func makingGuaranteesAndTheirMethods() async throws {
    let log = try await program { loop, log in
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
    #expect(
      log.sorted()
        == [
          "1", "fetched", "get 3", "3", "void", "as void", "[6, 2, 4]", "[3, 3, 1, 1, 2, 2]", "[3, 2]",
          "[4, 2, 3]",
          "[3, 1, 2]", "[3, 2]", "[1, 2, 3]",
        ].sorted())
  }

  @Test("after is a guarantee") func afterIsAGuarantee() async throws {
    let log = try await program { _, log in after(seconds: 0.001).done { log("done") } }
    #expect(log == ["done"])
  }

  @Test("A guarantee's chain may be left unused") func aGuaranteesChainMayBeLeftUnused() async throws {
    let log = try await program { _, log in
      Guarantee.value(1).done { log("\($0)") }
      Guarantee.value(1).then { Guarantee.value($0) }
    }
    #expect(log == ["1"])
  }

  @Test("Guarantees and promises mix") func guaranteesAndPromisesMix() async throws {
    let log = try await program { _, log in
      when(fulfilled: Guarantee.value(1), Promise.value("a")).done { log("\($0) \($1)") }.cauterize()
      Promise.value(1).then { Guarantee.value($0 + 1) }.done { log("\($0)") }.cauterize()
      when(fulfilled: [Guarantee.value(1), Guarantee.value(2)]).done { log("\($0)") }.cauterize()
    }
    #expect(log.sorted() == ["1 a", "2", "[1, 2]"])
  }

  @Test("Promise(resolver:) runs its body at once") func promiseResolverRunsItsBodyAtOnce() async throws {
    let log = try await program { _, log in
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
    #expect(log == ["body", "Promise(Boom(number: 0))", "Promise(1)"])
  }

  @Test("Promises that are resolved from the start") func promisesThatAreResolvedFromTheStart() async throws {
    let log = try await program { _, log in
      Promise<Int>(error: Boom()).catch { log("\($0)") }
      Promise.value(1).done { log("\($0)") }.cauterize()
      Promise().done { log("init") }.cauterize()
      Promise.value.done { log("value") }.cauterize()
      Promise(Guarantee.value(2)).done { log("\($0)") }.cauterize()
    }
    #expect(log.sorted() == ["1", "2", "Boom(number: 0)", "init", "value"])
  }

  @Test("Pending") func pending() async throws {
    let log = try await program { _, log in
      let (promise, resolver) = Promise<Int>.pending()
      promise.done { log("\($0)") }.cauterize()
      resolver.fulfill(1)
    }
    #expect(log == ["1"])
  }

  @Test("wait runs the loop until the promise is resolved") func waitRunsTheLoopUntilThePromiseIsResolved()
    async throws
  {
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

  @Test("wait inside a running loop stops the program with a sentence")
  func waitInsideARunningLoopStopsTheProgramWithASentence() async throws {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      EventLoop.runCallbacks { loop in
        loop.queueMicrotask { _ = try? Promise<Int>.pending().promise.wait() }
      }
    }
    let output = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(output.contains("would wait for itself"))
  }

  @Test("DispatchQueue.async(.promise)") func dispatchQueueAsyncPromise() async throws {
    let log = try await program { loop, log in
      DispatchQueue.global().async(.promise) { 6 * 7 }.done {
        log("\($0) \(loop.executor.isOnLoop)")
      }
      DispatchQueue.global().async(.promise) { () throws -> Int in throw Boom() }.catch { log("\($0)") }
    }
    #expect(log.sorted() == ["42 true", "Boom(number: 0)"])
  }

  @Test("Descriptions") func descriptions() async throws {
    let log = try await program { _, log in
      let (pending, seal) = Promise<Int>.pending()
      pending.map { $0 }.cauterizeSilently()
      log("\(Promise.value(1)) \(pending) \(Guarantee.value("x"))")
      log(String(reflecting: pending) + " " + String(reflecting: Promise.value(1)))
      seal.fulfill(1)
    }
    #expect(
      log == [
        "Promise(1) Promise(…Int) Guarantee(x)",
        "Promise<Int>.pending(handlers: 1) Promise<Int>.fulfilled(1)",
      ])
  }

  @Test("A promise's body starts when it is made") func aPromisesBodyStartsWhenItIsMade() async throws {
    let log = try await program { _, log in
      let promise = Promise<Int> { seal in
        log("started")
        seal.fulfill(1)
      }
      log("made")
      promise.done { _ in log("done") }.cauterize()
    }
    #expect(log == ["started", "made", "done"])
  }
}
