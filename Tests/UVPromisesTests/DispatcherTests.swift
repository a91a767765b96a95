import Dispatch
import Foundation
import Testing
import UV
import UVPromises
import UVTestSupport

/// Where handlers run.
@Suite struct DispatcherTests {
  @Test func `A dispatch queue, and back`() async throws {
    try await program(logs: [
      "off the loop: true", "get 20", "ensure", "20 true", "Boom(number: 0) false", "true",
    ]) { loop, log in
      let executor = loop.executor
      loop.later(1).map(on: DispatchQueue.global()) { value in
        log("off the loop: \(!executor.isOnLoop)")
        return value + 1
      }.then(on: .global()) { value in
        Promise.value(value * 10)
      }.get(on: .global()) { value in
        log("get \(value)")
      }.ensure(on: .global()) {
        log("ensure")
      }.done { value in
        log("\(value) \(executor.isOnLoop)")
        throw Boom()
      }.catch(on: .global()) { error in
        log("\(error) \(executor.isOnLoop)")
      }.finally { log("\(executor.isOnLoop)") }
    }
  }

  @Test func `What throws elsewhere rejects here`() async throws {
    try await program(logsInAnyOrder: ["compactMap", "false", "guarantee 2"]) { loop, log in
      loop.later(1).map(on: .global()) { _ -> Int in throw Boom() }.recover(on: .global()) { _ in
        Promise.value(3)
      }
      .compactMap(on: .global()) { $0 == 3 ? nil : $0 }
      .tap(on: .global()) { log("\($0.isFulfilled)") }
      .catch { if case PMKError.compactMap = $0 { log("compactMap") } }
      Guarantee.value(1).map(on: .global()) { $0 + 1 }.done(on: .global()) { log("guarantee \($0)") }
    }
  }

  @Test func `Inline handlers`() async throws {
    try await program(logs: ["before", "2", "after", "current thread 1"]) { _, log in
      let (promise, seal) = Promise<Int>.pending()
      promise.map(on: nil) { $0 + 1 }.done(on: .inline) { log("\($0)") }.cauterize()
      log("before")
      seal.fulfill(1)
      log("after")
      Promise.value(1).map(on: CurrentThreadDispatcher()) { $0 }.done { log("current thread \($0)") }
        .cauterize()
    }
  }

  @Test func `conf.Q says how handlers run that name no dispatcher`() async throws {
    try await program(logs: ["done 2", "finally", "settled", "attached", "microtask 1", "done 5"]) { _, log in
      let before = conf.Q
      #expect(before.map == .microtask && before.return == .microtask)
      defer { conf.Q = before }
      conf.Q = (map: nil, return: .inline)
      let (promise, seal) = Promise<Int>.pending()
      promise.map { $0 + 1 }.done { log("done \($0)") }.catch { _ in }.finally { log("finally") }
      promise.map(on: .microtask) { $0 }.done { log("microtask \($0)") }.cauterize()
      seal.fulfill(1)
      log("settled")
      conf.Q.map = .microtask
      Promise.value(5).map { $0 }.done { log("done \($0)") }.cauterize()
      log("attached")
    }
  }

  @Test func `Another loop`() async throws {
    try await program(logs: ["true false", "true"]) { loop, log in
      let executor = loop.executor
      let other = Log<LoopExecutor>()
      let started = DispatchSemaphore(value: 0)
      let ended = DispatchSemaphore(value: 0)
      Thread {
        EventLoop.runCallbacks { (loop: EventLoop) throws(Never) in
          other.append(loop.executor)
          loop.sleep(for: .untilCancelled) { _ in }
          started.signal()
        }
        ended.signal()
      }.start()
      started.wait()
      let there = other.values[0]
      loop.later(1).map(on: there) { value in
        log("\(there.isOnLoop) \(executor.isOnLoop)")
        return value
      }.done { _ in log("\(executor.isOnLoop)") }.ensure {
        there.stop()
        ended.wait()
      }.cauterize()
    }
  }

  @Test func `Limits of concurrency and rate`() async throws {
    let running = Log<Int>()
    try await program(logsInAnyOrder: ["[1, 2, 3, 4, 5, 6, 7, 8]", "loose true", "strict true"]) {
      loop, log in
      let lock = NSLock()
      nonisolated final class Count: Sendable { let values = Log<Int>() }
      let two = ConcurrencyLimitedDispatcher(limit: 2, on: DispatchQueue.global())
      let inside = DispatchSemaphore(value: 2)
      when(
        fulfilled: (1...8).map { number in
          Promise.value(number).map(on: two) { number in
            let free = inside.wait(timeout: .now())
            running.append(free == .success ? 1 : 99)
            inside.signal()
            return number
          }
        }
      ).done { log("\($0)") }.cauterize()
      _ = lock
      let start = ContinuousClock.now
      let strict = StrictRateLimitedDispatcher(maxDispatches: 2, perInterval: 0.02)
      when(fulfilled: (1...5).map { Promise.value($0).map(on: strict) { $0 } }).done { _ in
        log("strict \(ContinuousClock.now - start >= .milliseconds(40))")
      }.cauterize()
      let loose = RateLimitedDispatcher(maxDispatches: 2, perInterval: 0.02)
      when(fulfilled: (1...5).map { Promise.value($0).map(on: loose) { $0 } }).done { _ in
        log("loose \(ContinuousClock.now - start >= .milliseconds(20))")
      }.cauterize()
    }
    #expect(running.values == Array(repeating: 1, count: 8))
  }

  @Test func `No more handlers than the limit are handed on before one has ended`() {
    let (held, ran) = (HeldDispatcher(), Log<Int>())
    let two = ConcurrencyLimitedDispatcher(limit: 2, on: held)
    for number in 0..<5 { two.dispatch { ran.append(number) } }
    for done in 1...5 {
      #expect(held.bodies.values.count == min(done + 1, 5))
      held.bodies.values[done - 1]()
      #expect(ran.values == Array(0..<done))
    }
  }

  @Test("a handler's period of a strict rate begins when the handler starts, not when it is handed on")
  func strictFromTheStart() async throws {
    let held = HeldDispatcher()
    let strict = StrictRateLimitedDispatcher(maxDispatches: 2, perInterval: 0.01, on: held)
    for _ in 0..<5 { strict.dispatch {} }
    // Three periods, in which nothing starts.
    try await Task.sleep(for: .milliseconds(30))
    #expect(held.bodies.values.count == 2)
    for started in 0..<5 {
      while held.bodies.values.count <= started { try await Task.sleep(for: .milliseconds(1)) }
      held.bodies.values[started]()
    }
    #expect(held.bodies.values.count == 5)
  }

  /// Keeps what it is given.
  private final class HeldDispatcher: Dispatcher {
    let bodies = Log<@Sendable () -> Void>()
    func dispatch(_ body: @escaping @Sendable () -> Void) { bodies.append(body) }
  }
}
