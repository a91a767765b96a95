import Testing
import UV
import UVTestSupport

/// More of everything than a server should have to bear.
@Suite(.serialized) struct PressureTests {
  @Test func `A listener whose consumer stops keeps its peers waiting, and costs no turn`() async throws {
    try await withLoop { loop in
      let listener = try loop.tcp.listen(host: "127.0.0.1", port: 0)
      let address = try listener.localAddress()
      var clients: [TCPConnection] = []
      for _ in 0..<200 { clients.append(try await loop.tcp.connect(to: address).value) }
      for _ in 0..<10 { try await loop.sleep(for: .zero).value }
      // Not accepted, so not open here.
      #expect(loop.statistics.handles == 201)
      #expect(try await loop.turns(in: .milliseconds(50)) < 20)
      var servers: [TCPConnection] = []
      for _ in 0..<200 { servers.append(try await listener.accept().value) }
      for (index, client) in clients.enumerated() { try await client.write(Bytes("\(index)")).value }
      var numbers: Set<String> = []
      for server in servers { numbers.insert(try #require(try await server.next().value).description) }
      #expect(numbers.count == 200)
      for connection in clients + servers { connection.close() }
      listener.close()
    }
  }

  @Test("A writer whose reader stops costs no more memory than the high-water mark and one write")
  func aReaderThatStops() async throws {
    try await withPair { loop, client, server in
      client.highWaterMark = 4 << 20
      let size = 100_000
      func writeUntilFull() {
        // Each in memory of its own, as a producer's are.
        while !client.isAboveHighWaterMark { client.write(Bytes(repeating: 7, count: size)) { _ in } }
      }
      writeUntilFull()
      let before = Hooks.heapInUse ?? 0
      for _ in 0..<100 {
        try await loop.sleep(for: .zero).value
        writeUntilFull()
      }
      let growth = (Hooks.heapInUse ?? 0) - before
      #expect(client.writeQueueSize <= client.highWaterMark + size)
      #expect(growth <= 2 * size, "the heap grew by \(growth) bytes")
    }
  }

  @Test func `A million timers are cancelled, each once`() async throws {
    let count = 1_000_000
    let (cancelled, others, turns) = try await withLoop { loop in
      var cancelled = 0
      var others = 0
      var timers: [PendingRequest] = []
      timers.reserveCapacity(count)
      for index in 0..<count {
        timers.append(
          loop.sleep(for: .milliseconds(100_000 + index % 50_000)) { result in
            if case .failure(let error) = result, error.isCancelled { cancelled += 1 } else { others += 1 }
          })
      }
      let before = Hooks.loopTurns ?? 0
      // Every second one from the back, then the rest from the front.
      for index in stride(from: count - 1, to: 0, by: -2) { timers[index].cancel() }
      for timer in timers { timer.cancel() }
      #expect(loop.statistics.timers == 0)
      while cancelled + others < count { try await loop.sleep(for: .zero).value }
      return (cancelled, others, (Hooks.loopTurns ?? 0) - before)
    }
    #expect(cancelled == count)
    #expect(others == 0)
    // Microtasks run in bounded numbers between looks at the input.
    #expect(turns < count / 1000)
  }

  @Test("A loop is shut down in the middle of everything, and everything ends once", arguments: 0..<20)
  func shutdownInTheMiddle(turns: Int) async throws {
    let problems = try await withTemporaryDirectory { directory in
      try await withThread {
        let ledger = Ledger()
        let loop = try EventLoop()
        ledger.hasEnded = { loop.isClosed }
        loop.runCallbacks { loop in
          for workload in Workload.allCases { workload.start(loop, directory, ledger) }
          for _ in 0..<1000 { loop.sleep(for: .untilCancelled, ledger.once("sleep, cancelled")) }
          func stop(after turns: Int) {
            if turns == 0 { return loop.queueMicrotask { loop.stop() } }
            loop.sleep(for: .zero) { _ in stop(after: turns - 1) }
          }
          stop(after: turns * 4)
        }
        loop.shutdown()
        ledger.reapChildren()
        #expect(loop.statistics.isIdle)
        // What was not received is not missing: it was cancelled.
        return ledger.problems.filter { !$0.hasSuffix("came back") }
      }
    }
    #expect(problems == [])
  }
}
