import Testing
import UV
import UVPromises
import UVTestSupport

/// `pipe` on a pending promise is kept inside it; whatever else happens to the promise, it is called once, in
/// its turn.
@Suite struct ObserverTests {
  @Test func itIsToldBeforeThoseThatCameLater() async throws {
    let log = try await program { _, log in
      for outcome in [PMKResult.fulfilled(7), .rejected(Boom())] {
        let (promise, seal) = Promise<Int>.pending()
        promise.pipe { log("first \($0.value ?? 0)") }
        promise.pipe { log("second \($0.value ?? 0)") }
        promise.done { log("third \($0)") }.catch { _ in log("third failed") }
        log("\(promise.debugDescription)")
        seal.resolve(outcome)
        log("resolved")
      }
    }
    let pending = "Promise<Int>.pending(handlers: 3)"
    #expect(
      log == [
        pending, "first 7", "second 7", "resolved", pending, "first 0", "second 0", "resolved", "third 7",
        "third failed",
      ])
  }

  @Test func aLargeValueAndAnErrorReachIt() async throws {
    try await program(logs: ["(1, 2, 3, 4, \"five\")", "Boom(number: 3)"]) { _, log in
      let (large, seal) = Promise<(Int, Int, Int, Int, String)>.pending()
      large.pipe { log("\($0.value!)") }
      seal.fulfill((1, 2, 3, 4, "five"))
      let (failing, rejected) = Promise<String>.pending()
      failing.pipe { log("\($0.error!)") }
      rejected.reject(Boom(number: 3))
    }
  }

  @Test func itIsLetGoWithThePromise() async throws {
    final class Witness {}
    let (log, reports) = try await programWithReports { loop, log in
      weak var lost: Witness?
      do {
        let held = Witness()
        lost = held
        Promise<Int>.pending().promise.map { $0 }.pipe { _ in log("\(held)") }
      }
      // When the turn has ended.
      loop.sleep(for: .zero) { _ in log("\(lost == nil)") }
      weak var witness: Witness?
      do {
        let held = Witness()
        witness = held
        let (promise, seal) = Promise<Int>.pending()
        promise.pipe { _ in log("called \(held)".isEmpty ? "" : "called") }
        seal.fulfill(1)
      }
      log("\(witness == nil)")
    }
    #expect(log == ["called", "true", "true"])
    #expect(reports.events.values.count == 1)
  }

  @Test func aMillionOfThemThatResolveEachOther() async throws {
    try await program(logs: ["5"]) { _, log in
      let (first, seal) = Promise<Int>.pending()
      var last = first
      for _ in 0..<1_000_000 {
        let (next, seal) = Promise<Int>.pending()
        last.pipe { seal.resolve($0) }
        last = next
      }
      last.pipe { log("\($0.value!)") }
      seal.fulfill(5)
    }
  }

  @Test func cancellingEndsInIt() async throws {
    try await program(logs: ["true"]) { loop, log in
      let sleep = loop.sleep(for: .untilCancelled).promise()
      sleep.pipe { log("\($0.error?.isCancelled ?? false)") }
      sleep.cancel()
    }
  }
}
