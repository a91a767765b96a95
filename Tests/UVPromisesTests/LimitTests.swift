import Testing
import UV
import UVPromises
import UVTestSupport

/// What `timeout(after:)` of a promise does: the same as a race with a timer that cancels the loser.
@Suite struct LimitTests {
  private static let timedOut = "the time allowed for the promise was up"

  @Test("A promise that is settled already settles the limited one at once, and starts no timer")
  func settledAlready() async throws {
    try await program(logs: ["0 fulfilled(1)", "1", "Boom(number: 0)"]) { loop, log in
      let value = Promise.value(1).timeout(after: .seconds(1000))
      let error = Promise<Int>(error: Boom()).timeout(after: .seconds(1000))
      log("\(loop.statistics.timers) \(value.result.map { "\($0)" } ?? "pending")")
      value.done { log("\($0)") }.cauterize()
      error.catch { log("\($0)") }
    }
  }

  @Test func `A promise that is kept drops the timer`() async throws {
    try await program(logs: ["1", "1 0"]) { loop, log in
      let (promise, seal) = Promise<Int>.pending()
      promise.timeout(after: .seconds(1000)).done { log("\($0) \(loop.statistics.timers)") }.cauterize()
      log("\(loop.statistics.timers)")
      loop.queueMicrotask { seal.fulfill(1) }
    }
  }

  @Test func `A promise that somebody else waits for goes on when the limit is reached`() async throws {
    try await program(logs: [Self.timedOut, "other 1"]) { loop, log in
      let (promise, seal) = Promise<Int>.pending()
      promise.done { log("other \($0)") }.cauterize()
      promise.timeout(after: .zero).done { _ in log("never") }.catch {
        log("\($0)")
        seal.fulfill(1)
      }
    }
  }

  @Test func `A promise that nobody can resolve any more times out all the same`() async throws {
    try await program(logs: [Self.timedOut]) { loop, log in
      let lost = after(.seconds(1000))
      lost.map { 1 }.timeout(after: .milliseconds(1)).catch { log("\($0)") }
      lost.cancel()
    }
  }

  @Test func `Cancelling the limited promise cancels the operation, and leaves no timer`() async throws {
    try await program(logsInAnyOrder: ["ensure", "true 0"]) { loop, log in
      let work = loop.sleep(for: .untilCancelled).promise().ensure { log("ensure") }
      let limited = work.timeout(after: .seconds(1000))
      limited.catch(policy: .allErrors) { log("\($0.isCancelled) \(loop.statistics.timers)") }
      limited.cancel()
    }
  }

  @Test("A handler upstream that recovers doesn't keep a limited promise from being cancelled")
  func cancelledPastARecovery() async throws {
    try await program(logs: ["true"]) { loop, log in
      let work = loop.sleep(for: .untilCancelled).promise().map { 1 }.recover(policy: .allErrors) { _ in
        Guarantee.value(2)
      }
      let limited = work.timeout(after: .seconds(1000))
      limited.done { log("\($0)") }.catch(policy: .allErrors) { log("\($0.isCancelled)") }
      limited.cancel()
    }
  }

  @Test func `A limit on a limit, and on a promise that a handler returns`() async throws {
    try await program(logsInAnyOrder: ["2 0", Self.timedOut]) { loop, log in
      loop.later(1).timeout(after: .seconds(1000)).timeout(after: .seconds(1000)).then { value in
        loop.later(value + 1).timeout(after: .seconds(1000))
      }.done { log("\($0) \(loop.statistics.timers)") }.cauterize()
      loop.sleep(for: .untilCancelled).promise().timeout(after: .seconds(1000)).timeout(after: .zero)
        .catch { log("\($0)") }
    }
  }

  @Test func `A loop that is shut down meanwhile leaves nothing behind`() async throws {
    try await withThread {
      weak var object: AnyObject?
      do {
        let loop = try EventLoop()
        loop.runCallbacks { loop in
          let marker = Marker()
          object = marker
          let (promise, seal) = Promise<Int>.pending()
          promise.timeout(after: .seconds(1000)).ensure { _ = marker }.cauterize()
          loop.sleep(for: .zero) { _ in
            _ = seal
            loop.stop()
          }
        }
        loop.shutdown()
      }
      #expect(object == nil)
    }
  }
}

private final class Marker {}
