import Testing
import UV
import UVPromises
import UVTestSupport

/// `each`: one element after the other, no faster than the handler's promises.
@Suite struct EachTests {
  /// A listener whose first peer is `peer`; returns what the server does with the connection.
  private func serve(
    _ loop: EventLoop, peer: @escaping (TCPConnection) -> Void,
    _ body: @escaping (TCPConnection) -> Promise<Void>
  ) throws -> Promise<Void> {
    let listener = try loop.tcp.listen(host: "127.0.0.1", port: 0)
    let port = Int(try listener.localAddress().port)
    loop.tcp.connect(host: "127.0.0.1", port: port).promise().done(peer).cauterize()
    return listener.next().promise().compactMap { $0 }.then { connection in
      body(connection).ensure { connection.close() }
    }.ensure { listener.close() }
  }

  @Test func everyElementInOrderThenTheEnd() async throws {
    try await program(logs: ["peer read one", "peer read two", "end"]) { loop, log in
      try serve(loop) { peer in
        peer.write("one").promise().then { peer.next().promise() }.then { echo -> Promise<Bytes?> in
          log("peer read \(echo!)")
          return peer.write("two").promise().then { peer.next().promise() }
        }.done {
          log("peer read \($0!)")
          peer.close()
        }.cauterize()
      } _: { connection in
        connection.each { chunk in connection.write(chunk).promise() }
      }.done { log("end") }.catch { log("\($0)") }
    }
  }

  @Test func theNextElementWaitsForThePromise() async throws {
    try await program(logs: ["3", "Boom(number: 0)"]) { loop, log in
      let ticks = loop.ticks(every: .milliseconds(1))
      var running = 0
      var seen = 0
      ticks.each { _ -> Promise<Void> in
        running += 1
        seen += 1
        if running > 1 { log("two at a time") }
        if seen == 3 { throw Boom() }
        return after(.milliseconds(2)).map { running -= 1 }
      }.ensure { log("\(seen)") }.catch { log("\($0)") }
    }
  }

  @Test func anErrorOfTheHandlerEndsIt() async throws {
    try await program(logs: ["Boom(number: 1)", "Boom(number: 2)"]) { loop, log in
      for fails in [true, false] {
        let ticks = loop.ticks(every: .milliseconds(1))
        ticks.each { _ -> Promise<Void> in
          if fails { throw Boom(number: 1) }
          return Promise(error: Boom(number: 2))
        }.catch { log("\($0)") }
      }
    }
  }

  @Test func cancellingStopsAsking() async throws {
    try await program(logs: ["true", "accepted true"]) { loop, log in
      let listener = try loop.tcp.listen(host: "127.0.0.1", port: 0)
      let all = listener.each { _ in Promise.value(()) }
      all.catch(policy: .allErrors) { error in
        log("\(error.isCancelled)")
        // The source can be used again.
        listener.next().promise().done { log("accepted \($0 != nil)") }.ensure { listener.close() }
          .cauterize()
        loop.tcp.connect(to: try! listener.localAddress()).promise().done { $0.close() }.cauterize()
      }
      after(.milliseconds(1)).done { all.cancel() }
    }
  }

  @Test func cancellingWhileTheHandlerWaitsCancelsWhatItWaitsFor() async throws {
    try await program(logs: ["true"]) { loop, log in
      let ticks = loop.ticks(every: .milliseconds(1))
      var all: Promise<Void>?
      all = ticks.each { _ -> Promise<Void> in
        loop.queueMicrotask { all?.cancel() }
        return loop.sleep(for: .untilCancelled).promise()
      }
      all?.catch(policy: .allErrors) { log("\($0.isCancelled)") }
    }
  }
}
