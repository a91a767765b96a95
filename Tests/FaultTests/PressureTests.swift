import Testing
import UV
import UVTestSupport

/// More of everything than a server should have to bear.
@Suite(.serialized) struct PressureTests {
  @Test("A listener whose consumer stops keeps its peers waiting, and costs no turn")
  func aConsumerThatStops() async throws {
    try await withLoop { loop in
      let listener = try loop.tcp.listen(host: "127.0.0.1", port: 0)
      let address = try listener.localAddress()
      var clients: [TCPConnection] = []
      for _ in 0..<200 { clients.append(try await loop.tcp.connect(to: address).value) }
      for _ in 0..<10 { try await loop.sleep(for: .zero).value }
      // Not accepted, so not open here.
      #expect(loop.activity.handles == 201)
      let before = Hooks.loopTurns ?? 0
      try await loop.sleep(for: .milliseconds(50)).value
      #expect((Hooks.loopTurns ?? 0) - before < 20)
      var servers: [TCPConnection] = []
      for _ in 0..<200 { servers.append(try await listener.accept().value) }
      for (index, client) in clients.enumerated() { try await client.write(Bytes("\(index)")).value }
      var numbers: Set<String> = []
      for server in servers { numbers.insert(try #require(try await server.read().value).description) }
      #expect(numbers.count == 200)
      for connection in clients + servers { connection.close() }
      listener.close()
    }
  }

  @Test("Ten thousand idle connections take at most 4 KiB each beside libuv's own")
  func idleConnections() async throws {
    let wanted = 10_000
    let limit = DescriptorLimit.raise(to: 2 * wanted + 500)
    let count = min(wanted, (limit - 500) / 2)
    let ofLibuv = 248
    let (callbacks, tasks) = try await withLoop { loop in
      let callbacks = try await Self.measure(loop, count) { connection in connection.start { _ in } }
      let tasks = try await Self.measure(loop, count) { connection in
        loop.spawn { _ = try? await connection.read().value }
      }
      return (callbacks, tasks)
    }
    print(
      "idle connections: \(count) of \(wanted) (RLIMIT_NOFILE \(limit)), bytes each beside libuv's \(ofLibuv):",
      "callbacks \(callbacks.map { $0 - ofLibuv } ?? -1), tasks \(tasks.map { $0 - ofLibuv } ?? -1)")
    if let callbacks { #expect(callbacks - ofLibuv <= 4096) }
    if let tasks { #expect(tasks - ofLibuv <= 4096) }
  }

  /// Bytes of the heap for each of `count` accepted connections, on which `serve` waits; nil if that is not known.
  private static func measure(
    _ loop: EventLoop, _ count: Int, _ serve: @escaping (TCPConnection) -> Void
  ) async throws -> Int? {
    let listener = try loop.tcp.listen(host: "127.0.0.1", port: 0)
    let address = try listener.localAddress()
    var servers: [TCPConnection] = []
    servers.reserveCapacity(count)
    let clients = (0..<count).map { _ in RawClient() }
    let before = Hooks.heapInUse
    while servers.count < count {
      // As many at a time as the system keeps waiting.
      let batch = min(200, count - servers.count)
      for client in clients[servers.count...].prefix(batch) { client.connect(to: address.port) }
      for _ in 0..<batch {
        let connection = try await listener.accept().value
        servers.append(connection)
        serve(connection)
      }
    }
    for _ in 0..<3 { try await loop.sleep(for: .zero).value }
    let bytes = before.flatMap { before in Hooks.heapInUse.map { ($0 - before) / count } }
    for connection in servers { connection.close() }
    listener.close()
    while loop.activity.handles > 0 || loop.activity.tasks > 1 { try await loop.sleep(for: .zero).value }
    return bytes
  }

  @Test("A million timers are cancelled, each once")
  func aMillionTimers() async throws {
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
      #expect(loop.activity.timers == 0)
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
        loop.runCallbacks { loop in
          SocketWork(loop, ledger).start()
          FileWork(loop: loop, directory: directory, ledger: ledger).start()
          TimeWork(loop: loop, ledger: ledger).start()
          for _ in 0..<1000 { loop.sleep(for: .seconds(1000), ledger.once("sleep, cancelled")) }
          func stop(after turns: Int) {
            if turns == 0 { return loop.queueMicrotask { loop.stop() } }
            loop.sleep(for: .zero) { _ in stop(after: turns - 1) }
          }
          stop(after: turns * 4)
        }
        loop.shutdown()
        #expect(loop.activity.isIdle)
        // What was not received is not missing: it was cancelled.
        return ledger.problems.filter { !$0.hasSuffix("came back") }
      }
    }
    #expect(problems == [])
  }
}
