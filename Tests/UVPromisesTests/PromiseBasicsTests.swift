import Testing
import UV
import UVPromises
import UVTestSupport

struct Boom: Error, Equatable {
  var number = 0
}

@Suite struct PromiseBasicsTests {
  @Test func aChainRunsInOrder() async throws {
    let log = try await withCallbackLoop { loop in
      let log = Log<String>()
      firstly {
        loop.sleep(for: .milliseconds(1)).promise()
      }.then { () -> Promise<Int> in
        log.append("then")
        return loop.sleep(for: .milliseconds(1)).promise().map { 20 }
      }.map { value in
        log.append("map \(value)")
        return value + 1
      }.get { value in
        log.append("get \(value)")
      }.done { value in
        log.append("done \(value)")
        throw Boom()
      }.ensure {
        log.append("ensure")
      }.catch { error in
        log.append("catch \(error)")
      }.finally {
        log.append("finally")
      }
      log.append("attached")
      return log
    }
    #expect(
      log.values == ["attached", "then", "map 20", "get 21", "done 21", "ensure", "catch Boom(number: 0)", "finally"])
  }

  @Test func whenAndRace() async throws {
    let log = try await withCallbackLoop { loop in
      let log = Log<String>()
      when(fulfilled: [3, 1, 2].map { n in after(.milliseconds(n)).map { n } }).done { values in
        log.append("\(values)")
      }.catch { log.append("\($0)") }
      when(fulfilled: Promise.value(1), Guarantee.value("x")).done { a, b in
        log.append("\(a) \(b)")
      }.catch { log.append("\($0)") }
      race(after(.milliseconds(50)).map { "slow" }, after(.milliseconds(1)).map { "fast" }).done {
        log.append($0)
      }
      when(resolved: [Promise<Int>(error: Boom()), .value(4)]).done { log.append("\($0.map(\.isFulfilled))") }
      return log
    }
    #expect(log.values == ["1 x", "[false, true]", "fast", "[3, 1, 2]"])
  }

  @Test func cancellingTheEndCancelsTheOperation() async throws {
    let log = try await withCallbackLoop { loop in
      let log = Log<String>()
      let chain = loop.sleep(for: .seconds(1000)).promise().ensure {
        log.append("ensure")
      }.done {
        log.append("never")
      }
      chain.catch(policy: .allErrors) { log.append("\($0.isCancelled)") }
      loop.queueMicrotask { chain.cancel() }
      return log
    }
    #expect(log.values == ["ensure", "true"])
  }

  @Test func aRecursionOfPromisesNeedsNoStack() async throws {
    let count = try await withLoop { loop in
      var count = 0
      func again() -> Promise<Int> {
        Promise.value(count).then { value -> Promise<Int> in
          count += 1
          return value == 100_000 ? .value(value) : again()
        }
      }
      let done = again()
      while done.isPending { try await loop.sleep(for: .zero).value }
      return try #require(done.value)
    }
    #expect(count == 100_000)
  }
}
