import Testing
import UV
import UVPromises
import UVTestSupport

/// A closure of a chain may return a request where the chain waits for what the closure returns.
@Suite struct RequestInChainTests {
  @Test func `What waits for a promise starts a request, once`() async throws {
    let steps = ["firstly", "then", "guarantee", "recover", "ensure", "retry", "thenMap", "thenMap", "when"]
    try await program(logs: steps + ["[1, 2]"]) { loop, log in
      firstly { noting(loop, log, "firstly") }
        .then { _ in noting(loop, log, "then") }
        .then { _ in Guarantee.value(1).then { _ in noting(loop, log, "guarantee") } }
        .then { _ -> Promise<Void> in throw Boom() }
        .recover { _ in noting(loop, log, "recover") }
        .ensureThen { noting(loop, log, "ensure") }
        .then { retry(attempts: 2) { noting(loop, log, "retry") } }
        .then { Promise.value([1, 2]).thenMap { _ in noting(loop, log, "thenMap") } }
        .then { _ in when(fulfilled: [noting(loop, log, "when")]) as Promise<Void> }
        .done { log("[1, 2]") }
        .catch { log("\($0)") }
    }
  }

  @Test func `each asks for the next element when the request for the last one has ended`() async throws {
    try await program(logs: ["tick", "tick", "Boom(number: 0)"]) { loop, log in
      var count = 0
      loop.ticks(every: .milliseconds(1)).each { _ -> Request<Void> in
        count += 1
        if count == 3 { throw Boom() }
        return noting(loop, log, "tick")
      }.catch { log("\($0)") }
    }
  }

  @Test func `A failed request rejects the chain, and a cancelled chain cancels the request`() async throws {
    try await program(logs: ["noSuchFile", "cancelled true"]) { loop, log in
      Promise.value(1).then { _ in loop.files.stat("/no/such/file") }.done { _ in }.catch {
        log(($0 as? UVError)?.code == .noSuchFile ? "noSuchFile" : "\($0)")
        let wait = Promise.value(1).then { _ in loop.sleep(for: .untilCancelled) }
        wait.catch(policy: .allErrors) { log("cancelled \($0.isCancelled)") }
        after(.milliseconds(1)).done { wait.cancel() }
      }
    }
  }

  #if DEBUG
  @Test func `Debug builds say once for each place that a closure's request isn't started`() async throws {
    let first = UInt(#line + 4)
    let (log, reports) = try await programWithReports { loop, log in
      for _ in 0..<2 {
        Promise.value(1)
          .map { _ in noting(loop, log, "map") }.done { _ in }.cauterize()
        Promise.value([1])
          .mapValues { _ in noting(loop, log, "mapValues") }.done { _ in }.cauterize()
        Promise.value(1).map { $0 + 1 }.then { _ in noting(loop, log, "then") }.cauterize()
      }
    }
    #expect(log == ["then", "then"])
    #expect(reports.unstarted.values.map(\.site.line) == [first, first + 2])
    #expect(reports.descriptions.count == 2)
    #expect(reports.descriptions.first?.hasPrefix("nobody starts the request that the closure at ") == true)
  }
  #endif
}

/// A request that notes each of its starts.
private func noting(_ loop: EventLoop, _ log: Log<String>, _ name: String) -> Request<Void> {
  Request(loop) { done in
    log(name)
    loop.queueMicrotask { done(.success(())) }
    return PendingRequest()
  }
}
