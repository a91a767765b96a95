import Testing
import UV
import UVPromises
import UVTestSupport

/// Cancelling.
@Suite struct CancellationTests {
  @Test func `A context cancels its chain`() async throws {
    try await program(logs: ["false false", "true", "true"]) { loop, log in
      let chain = loop.sleep(for: .untilCancelled).promise().cancellize().map { 1 }
      let context = chain.done { _ in log("never") }.catch(policy: .allErrors) { log("\($0.isCancelled)") }
        .cancelContext
      log("\(context.isCancelled) \(context.cancelAttempted)")
      after(.milliseconds(1)).done {
        context.cancel()
        log("\(context.cancelAttempted)")
      }
    }
  }

  @Test func `With an error of one's own`() async throws {
    try await program(logs: ["true false", "Boom(number: 0)"]) { loop, log in
      let promise = loop.sleep(for: .untilCancelled).promise()
      promise.catch { log("\($0)") }
      promise.cancelContext.cancel(with: Boom())
      log("\(promise.cancelContext.cancelAttempted) \(promise.cancelContext.isCancelled)")
    }
  }

  @Test func `timeout(seconds:)`() async throws {
    try await program(logs: ["timed out"]) { loop, log in
      let limit = timeout(seconds: 0.001)
      race(loop.later((), milliseconds: 30), limit).catch {
        if case PMKError.timedOut = $0 { log("timed out") }
      }
    }
  }

  @Test func timeoutCancelsTheOperation() async throws {
    let log = try await program { loop, log in
      loop.sleep(for: .untilCancelled).promise().ensure { log("ensure") }.timeout(after: .milliseconds(1))
        .catch {
          log("\($0)")
        }
      loop.later(1).timeout(after: .seconds(1000)).done { log("\($0)") }.cauterize()
    }
    // That the program ends shows that no timer is left.
    #expect(log.sorted() == ["1", "ensure", "the time allowed for the promise was up"])
  }

  @Test func theEndCancelsTheOperationAndCleanUpRuns() async throws {
    try await program(logs: ["ensure", "true", "finally"]) { loop, log in
      let chain = loop.sleep(for: .untilCancelled).promise().ensure { log("ensure") }.done { log("never") }
      chain.catch(policy: .allErrors) { log("\($0.isCancelled)") }.finally { log("finally") }
      loop.queueMicrotask { chain.cancel() }
    }
  }

  @Test func aFinalizerCancels() async throws {
    try await program(logs: ["finally"]) { loop, log in
      let end = loop.sleep(for: .untilCancelled).promise().catch { _ in log("never") }
      end.finally { log("finally") }
      end.cancel()
    }
  }

  @Test func othersWhoWaitAreNotCancelled() async throws {
    try await program(logs: ["mine cancelled", "other 1"]) { loop, log in
      let shared = loop.sleep(for: .milliseconds(3)).promise().map { 1 }
      let mine = shared.done { _ in log("never") }
      mine.catch(policy: .allErrors) { _ in log("mine cancelled") }
      shared.done { log("other \($0)") }.cauterize()
      mine.cancel()
    }
  }

  @Test func theLastWhoWaitsCancelsTheOperation() async throws {
    try await program(logs: ["first", "second"]) { loop, log in
      let shared = loop.sleep(for: .untilCancelled).promise()
      let first = shared.done { log("never") }
      let second = shared.done { log("never") }
      first.catch(policy: .allErrors) { _ in log("first") }
      second.catch(policy: .allErrors) { _ in log("second") }
      first.cancel()
      second.cancel()
    }
  }

  @Test func anInnerPromiseIsCancelled() async throws {
    try await program(logs: ["inner", "outer"]) { loop, log in
      let chain = Promise.value(1).then { _ in
        loop.sleep(for: .untilCancelled).promise().ensure { log("inner") }
      }
      chain.catch(policy: .allErrors) { _ in log("outer") }
      after(.milliseconds(1)).done { chain.cancel() }
    }
  }

  @Test func aHandlerThatIsDueDoesNotRun() async throws {
    try await program(logs: ["true"]) { _, log in
      let chain = Promise.value(1).done { _ in log("never") }
      chain.catch(policy: .allErrors) { log("\($0.isCancelled)") }
      chain.cancel()
    }
  }

  @Test func aChainThatBeginsWithAGuarantee() async throws {
    try await program(logs: ["true"]) { _, log in
      let chain = after(.seconds(1000)).map { 1 }.then { Promise.value($0) }
      chain.catch(policy: .allErrors) { log("\($0.isCancelled)") }
      chain.cancel()
      let guarantee = after(.seconds(1000)).done { log("never") }
      guarantee.cancel()
    }
  }

  @Test func aResolversOwnOperation() async throws {
    try await program(logs: ["stopped", "true"]) { _, log in
      let promise = Promise<Int> { seal in seal.onCancel { log("stopped") } }
      promise.map { $0 }.catch(policy: .allErrors) { log("\($0.isCancelled)") }.cancel()
    }
  }

  @Test func whenCancelsItsParts() async throws {
    try await program(logsInAnyOrder: ["all", "part 1", "part 2", "part 3"]) { loop, log in
      let parts = (1...3).map { number in
        loop.sleep(for: .untilCancelled).promise().ensure { log("part \(number)") }
      }
      let all = when(fulfilled: parts)
      all.catch(policy: .allErrors) { _ in log("all") }
      all.cancel()
    }
  }

  @Test func aFailedWhenMayCancelTheRest() async throws {
    try await program(logsInAnyOrder: ["Boom(number: 0)", "rest"]) { loop, log in
      let slow = loop.sleep(for: .untilCancelled).promise().map { 1 }.ensure { log("rest") }
      when(fulfilled: [slow, loop.failingLater()], cancellingRest: true).catch { log("\($0)") }
    }
  }

  @Test func aRaceMayCancelTheLosers() async throws {
    let log = try await program { loop, log in
      let slow = loop.sleep(for: .untilCancelled).promise().map { 1 }.ensure { log("loser") }
      let winner = loop.later(2)
      let kept = loop.later(3, milliseconds: 4)
      kept.done { log("kept \($0)") }.cauterize()
      race([slow, winner, kept], cancellingRest: true).done { log("winner \($0)") }.cauterize()
    }
    #expect(log == ["loser", "winner 2", "kept 3"] || log == ["winner 2", "loser", "kept 3"])
  }

  @Test func aTasksCancellationReachesThePromise() async throws {
    try await asyncProgram(logs: ["ensure", "true"]) { loop, log in
      let task = loop.spawn { () async -> Void in
        do { try await loop.sleep(for: .untilCancelled).promise().ensure { log("ensure") }.async() } catch {
          log("\(error.isCancelled)")
        }
      }
      try await loop.sleep(for: .milliseconds(1)).value
      task.cancel()
      await task.value
    }
  }

  @Test func aTasksCancellationSparesOthers() async throws {
    try await asyncProgram(logs: ["true", "Optional(1)"]) { loop, log in
      let (shared, seal) = Promise<Int>.pending()
      let task = loop.spawn { () async -> Void in
        do { _ = try await shared.async() } catch { log("\(error.isCancelled)") }
      }
      let other = loop.spawn { () async -> Void in log("\((try? await shared.async()) as Int?)") }
      try await loop.sleep(for: .milliseconds(1)).value
      task.cancel()
      await task.value
      seal.fulfill(1)
      await other.value
    }
  }

  @Test func aPromisesCancellationReachesItsTask() async throws {
    try await asyncProgram(logs: ["true"]) { loop, log in
      let promise = Promise {
        do { try await loop.sleep(for: .untilCancelled).value } catch {
          log("\(error.isCancelled)")
          throw error
        }
      }
      try await loop.sleep(for: .milliseconds(1)).value
      promise.cauterizeSilently()
      promise.cancel()
    }
  }

  @Test("a failed chain that recovers fails with its cancellation, unless it recovers from that as well")
  func recovered() async throws {
    try await program(logsInAnyOrder: [
      "cancelled before: the promise was cancelled", "guarantee: Boom(number: 2)",
      "nobody recovers: Boom(number: 0)", "on a queue: the promise was cancelled",
      "recover: the promise was cancelled", "void: the promise was cancelled", "went on",
    ]) { _, log in
      func check(_ name: String, _ chain: (Promise<Int>) -> Promise<Void>) {
        chain(Promise(error: Boom())).catch(policy: .allErrors) { log("\(name): \($0)") }.cancel()
      }
      check("recover") { failed in
        failed.recover { _ -> Promise<Int> in
          log("never")
          return .value(2)
        }.done { _ in log("never") }
      }
      check("guarantee") { failed in
        failed.recover { _ in Guarantee.value(2) }.then { _ in Promise<Void>(error: Boom(number: 2)) }
      }
      check("void") { failed in
        failed.asVoid().recover { error throws in log("never") }.done { log("never") }
      }
      check("all errors") { failed in
        failed.recover(policy: .allErrors) { _ in Promise.value(2) }.map { $0 }.done { _ in log("went on") }
      }
      check("on a queue") { failed in
        failed.recover(on: .global()) { _ -> Promise<Int> in .value(2) }.done { _ in log("never") }
      }
      check("nobody recovers") { failed in failed.map { $0 }.done { _ in log("never") } }
      let passing = Promise<Int>(error: PMKError.cancelled).recover { _ -> Promise<Int> in .value(2) }
      passing.done { _ in log("never") }.catch(policy: .allErrors) { log("cancelled before: \($0)") }
        .cancel(with: Boom(number: 1))
    }
  }

  @Test("a chain is cancelled by its end, with an error of one's own, and by what finally returns")
  func ends() async throws {
    try await program(logs: ["true", "true", "first Boom(number: 0)", "second true", "finally"]) {
      loop, log in
      let first = after(.seconds(1000)).then { Promise.value(1) }
        .catch(policy: .allErrors) { log("first \($0)") }
      first.cancel(with: Boom())
      log("\(first.cancelContext.cancelAttempted)")
      let second = after(.seconds(1000)).then { Promise.value(1) }
        .catch(policy: .allErrors) { log("second \($0.isCancelled)") }.finally { log("finally") }
      second.cancel()
      log("\(second.cancelAttempted)")
    }
  }

  @Test func `a promise that was cancelled says that this was attempted`() async throws {
    try await program(logs: ["false", "true true"]) { _, log in
      let promise = after(.seconds(1000)).then { Promise.value(1) }
      promise.cauterizeSilently()
      log("\(promise.cancelContext.cancelAttempted)")
      promise.cancel()
      log("\(promise.cancelContext.cancelAttempted) \(promise.cancelContext.isCancelled)")
    }
  }

  @Test func `ensureThen waits for a promise, is cancelled with it, and fails if it does`() async throws {
    try await program(logsInAnyOrder: ["1", "Boom(number: 1)", "ensured", "true"]) { _, log in
      Promise.value(1).ensureThen { after(.zero).done { log("ensured") }.cancellize() }
        .done { log("\($0)") }.cauterize()
      Promise<Int>(error: Boom()).ensureThen { Promise<Void>(error: Boom(number: 1)) }
        .catch { log("\($0)") }
      let chain = Promise.value(2).ensureThen { after(.seconds(1000)).cancellize() }
      chain.catch(policy: .allErrors) { log("\($0.isCancelled)") }
      after(.milliseconds(1)).done { chain.cancel() }
    }
  }

  @Test func aShutdownRejectsWhatIsPending() async throws {
    let log = Log<String>()
    try await withThread {
      Reports().install()
      let loop = try EventLoop()
      loop.sleep(for: .untilCancelled).promise().catch(policy: .allErrors) { log("\($0.isCancelled)") }
      after(.seconds(1000)).done { log("never") }
      loop.shutdown()
    }
    #expect(log.values == ["true"])
  }
}
