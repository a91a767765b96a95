import Testing
import UV
import UVPromises
import UVTestSupport

/// Promises/A+ 2.1: states. (2.1.1, that a pending promise may change its state, is in every other test.)
@Suite struct APlusStateTests {
  @Test("2.1.2.1 a fulfilled promise changes no more") func a2_1_2_1() async throws {
    let log = try await program { loop, log in
      let (promise, seal) = Promise<Int>.pending()
      promise.done { log("fulfilled \($0)") }.catch { _ in log("rejected") }
      seal.fulfill(1)
      seal.reject(Boom())
      loop.queueMicrotask { seal.reject(Boom()) }
      after(.milliseconds(1)).done { seal.reject(Boom()) }
    }
    #expect(log == ["fulfilled 1"])
  }

  @Test("2.1.3.1 a rejected promise changes no more") func a2_1_3_1() async throws {
    let log = try await program { loop, log in
      let (promise, seal) = Promise<Int>.pending()
      promise.done { log("fulfilled \($0)") }.catch { _ in log("rejected") }
      seal.reject(Boom())
      seal.fulfill(1)
      loop.queueMicrotask { seal.fulfill(1) }
      after(.milliseconds(1)).done { seal.fulfill(1) }
    }
    #expect(log == ["rejected"])
  }
}
