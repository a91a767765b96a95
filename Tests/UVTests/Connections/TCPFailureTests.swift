import Testing
import UV
import UVTestSupport

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

@Suite struct TCPFailureTests {
  @Test(arguments: [-1, 65536, Int.max]) func aWrongPort(port: Int) async throws {
    try await withLoop { loop in
      await expectError(.invalidArgument, of: try loop.tcp.listen(port: port))
      let connect = loop.tcp.connect(host: "127.0.0.1", port: port)
      await expectError(.invalidArgument, of: try await connect.value)
    }
  }

  @Test func anAddressThatIsNotOurs() async throws {
    try await withLoop { loop in
      await expectError(.addressNotAvailable, of: try loop.tcp.listen(host: "192.0.2.1", port: 0))
      await expectError(.invalidArgument, of: try loop.tcp.listen(host: "nobody", port: 0))
    }
  }

  @Test func aRefusedConnection() async throws {
    try await withLoop { loop in
      let listener = try loop.tcp.listen(host: "127.0.0.1", port: 0)
      let address = try listener.localAddress()
      try await listener.close().value
      let connect = loop.tcp.connect(to: address)
      await expectError(.connectionRefused, of: try await connect.value)
      let byName = loop.tcp.connect(host: "localhost", port: Int(address.port))
      await expectError(.connectionRefused, of: try await byName.value)
    }
  }

  /// How a connect ends.
  enum Ending: CaseIterable { case connected, refused, noAddress, cancelled }

  @Test(
    "A connect by name that has ended keeps nothing of its caller, who may keep the pending request",
    arguments: Ending.allCases)
  func aConnectThatHasEnded(ending: Ending) async throws {
    final class Caller {}
    try await withLoop { loop in
      let listener = try loop.tcp.listen(host: "127.0.0.1", port: 0)
      let port = try Int(listener.localAddress().port)
      if ending == .refused { try await listener.close().value }
      weak var caller: Caller?
      let log = Log<UVError.Code?>()
      func connect() -> PendingRequest {
        let new = Caller()
        caller = new
        return loop.tcp.connect(host: "127.0.0.1", port: ending == .noAddress ? -1 : port) { [new] result in
          _ = new
          log.append(result.error?.code)
        }
      }
      let pending = connect()
      if ending == .cancelled { pending.cancel() }
      while log.values.isEmpty { try await loop.sleep(for: .zero).value }
      let codes: [Ending: UVError.Code] = [
        .refused: .connectionRefused, .noAddress: .invalidArgument, .cancelled: .cancelled,
      ]
      #expect(log.values == [codes[ending]])
      #expect(caller == nil)
      pending.cancel()
      listener.close()
    }
  }

  @Test func aPeerThatStopsReadingIsWaitedForAndEveryByteArrives() async throws {
    try await withPair { loop, client, server in
      let chunk = Bytes((0..<65536).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) })
      var written = 0
      var total = 0
      let writer = loop.spawn { () async throws(UVError) in
        for _ in 0..<160 {
          try await client.write(chunk).value
          written += 1
        }
        try await client.shutdown().value
      }
      // The writer stops by itself while nobody reads.
      var before = -1
      while written != before {
        before = written
        for _ in 0..<50 { try await loop.sleep(for: .zero).value }
      }
      #expect(written < 160)
      #expect(client.writeQueueSize > 0)
      var received: [UInt8] = []
      for try await part in server {
        received += part
        while received.count >= chunk.count {
          #expect(Bytes(received.prefix(chunk.count)) == chunk)
          received.removeFirst(chunk.count)
          total += chunk.count
        }
      }
      #expect(received.isEmpty)
      #expect(total == 160 * chunk.count)
      try await writer.value
    }
  }

  @Test func closingInTheMiddleOfEveryOperation() async throws {
    try await withPair { loop, client, server in
      let big = Bytes(repeating: 1, count: 16 << 20)
      let read = loop.spawn { () async throws(UVError) in try await client.next().value }
      let write = loop.spawn { () async throws(UVError) in try await client.write(big).value }
      let second = loop.spawn { () async throws(UVError) in try await client.write("y").value }
      for _ in 0..<5 { try await loop.sleep(for: .zero).value }
      let shutdown = loop.spawn { () async throws(UVError) in try await client.shutdown().value }
      try await loop.sleep(for: .zero).value
      client.close()
      client.close()
      await expectError(.cancelled, of: try await read.value)
      await expectError(.cancelled, of: try await write.value)
      await expectError(.cancelled, of: try await second.value)
      await expectError(.cancelled, of: try await shutdown.value)
      try await client.close().value
      await expectError(.badDescriptor, of: try await client.write("z").value)
      #expect(throws: UVError(.badDescriptor, operation: "tcp_nodelay")) { try client.setNoDelay() }
    }
  }

  @Test func closingAListenerThatSomebodyWaitsFor() async throws {
    try await withLoop { loop in
      let listener = try loop.tcp.listen(host: "127.0.0.1", port: 0)
      let waiting = loop.spawn { () async throws(UVError) in try await listener.accept().value }
      try await loop.sleep(for: .zero).value
      listener.close()
      await expectError(.cancelled, of: try await waiting.value)
      await expectError(.cancelled, of: try await listener.accept().value)
    }
  }

  @Test func cancellingAConnect() async throws {
    try await withLoop { loop in
      let listener = try loop.tcp.listen(host: "127.0.0.1", port: 0)
      let address = try listener.localAddress()
      for _ in 0..<20 {
        let task = loop.spawn { () async throws(UVError) in try await loop.tcp.connect(to: address).value }
        task.cancel()
        await expectError(.cancelled, of: try await task.value)
      }
      listener.close()
    }
  }

  @Test func cancellingAReadLeavesTheConnectionUsable() async throws {
    try await withPair { loop, client, server in
      let read = loop.spawn { () async throws(UVError) in try await client.next().value }
      try await loop.sleep(for: .zero).value
      read.cancel()
      await expectError(.cancelled, of: try await read.value)
      try await server.write("still here").value
      #expect(try await client.next().value == "still here")
    }
  }

  @Test func cancellingAQueuedWriteTakesAllOfItOrNothing() async throws {
    try await withPair { loop, client, server in
      let big = Bytes(repeating: 1, count: 8 << 20)
      let log = Log<String>()
      // Begun: its bytes must all follow. Queued behind: can be taken back whole.
      let begun = client.write(big) { log.append("begun \($0.error?.name ?? "ok")") }
      let queued = client.write([Bytes(repeating: 2, count: 10), Bytes(repeating: 2, count: 10)]) {
        log.append("queued \($0.error?.name ?? "ok")")
      }
      client.write(Bytes(repeating: 3, count: 10)) { log.append("last \($0.error?.name ?? "ok")") }
      begun.cancel()
      queued.cancel()
      client.shutdown { _ in }
      var received: [UInt8] = []
      for try await part in server { received += part }
      #expect(Bytes(received.prefix(big.count)) == big)
      #expect(Array(received.dropFirst(big.count)) == Array(repeating: 3, count: 10))
      #expect(log.values == ["begun ECANCELED", "queued ECANCELED", "last ok"])
    }
  }

  @Test func manySmallWritesOfOneTurnArriveInOrder() async throws {
    try await withPair { loop, client, server in
      let done = Log<Int>()
      for index in 0..<20_000 {
        client.write(Bytes("\(index)\n")) { _ in done.append(index) }
      }
      client.shutdown { _ in }
      var text = ""
      for try await part in server { text += String(decoding: part, as: UTF8.self) }
      #expect(text == (0..<20_000).map { "\($0)\n" }.joined())
      #expect(done.values == Array(0..<20_000))
    }
  }

  @Test("To connect to a host can be cancelled at any time", arguments: 0...3)
  func connectingIsCancelled(turns: Int) async throws {
    let log = Log<String>()
    try await withLoop { loop in
      let listener = try loop.tcp.listen(host: "127.0.0.1", port: 0)
      let port = Int(try listener.localAddress().port)
      let pending = loop.tcp.connect(host: "127.0.0.1", port: port) { result in
        log.append(result.error?.name ?? "connected")
        if case .success(let connection) = result { connection.close() }
      }
      for _ in 0..<turns { await Task.yield() }
      pending.cancel()
      while log.values.isEmpty { try await loop.sleep(for: .zero).value }
      listener.close()
    }
    #expect(turns > 0 || log.values == ["ECANCELED"])
    #expect(log.values.count == 1)
  }
}
