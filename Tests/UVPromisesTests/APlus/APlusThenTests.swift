import Testing
import UV
import UVPromises
import UVTestSupport

/// Promises/A+ 2.2: `then`. (2.2.1 and 2.2.5, that handlers are optional and functions, the compiler sees
/// to.)
@Suite struct APlusThenTests {
  @Test func `2.2.2.1 the handler is called after the promise is fulfilled, with its value`() async throws {
    try await program(logs: ["value true"]) { _, log in
      let (promise, seal) = Promise<String>.pending()
      promise.done { log("\($0) \(promise.isFulfilled)") }.cauterize()
      seal.fulfill("value")
    }
  }

  @Test func `2.2.2.2 it is not called before that`() async throws {
    try await program(logs: ["fulfilling", "handler"]) { _, log in
      let (promise, seal) = Promise<Int>.pending()
      promise.done { _ in log("handler") }.cauterize()
      after(.milliseconds(2)).done {
        log("fulfilling")
        seal.fulfill(1)
      }
    }
  }

  @Test func `2.2.2.3 it is called once`() async throws {
    try await program(logs: ["resolved from the start", "handler", "another"]) { loop, log in
      let (promise, seal) = Promise<Int>.pending()
      Promise.value(0).done { _ in log("resolved from the start") }.cauterize()
      promise.done { _ in log("handler") }.cauterize()
      seal.fulfill(1)
      seal.fulfill(1)
      loop.queueMicrotask { seal.fulfill(1) }
      promise.done { _ in log("another") }.cauterize()
    }
  }

  @Test func `2.2.3 the same of handlers of errors`() async throws {
    try await program(logs: ["rejecting", "Boom(number: 0) true"]) { loop, log in
      let (promise, seal) = Promise<Int>.pending()
      promise.catch { log("\($0) \(promise.isRejected)") }
      after(.milliseconds(1)).done {
        log("rejecting")
        seal.reject(Boom())
        seal.reject(Boom(number: 2))
        loop.queueMicrotask { seal.reject(Boom(number: 3)) }
      }
    }
  }

  @Test func `2.2.4 handlers run on a stack of the loop's own`() async throws {
    try await program(logs: [
      "after resolving", "after attaching", "after catching", "pending", "outer", "caught", "inner",
    ]) { _, log in
      let (promise, seal) = Promise<Int>.pending()
      promise.done { _ in log("pending") }.cauterize()
      seal.fulfill(1)
      log("after resolving")
      promise.done { _ in
        Promise.value(1).done { _ in log("inner") }.cauterize()
        log("outer")
      }.cauterize()
      log("after attaching")
      Promise<Int>(error: Boom()).catch { _ in log("caught") }
      log("after catching")
    }
  }

  @Test func `2.2.6.1 handlers of values run in order, each with the value`() async throws {
    let log = try await program { loop, log in
      let (promise, seal) = Promise<Int>.pending()
      promise.done { log("1: \($0)") }.cauterize()
      promise.map { _ in throw Boom() }.catch { _ in log("thrown") }
      promise.done { value in
        log("2: \(value)")
        promise.done { log("nested: \($0)") }.cauterize()
      }.cauterize()
      promise.done { log("3: \($0)") }.cauterize()
      loop.queueMicrotask { seal.fulfill(7) }
    }
    #expect(log.filter { $0 != "thrown" } == ["1: 7", "2: 7", "3: 7", "nested: 7"])
    #expect(log.contains("thrown"))
  }

  @Test func `2.2.6.1 each branch goes its own way`() async throws {
    let log = try await program { _, log in
      let promise = Promise.value(1)
      promise.map { $0 + 1 }.done { log("\($0)") }.cauterize()
      promise.map { _ -> Int in throw Boom() }.catch { log("\($0)") }
      promise.then { _ in Promise.value("x") }.done { log($0) }.cauterize()
    }
    #expect(Set(log) == ["2", "Boom(number: 0)", "x"])
  }

  @Test func `2.2.6.2 handlers of errors run in order`() async throws {
    let log = try await program { _, log in
      let (promise, seal) = Promise<Int>.pending()
      promise.catch { _ in log("1") }
      promise.recover { _ -> Promise<Int> in throw Boom(number: 2) }.catch { log("\($0)") }
      promise.catch { _ in
        log("2")
        promise.catch { _ in log("nested") }
      }
      promise.catch { _ in log("3") }
      seal.reject(Boom())
    }
    #expect(log.filter { $0.count < 7 } == ["1", "2", "3", "nested"])
    #expect(log.contains("Boom(number: 2)"))
  }

  @Test func `2.2.7.1 the result is resolved with what the handler returns`() async throws {
    try await program(logs: ["2", "3", "4"]) { loop, log in
      Promise.value(1).map { $0 + 1 }.done { log("\($0)") }.cauterize()
      Promise.value(1).then { loop.later($0 + 2) }.done { log("\($0)") }.cauterize()
      loop.failingLater().recover { _ in loop.later(4, milliseconds: 3) }.done { log("\($0)") }.cauterize()
    }
  }

  @Test func `2.2.7.2 or rejected with what it throws`() async throws {
    try await program(logsInAnyOrder: ["Boom(number: 1)", "Boom(number: 2)"]) { _, log in
      Promise.value(1).map { _ -> Int in throw Boom(number: 1) }.catch { log("\($0)") }
      Promise<Int>(error: Boom()).recover { _ -> Promise<Int> in throw Boom(number: 2) }.catch {
        log("\($0)")
      }
    }
  }

  @Test func `2.2.7.3 a value passes a handler of errors`() async throws {
    try await program(logs: ["1"]) { _, log in
      Promise.value(1).recover { _ in Promise.value(2) }.done { log("\($0)") }.cauterize()
    }
  }

  @Test func `2.2.7.4 an error passes a handler of values`() async throws {
    try await program(logs: ["Boom(number: 0)"]) { _, log in
      Promise<Int>(error: Boom()).map { $0 + 1 }.then { Promise.value($0) }.catch { log("\($0)") }
    }
  }
}
