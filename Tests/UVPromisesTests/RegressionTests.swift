import Testing
import UV
import UVPromises
import UVTestSupport

/// What has gone wrong once.
@Suite struct PromiseRegressionTests {
  @Test func `A guarantee whose waiter was cancelled is waited for by the next one`() async throws {
    try await asyncProgram(logs: ["the time allowed for the promise was up", "1"]) { loop, log in
      let (guarantee, seal) = Guarantee<Int>.pending()
      do { _ = try await guarantee.timeout(after: .milliseconds(1)).async() } catch { log("\(error)") }
      loop.queueMicrotask { seal(1) }
      log("\(await guarantee.async())")
    }
  }

  @Test func `A promise made from a guarantee can be cancelled`() async throws {
    try await asyncProgram(logs: ["task true", "catch true", "finally", "firstly true"]) { loop, log in
      let task = loop.spawn { () async throws -> Void in
        try await after(.seconds(1000)).cancellize().async()
      }
      try await loop.sleep(for: .zero).value
      task.cancel()
      do { try await task.value } catch { log("task \(error.isCancelled)") }

      let end = after(.seconds(1000)).cancellize().catch(policy: .allErrors) {
        log("catch \($0.isCancelled)")
      }
      let done = Promise<Void> { seal in end.finally { seal.fulfill(()) } }
      end.cancel()
      try await done.async()
      log("finally")

      let chain: Promise<Void> = firstly { after(.seconds(1000)) }
      chain.cancel()
      do { try await chain.async() } catch { log("firstly \(error.isCancelled)") }
    }
  }

  @Test func `Below a guarantee that gathers, a chain is cancelled as below any other`() async throws {
    try await program(logsInAnyOrder: [
      "race ensure", "race true", "settled ensure", "settled true", "when ensure", "when true",
    ]) { loop, log in
      func watch(_ name: String, _ chain: Promise<Int>) {
        let last = chain.ensure { log("\(name) ensure") }
        last.catch(policy: .allErrors) { log("\(name) \($0.isCancelled)") }
        last.cancel()
      }
      watch(
        "when", when(guarantees: [after(.seconds(1000)), after(.seconds(1000))]).then { Promise.value(1) })
      watch("race", race(after(.seconds(1000)), after(.seconds(1000))).then { Promise.value(1) })
      let parts = [loop.sleep(for: .untilCancelled).promise()]
      watch(
        "settled",
        when(resolved: parts).then { (_: [PMKResult<Void>]) -> Promise<Int> in
          log("never")
          return .value(1)
        })
    }
  }

  @Test("A gathering ends when all that is left of it is lost, in either order", arguments: [true, false])
  func aGatheringWithALostPart(losesFirst: Bool) async throws {
    let (log, _) = try await programWithReports { loop, log in
      let (part, resolver) = Promise<Int>.pending()
      var lost: Resolver<Int>?
      let gathered: Promise<[Int]>
      do {
        let other = Promise<Int> { lost = $0 }
        gathered = when(fulfilled: [part, other])
      }
      loop.spawn {
        do { _ = try await gathered.async() } catch { log("\(error)") }
      }
      loop.queueMicrotask {
        if losesFirst { lost = nil }
        resolver.fulfill(1)
        loop.queueMicrotask { if lost != nil { lost = nil } }
      }
    }
    #expect(log == ["\(PMKError.abandoned)"])
  }

  @Test func `A loop that ends fails its pending promises in the order in which they were made`() async throws
  {
    let (log, kept) = (Log<Int>(), Log<Resolver<Int>>())
    try await withThread {
      EventLoop.runCallbacks { loop in
        Reports().install()
        let pending = (0..<6).map { _ in Promise<Int>.pending() }
        for (number, (promise, resolver)) in pending.enumerated() {
          kept.append(resolver)
          loop.spawn { do { _ = try await promise.async() } catch { log.append(number) } }
        }
        loop.sleep(for: .zero) { _ in
          pending[1].resolver.fulfill(1)
          pending[2].promise.cancel()
          loop.stop()
        }
      }
    }
    #expect(log.values == [2, 0, 3, 4, 5])
  }

  @Test func `A cancelled attempt is not tried again`() async throws {
    try await program(logs: ["attempt", "retry", "true", "true"]) { loop, log in
      let plain = attempt(delayBeforeRetry: .zero) { () -> Promise<Void> in
        log("attempt")
        return loop.sleep(for: .untilCancelled).promise()
      }
      plain.catch(policy: .allErrors) { log("\($0.isCancelled)") }
      let eager = retry(attempts: 9, delay: .none, condition: { _, _ in true }) { () -> Promise<Void> in
        log("retry")
        return loop.sleep(for: .untilCancelled).promise()
      }
      eager.catch(policy: .allErrors) { log("\($0.isCancelled)") }
      loop.queueMicrotask {
        plain.cancel()
        eager.cancel()
      }
    }
  }

  @Test func `A handler that cancels a later one of the same promise stops it`() async throws {
    try await program(logs: ["first", "true"]) { loop, log in
      let (promise, seal) = Promise<Int>.pending()
      var third: Promise<Void>?
      promise.done { _ in log("first") }.cauterize()
      promise.done { _ in third?.cancel() }.cauterize()
      third = promise.done { _ in log("never") }
      third?.catch(policy: .allErrors) { log("\($0.isCancelled)") }
      seal.fulfill(1)
    }
  }

  @Test func `A promise drawn by when(concurrently:) that is lost ends the wait`() async throws {
    let (log, reports) = try await programWithReports { loop, log in
      var lost: Resolver<Int>?
      let gathered: Promise<[Int]>
      do {
        let parts = AnyIterator { lost == nil ? Promise<Int> { lost = $0 } : nil }
        gathered = when(fulfilled: parts, concurrently: 1)
      }
      loop.spawn {
        do { _ = try await gathered.async() } catch { log("\(error)") }
      }
      loop.queueMicrotask { lost = nil }
    }
    #expect(log == ["\(PMKError.abandoned)"])
    #expect(!reports.events.values.isEmpty)
  }

  @Test func `Cancelling below when(resolved:concurrently:) stops the drawing`() async throws {
    try await program(logs: ["draw", "draw", "true"]) { loop, log in
      let draws = AnyIterator { () -> Promise<Void>? in
        log("draw")
        return loop.sleep(for: .untilCancelled).promise()
      }
      let chain = when(resolved: draws, concurrently: 2).then { _ in Promise.value(1) }
      chain.catch(policy: .allErrors) { log("\($0.isCancelled)") }
      loop.queueMicrotask { chain.cancel() }
    }
  }

  @Test func `A chain that waits for itself can be cancelled`() async throws {
    try await program(logs: ["came back"]) { loop, log in
      let (root, seal) = Promise<Int>.pending()
      var promise: Promise<Int>!
      promise = root.then { _ in promise.map { $0 } }
      seal.fulfill(1)
      after(.milliseconds(1)).done {
        promise.cancel()
        log("came back")
      }
    }
  }

  @Test("Times that no clock has are clamped", arguments: [Double.infinity, -.infinity, .nan, 1e300, -1e300])
  func clampedTimes(seconds: Double) async throws {
    try await program(logs: []) { loop, log in
      let isLong = seconds > 0
      let waits = [after(seconds: seconds).asVoid(), loop.later((), milliseconds: 20).timeout(seconds)]
      for wait in waits {
        Promise(wait).done { if isLong { log("early") } }.catch { _ in if isLong { log("early") } }
      }
      if isLong { loop.queueMicrotask { for wait in waits { wait.cancel() } } }
      #expect(Backoff.exponential(from: .seconds(1), by: seconds).duration(afterFailures: 9) <= .seconds(60))
      #expect(Backoff.constant(.seconds(1)).jittered(seconds).duration(afterFailures: 1) <= .seconds(1))
    }
  }

  @Test("What would have been cancelled is let go when a promise is resolved, however it is")
  func operationsAreForgotten() async throws {
    final class Token {}
    _ = try await program { loop, _ in
      weak var (thrown, sent): (Token?, Token?)
      let failed = Promise<Int> { seal in
        let token = Token()
        thrown = token
        seal.onCancel { _ = token }
        throw Boom()
      }
      failed.cauterizeSilently()
      #expect(thrown == nil)
      let (promise, seal) = Promise<Int>.pending()
      do {
        let token = Token()
        sent = token
        seal.onCancel { _ = token }
      }
      let remote = seal
      promise.done { _ in #expect(sent == nil) }.cauterize()
      #expect(sent != nil)
      remote.fulfill(1)
    }
  }
}
