import Testing
import UV
import UVPromises
import UVTestSupport

/// What the best peers add.
@Suite struct PeerTests {
  @Test func allAndAllSettled() async throws {
    try await program(logsInAnyOrder: ["[2, 1]", "[false, true]"]) { loop, log in
      all([loop.later(2, milliseconds: 2), loop.later(1)]).done { log("\($0)") }.cauterize()
      allSettled([loop.failingLater(), loop.later(1)]).done { log("\($0.map(\.isFulfilled))") }
    }
  }

  @Test func anyGathersTheErrors() async throws {
    try await program(logsInAnyOrder: [
      "0", "2", "[UVPromisesTests.Boom(number: 1), UVPromisesTests.Boom(number: 2)]",
    ]) { loop, log in
      any([loop.failingLater(Boom(number: 1), milliseconds: 3), loop.later(2)]).done { log("\($0)") }
        .cauterize()
      any([loop.failingLater(Boom(number: 1), milliseconds: 3), loop.failingLater(Boom(number: 2))]).catch {
        if case PMKError.aggregate(let errors) = $0 { log("\(errors)") }
      }
      any([Promise<Int>]()).catch { if case PMKError.aggregate(let errors) = $0 { log("\(errors.count)") } }
    }
  }

  @Test func retryBacksOff() async throws {
    let backoff = Backoff.exponential(from: .milliseconds(125), by: 2, upTo: .milliseconds(600))
    #expect(
      (1...4).map { backoff.duration(afterFailures: $0) } == [125, 250, 500, 600].map { .milliseconds($0) })
    for _ in 0..<100 {
      let pause = backoff.jittered(0.5).duration(afterFailures: 1)
      #expect(pause >= .milliseconds(62) && pause <= .milliseconds(125))
    }
    let log = try await program { loop, log in
      var count = 0
      retry(attempts: 4, delay: .constant(.milliseconds(1))) { () -> Promise<Int> in
        count += 1
        return count < 3 ? loop.failingLater() : loop.later(count)
      }.done { log("\($0)") }.cauterize()
      retry(attempts: 5, delay: .none, condition: { left, _ in left > 2 }) { () -> Promise<Int> in
        log("attempt")
        return loop.failingLater(milliseconds: 20)
      }.catch { log("\($0)") }
    }
    // The two run side by side.
    #expect(log.filter { $0 != "3" } == ["attempt", "attempt", "attempt", "Boom(number: 0)"])
    #expect(log.contains("3"))
  }

  @Test func cancellingARetryEndsIt() async throws {
    try await program(logs: ["attempt", "true"]) { loop, log in
      let promise = retry(attempts: 100, delay: .constant(.seconds(1000))) { () -> Promise<Int> in
        log("attempt")
        return loop.failingLater()
      }
      promise.catch(policy: .allErrors) { log("\($0.isCancelled)") }
      after(.milliseconds(5)).done { promise.cancel() }
    }
  }

  @Test func delayValidateReduceFoldZip() async throws {
    try await program(logsInAnyOrder: [
      "Boom(number: 9)", "[(1, \"sequences\")]", "always", "delay 1", "fold abc", "reduce 10",
      "the value was refused by a validation",
      "valid 2", "zip 1 true", "zip 1 x",
    ]) { loop, log in
      Promise.value(1).delay(.milliseconds(1)).done { log("delay \($0)") }.cauterize()
      Promise.value(1).validate { $0 > 1 }.catch { log("\($0)") }
      Promise.value(2).validate { $0 > 1 }.done { log("valid \($0)") }.cauterize()
      Promise.value(1).reduce([2, 3, 4]) { sum, item in loop.later(sum + item) }.done { log("reduce \($0)") }
        .cauterize()
      Promise.value("a").fold([loop.later("b"), loop.later("c")], +).done { log("fold \($0)") }.cauterize()
      zip(loop.later(1), loop.later("x")).done { log("zip \($0) \($1)") }.cauterize()
      log("\(Array(zip([1], ["sequences"])))")
      loop.later(1).zip(Guarantee.value(true)).done { log("zip \($0) \($1)") }.cauterize()
      loop.later(1).always { log("always") }.cauterize()
      loop.failingLater().mapError { _ in Boom(number: 9) }.catch { log("\($0)") }
    }
  }

  @Test func withResolvers() async throws {
    try await program(logs: ["1"]) { _, log in
      let (promise, resolve, reject) = Promise<Int>.withResolvers()
      promise.done { log("\($0)") }.cauterize()
      resolve(1)
      reject(Boom())
    }
  }

  @Test func aLongReductionNeedsNoStack() async throws {
    try await program(logs: ["5000050000"]) { _, log in
      Promise.value(0).reduce(1...100_000) { Promise.value($0 + $1) }.done { log("\($0)") }.cauterize()
    }
  }
}
