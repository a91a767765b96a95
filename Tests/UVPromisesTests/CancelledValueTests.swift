import Testing
import UV
import UVPromises
import UVTestSupport

/// Cancelling a promise that has its value, and what a cancellation says of the promises on its way.
@Suite struct CancelledValueTests {
  @Test("a handler that waits for a promise which is cancelled after it had its value doesn't run")
  func waiting() async throws {
    try await program(logs: ["made: the promise was cancelled", "pending: Boom(number: 0)"]) { _, log in
      let made = Promise<Int> { seal in seal.fulfill(1) }
      made.done { _ in log("never") }.catch(policy: .allErrors) { log("made: \($0)") }
      made.cancel()
      let (promise, seal) = Promise<Int>.pending()
      promise.then { _ -> Promise<Int> in
        log("never")
        return .value(2)
      }.done { _ in log("never") }.catch(policy: .allErrors) { log("pending: \($0)") }
      seal.fulfill(3)
      promise.cancel(with: Boom())
    }
  }

  @Test("a promise that is cancelled after it had its value keeps the value, and later handlers don't run")
  func later() async throws {
    try await asyncProgram(logs: [
      "true true", "1 true false Promise(1)", "then: the promise was cancelled", "pipe: false", "1", "true",
    ]) { _, log in
      let promise = Promise.value(1)
      promise.cancel()
      promise.cancel(with: Boom())
      log("\(promise.cancelContext.isCancelled) \(promise.cancelContext.cancelAttempted)")
      log("\(promise.value ?? 0) \(promise.isFulfilled) \(promise.isRejected) \(promise)")
      promise.then(on: nil) { _ in promise }.catch(on: nil, policy: .allErrors) { log("then: \($0)") }
      promise.pipe { log("pipe: \($0.isFulfilled)") }
      log("\(try await promise.async())")
      let text = Promise.value("a string that is kept outside of the promise")
      text.cancel()
      log("\(text.map(on: nil) { $0.count }.error?.isCancelled ?? false)")
    }
  }

  @Test("the result of a handler that cancels the promise whose value it was given is dropped") func running()
    async throws
  {
    try await program(logsInAnyOrder: [
      "done: true", "inner", "map: true", "then: true", "thenMap: true", "throws: false",
    ]) { loop, log in
      func check(_ name: String, _ chain: (Promise<[Int]>) -> Promise<Void>) {
        chain(Promise.value([1, 2])).catch(policy: .allErrors) { log("\(name): \($0.isCancelled)") }
      }
      check("map") { promise in promise.map { _ in promise.cancel() }.done { log("never") } }
      check("done") { promise in promise.done { _ in promise.cancel() }.done { log("never") } }
      check("then") { promise in
        promise.then { _ -> Promise<Void> in
          promise.cancel()
          return loop.sleep(for: .untilCancelled).promise().ensure { log("inner") }
        }.done { log("never") }
      }
      check("thenMap") { promise in
        promise.thenMap { number -> Promise<Int> in
          promise.cancel()
          return .value(number)
        }.done { _ in log("never") }
      }
      check("throws") { promise in
        promise.map { _ -> Void in
          promise.cancel()
          throw Boom()
        }
      }
    }
  }

  @Test("a promise that its own handler cancels fails with the cancellation, whatever the handler returns")
  func itsOwnHandler() async throws {
    try await program(logs: ["true", "the promise was cancelled"]) { loop, log in
      var promise: Promise<Void>!
      promise = loop.later(1).then { _ in
        promise.cancel()
        log("\(promise.cancelContext.isCancelled)")
        return promise!
      }
      promise.catch(policy: .allErrors) { log("\($0)") }
    }
  }

  @Test("after a value that was cancelled, ensure and recoveries from all errors run, and catch doesn't")
  func recovering() async throws {
    try await program(logsInAnyOrder: [
      "ensure", "finally", "guarantee: 3", "on a queue: 4", "recover: 2", "tap: false", "void", "went on",
    ]) { _, log in
      let promise = Promise.value(1)
      let void = Promise()
      promise.cancel()
      void.cancel()
      promise.catch(policy: .allErrors) { _ in log("never") }.finally { log("finally") }
      promise.catch(on: .global(), policy: .allErrors) { _ in log("never") }
      promise.ensure { log("ensure") }.cauterizeSilently()
      promise.tap { log("tap: \($0.isFulfilled)") }.cauterizeSilently()
      promise.recover(policy: .allErrors) { _ in Promise.value(2) }.done { log("recover: \($0)") }
        .cauterize()
      promise.recover { _ in Guarantee.value(3) }.done { log("guarantee: \($0)") }
      promise.recover { _ -> Promise<Int> in .value(0) }.done { _ in log("never") }.cauterizeSilently()
      void.recover { _ in log("void") }.done { log("went on") }
      void.recover(policy: conf.catchPolicy) { _ in log("never") }.cauterizeSilently()
      promise.recover(on: .global(), policy: .allErrors) { _ -> Promise<Int> in .value(4) }
        .done { log("on a queue: \($0)") }.cauterize()
    }
  }

  @Test func `a cancelled value cancels what gathers it and what returns it`() async throws {
    let log = try await program { loop, log in
      let cancelled = Promise.value(1)
      cancelled.cancel()
      func check(_ name: String, _ promise: Promise<some Any>) {
        promise.catch(policy: .allErrors) { log("\(name): \($0)") }
      }
      check("array", when(fulfilled: [cancelled, .value(2)]))
      check("tuple", when(fulfilled: cancelled, loop.later("x")))
      check("race", race(loop.later(3), cancelled))
      check("returned", Promise.value(0).then { _ in cancelled })
      check("ensured", Promise.value(0).ensureThen { cancelled.asVoid() })
      when(resolved: cancelled, .value(4)).done { log("\($0.map(\.isFulfilled))") }
      race(fulfilled: [cancelled, loop.later(5)]).done { log("\($0)") }.cauterize()
    }
    let text = "the promise was cancelled"
    #expect(
      log.sorted() == [
        "5", "[false, true]", "array: \(text)", "ensured: \(text)", "race: \(text)", "returned: \(text)",
        "tuple: \(text)",
      ])
  }

  @Test func `cancelling a promise that was made of a guarantee leaves the guarantee alone`() async throws {
    try await program(logsInAnyOrder: ["1", "true"]) { _, log in
      let guarantee = Guarantee.value(1)
      let promise = guarantee.cancellize()
      promise.cancel()
      promise.done { _ in log("never") }.catch(policy: .allErrors) { log("\($0.isCancelled)") }
      guarantee.cancel()
      guarantee.done { log("\($0)") }
    }
  }

  @Test func `a chain that has done its work doesn't notify its catch of a later cancel`() async throws {
    try await program(logs: ["done"]) { _, log in
      Promise.value(1).done(on: nil) { _ in log("done") }
        .catch(policy: .allErrors) { _ in log("never") }.cancel()
      Promise.value(2).catch(policy: .allErrors) { _ in log("never") }.cancel()
    }
  }

  @Test("the promises that a cancellation passes on its way say that they were cancelled") func onTheWay()
    async throws
  {
    try await program(logs: ["true true", "true true", "true true", "false false", "race: true", "shared: 3"])
    { loop, log in
      let first = after(.seconds(1000)).cancellize()
      let second = after(.seconds(1000)).cancellize()
      let mapped = second.map { 2 }
      let shared = loop.later(3)
      shared.done { log("shared: \($0)") }.cauterize()
      race(first.then { Promise.value(1) }, mapped, shared).catch(policy: .allErrors) {
        log("race: \($0.isCancelled)")
      }.cancel()
      for context in [first, second].map(\.cancelContext) + [mapped.cancelContext, shared.cancelContext] {
        log("\(context.isCancelled) \(context.cancelAttempted)")
      }
    }
  }

  @Test("below when(resolved:) a cancellation comes before the outcomes of the parts that it cancels")
  func belowAGathering() async throws {
    try await program(logs: ["true true", "true"]) { _, log in
      let (first, firstSeal) = Promise<Void>.pending()
      let (second, secondSeal) = Promise<Void>.pending()
      when(resolved: first, second).cancellize().done(on: nil) { _ in log("never") }
        .catch(policy: .allErrors) { log("\($0.isCancelled)") }.cancel()
      firstSeal.fulfill()
      secondSeal.fulfill()
      log("\(first.cancelContext.isCancelled) \(second.cancelContext.isCancelled)")
    }
  }
}
