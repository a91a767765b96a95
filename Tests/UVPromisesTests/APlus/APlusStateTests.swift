import Testing
import UV
import UVPromises
import UVTestSupport

/// Promises/A+ 2.1: states. (2.1.1, that a pending promise may change its state, is in every other test.)
@Suite struct APlusStateTests {
  @Test func `2.1.2.1 a fulfilled promise changes no more`() async throws {
    try await program(logs: ["fulfilled 1"]) { loop, log in
      let (promise, seal) = Promise<Int>.pending()
      promise.done { log("fulfilled \($0)") }.catch { _ in log("rejected") }
      seal.fulfill(1)
      seal.reject(Boom())
      loop.queueMicrotask { seal.reject(Boom()) }
      after(.milliseconds(1)).done { seal.reject(Boom()) }
    }
  }

  @Test func `2.1.3.1 a rejected promise changes no more`() async throws {
    try await program(logs: ["rejected"]) { loop, log in
      let (promise, seal) = Promise<Int>.pending()
      promise.done { log("fulfilled \($0)") }.catch { _ in log("rejected") }
      seal.reject(Boom())
      seal.fulfill(1)
      loop.queueMicrotask { seal.fulfill(1) }
      after(.milliseconds(1)).done { seal.fulfill(1) }
    }
  }
}
