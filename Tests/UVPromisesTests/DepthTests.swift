import Foundation
import Testing
import UV
import UVPromises
import UVTestSupport

/// Neither the stack nor the memory bounds the length of a chain. The threads of these tests have stacks of 8
/// MiB, or of less: what a `Thread` has by default.
@Suite struct DepthTests {
  @Test func aChainOfAMillionThens() async throws {
    try await program(logs: ["1000000"]) { _, log in
      let (promise, seal) = Promise<Int>.pending()
      var end = promise
      for _ in 0..<1_000_000 { end = end.then { Promise.value($0 + 1) } }
      end.done { log("\($0)") }.cauterize()
      seal.fulfill(0)
    }
  }

  /// A chain that no recursion could go down on a stack of 8 MiB; shorter in a debug build, to save time.
  private static var length: Int {
    #if DEBUG
    250_000
    #else
    1_000_000
    #endif
  }

  @Test func aLongChainOfInlineHandlers() async throws {
    try await program(logs: ["\(Self.length)"]) { _, log in
      let (promise, seal) = Promise<Int>.pending()
      var end = promise
      for _ in 0..<Self.length { end = end.map(on: nil) { $0 + 1 } }
      end.done { log("\($0)") }.cauterize()
      seal.fulfill(0)
    }
  }

  @Test func aLongChainThatIsRejected() async throws {
    try await program(logs: ["Boom(number: 0)"]) { _, log in
      let (promise, seal) = Promise<Int>.pending()
      var end = promise
      for _ in 0..<Self.length { end = end.map { $0 + 1 } }
      end.catch { log("\($0)") }
      seal.reject(Boom())
    }
  }

  @Test(
    "A deep chain of timeouts, whens or races is cancelled without a stack, and its beginning is stopped",
    arguments: ["timeout", "when", "race", "settled", "any"])
  func aDeepChainOfOthersThatIsCancelled(kind: String) async throws {
    try await program(logs: ["stopped", "true"]) { _, log in
      let (beginning, seal) = Promise<Int>.pending()
      seal.onCancel { log("stopped") }
      var end = beginning
      for _ in 0..<80_000 {
        switch kind {
        case "timeout": end = end.timeout(after: .seconds(1000))
        case "when": end = when(fulfilled: [end]).map(on: nil) { $0[0] }
        case "race": end = race([end])
        case "any": end = any([end])
        default: end = Promise(when(resolved: [end])).map(on: nil) { try $0[0].get() }
        }
      }
      end.catch(policy: .allErrors) { log("\($0.isCancelled)") }
      end.cancel()
    }
  }

  @Test func aLongChainThatIsDroppedAndOneThatIsCancelled() async throws {
    let (log, reports) = try await programWithReports { loop, log in
      var dropped = Promise<Int>.pending().promise
      for _ in 0..<Self.length { dropped = dropped.map { $0 + 1 } }
      var cancelled = loop.sleep(for: .untilCancelled).promise().map { 0 }
      for _ in 0..<Self.length { cancelled = cancelled.map { $0 + 1 } }
      cancelled.catch(policy: .allErrors) { log("\($0.isCancelled)") }
      cancelled.cancel()
    }
    #expect(log == ["true"])
    #expect(reports.events.values.count == 1)
  }

  @Test func aRecursionOfAMillionPromises() async throws {
    try await program(logs: ["1000000"]) { loop, log in
      func count(_ number: Int) -> Promise<Int> {
        Promise.value(number).then { $0 == 1_000_000 ? .value($0) : count($0 + 1) }
      }
      count(0).done { log("\($0)") }.cauterize()
    }
  }

  @Test func aRecursionInWhichAllPromisesAreKept() async throws {
    try await program(logs: ["100000 100001"]) { _, log in
      var kept: [Promise<Int>] = []
      func count(_ number: Int) -> Promise<Int> {
        let promise = Promise.value(number).then { $0 == 100_000 ? .value($0) : count($0 + 1) }
        kept.append(promise)
        return promise
      }
      count(0).done { log("\($0) \(kept.count)") }.cauterize()
    }
  }

  @Test func whenOfAHundredThousand() async throws {
    try await program(logs: ["4999950000"]) { _, log in
      let all = (0..<100_000).map { _ in Promise<Int>.pending() }
      when(fulfilled: all.map(\.promise)).done { log("\($0.reduce(0, +))") }.cauterize()
      for (index, pending) in all.enumerated() { pending.resolver.fulfill(index) }
    }
  }

  @Test func manyHandlersOnOnePromise() async throws {
    try await program(logs: ["\(Self.length)"]) { _, log in
      let (promise, seal) = Promise<Int>.pending()
      var sum = 0
      for _ in 0..<Self.length { promise.pipe { sum += $0.value! } }
      seal.fulfill(1)
      log("\(sum)")
    }
  }

  /// Two minutes in a debug build, so fewer there unless asked for, as the continuous integration does; a
  /// loop that grew would show it as well.
  private static let steps: Int = {
    #if DEBUG
    ProcessInfo.processInfo.environment["UV_STRESS"] == nil ? 500_000 : 10_000_000
    #else
    10_000_000
    #endif
  }()

  @Test func aLoopOfTenMillionStepsNeedsConstantMemory() async throws {
    try await program(logs: ["\(Self.steps + 1)", "constant"]) { _, log in
      var before = 0
      var steps = 0
      func again() -> Promise<Void> {
        Promise.value(steps).then { number -> Promise<Void> in
          steps = number + 1
          if number == Self.steps / 10 { before = residentMemory() }
          return number == Self.steps ? .value : again()
        }
      }
      again().done {
        let grown = residentMemory() - before
        log("\(steps)")
        log(grown < 8 << 20 ? "constant" : "grew by \(grown)")
      }.cauterize()
    }
  }

  @Test func aLoopThatRacesALongLivedPromiseNeedsConstantMemory() async throws {
    try await program(logs: ["constant", "Promise<Int>.pending(handlers: 0)"]) { _, log in
      let (stop, seal) = Promise<Int>.pending()
      var before = 0
      var steps = 0
      func again() -> Promise<Int> {
        race(stop, Promise.value(1)).then { _ -> Promise<Int> in
          steps += 1
          if steps == Self.steps / 100 { before = residentMemory() }
          return steps == Self.steps / 10 ? .value(steps) : again()
        }
      }
      again().done { _ in
        let grown = residentMemory() - before
        log(grown < 8 << 20 ? "constant" : "grew by \(grown)")
        log(String(reflecting: stop))
        seal.fulfill(0)
      }.cauterize()
    }
  }
}

/// Bytes of memory that the process has at the moment; 0 where the system does not say so in this way.
private func residentMemory() -> Int {
  guard let text = try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8) else { return 0 }
  let pages = text.split(separator: " ")
  return pages.count > 1 ? (Int(pages[1]) ?? 0) * 4096 : 0
}
