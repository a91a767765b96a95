import Testing
import UVPromises
import UVTLS
import UVTestSupport

/// A TLS connection is a stream like any other.
@Suite struct StreamTests {
  @Test func `Bytes go both ways, in callbacks, promises and tasks`() async throws {
    try await withTLS { loop, server, client throws in
      #expect(client.protocolVersion == .tls13)
      #expect(server.serverName == "localhost")
      #expect(!client.cipherSuite.isEmpty && client.cipherSuite == server.cipherSuite)
      #expect(client.peerCertificates.count == 1)
      #expect(throws: UVError(.notSupported, operation: "tcp_getpeername")) { try client.peerAddress() }
      try await client.write("hello").value
      #expect(try await server.next().value == "hello")
      let log = Log<String>()
      server.write("from a callback") { if case .success = $0 { log.append("written") } }
      client.next { log.append("\($0.value.flatMap { $0 } ?? "-")") }
      while log.values.count < 2 { try await loop.sleep(for: .zero).value }
      #expect(log.values.sorted() == ["from a callback", "written"])
      server.write("from a promise").promise().done { log.append("kept") }.catch { log.append("\($0)") }
      #expect(try await client.next().value == "from a promise")
      while log.values.count < 3 { try await loop.sleep(for: .zero).value }
      #expect(log.values.last == "kept")
    }
  }

  @Test("Frames of every size are the same bytes", arguments: [1, 100, 16384, 16385, 100_000, 1_000_000])
  func frames(size: Int) async throws {
    let bytes = Bytes((0..<size).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ $0 >> 9) })
    try await withTLS { loop, server, client throws in
      let writer = loop.spawn { () async throws(UVError) in
        try await client.write(bytes).value
        try await client.write([Bytes(bytes.prefix(size / 2)), Bytes(bytes.dropFirst(size / 2))]).value
        try await client.shutdown().value
      }
      #expect(try await server.read(exactly: size).value == bytes)
      var rest: [UInt8] = []
      for try await chunk in server { rest += chunk }
      #expect(Bytes(rest) == bytes)
      try await writer.value
    }
  }

  @Test func `Lines can be read beside chunks, and what is left over stays`() async throws {
    try await withTLS { loop, server, client throws in
      try await client.write("one\ntwo\r\nand the rest").value
      #expect(try await server.readLine(limit: 10).value == "one")
      #expect(try await server.readLine(limit: 10).value == "two")
      #expect(try await server.next().value == "and the rest")
    }
  }

  @Test func `Writes of one turn leave together, in their order`() async throws {
    try await withTLS { loop, server, client throws in
      let log = Log<Int>()
      for number in 0..<100 { client.write(Bytes("\(number)\n")) { _ in log.append(number) } }
      for number in 0..<100 {
        #expect(try await server.readLine(limit: 10).value == Bytes("\(number)"))
      }
      #expect(log.values == Array(0..<100))
    }
  }

  @Test("Writers are notified first, then waiters for everything, then the end is sent", arguments: [1, 3])
  func order(writes: Int) async throws {
    try await withTLS { loop, server, client throws in
      let log = Log<String>()
      client.start { result in
        guard case .success(let bytes?) = result else { return }
        for number in 0..<writes { client.write(bytes) { _ in log.append("write \(number)") } }
        client.drain { _ in log.append("drain") }
        client.shutdown { _ in log.append("shutdown") }
        log.append("asked")
      }
      try await server.write("x").value
      #expect(try await server.readToEnd(limit: 100).value == Bytes(repeating: 0x78, count: writes))
      while log.values.count < writes + 3 { try await loop.sleep(for: .zero).value }
      #expect(log.values == ["asked"] + (0..<writes).map { "write \($0)" } + ["drain", "shutdown"])
    }
  }

  @Test("A writer that writes again whenever it is notified comes to its end, and costs no stack")
  func chain() async throws {
    try await withTLS { loop, server, client throws in
      let log = Log<Int>()
      func write(_ number: Int) {
        client.write(Bytes("\(number)\n")) { _ in
          log.append(number)
          if number < 10_000 { write(number + 1) } else { client.shutdown { _ in } }
        }
      }
      write(1)
      var count = 0
      for try await chunk in server { count += chunk.count { $0 == 0x0A } }
      #expect(count == 10_000)
      #expect(log.values == Array(1...10_000))
    }
  }

  @Test func `A handler gets each byte in order, and the end`() async throws {
    try await withTLS { loop, server, client throws in
      let log = Log<Int>()
      server.start { result in
        switch result {
        case .success(let bytes?): log.append(bytes.count)
        case .success(nil): log.append(-1)
        case .failure: log.append(-2)
        }
      }
      for _ in 0..<10 { try await client.write(Bytes(repeating: 1, count: 50_000)).value }
      try await client.shutdown().value
      while log.values.last != -1 { try await loop.sleep(for: .zero).value }
      #expect(log.values.reduce(1, +) == 500_000)
    }
  }

  @Test func `A handler that comes after the end gets the bytes first`() async throws {
    try await withTLS { loop, server, client in
      client.write("early") { _ in }
      try await client.shutdown().value
      #expect(try await server.peek(exactly: 5).value == "early")
      await expectError(.endOfFile, of: try await server.read(exactly: 6).value)
      let log = Log<String>()
      server.start { log.append("\($0.value.flatMap { $0 } ?? "end")") }
      while log.values.last != "end" { try await loop.sleep(for: .zero).value }
      #expect(log.values == ["early", "end"])
    }
  }

  @Test func `Both ends end cleanly, one after the other`() async throws {
    try await withTLS { loop, server, client throws in
      try await client.shutdown().value
      #expect(try await server.next().value == nil)
      await expectError(.brokenPipe, of: try await client.write("x").value)
      // The other direction goes on.
      try await server.write("still here").value
      #expect(try await client.next().value == "still here")
      server.close()
      #expect(try await client.next().value == nil)
    }
  }

  @Test func `A connection that is cut without a sign of the end is an error for each reader`() async throws {
    let (server, client) = try (Certificates.shared.server(), Certificates.shared.client())
    try await withLoop { loop in
      // The proxy cuts the connection; it knows nothing of TLS.
      let (near, proxyNear) = try loop.pipes.socketPair()
      let (far, proxyFar) = try loop.pipes.socketPair()
      func forward(_ from: PipeConnection, _ to: PipeConnection) {
        from.start { if case .success(let bytes?) = $0 { to.write(bytes) { _ in } } }
      }
      forward(proxyNear, proxyFar)
      forward(proxyFar, proxyNear)
      let (a, b) = try await handshake(loop, near, far, server, client).get()
      try await b.write("half a sentence").value
      #expect(try await a.next().value == "half a sentence")
      proxyNear.close()
      proxyFar.close()
      for _ in 0..<2 {
        await expectError(.tlsTruncated, of: try await a.next().value)
      }
      await expectFailure(.tlsTruncated) { () async throws(UVError) in for try await _ in a {} }
      a.close()
      b.close()
    }
  }

  @Test func `A writer whose peer doesn't read is held up, and goes on when it does`() async throws {
    try await withTLS { loop, server, client throws in
      let chunk = Bytes(repeating: 9, count: 100_000)
      var count = 0
      while !client.isAboveHighWaterMark {
        client.write(chunk) { _ in }
        count += 1
        try await loop.sleep(for: .zero).value
        #expect(count < 1000)
        if count >= 1000 { return }
      }
      let drained = loop.spawn { () async throws(UVError) in try await client.drain().value }
      var received = 0
      while received < count * chunk.count { received += try await server.next().value?.count ?? 0 }
      try await drained.value
      #expect(received == count * chunk.count)
      #expect(!client.isAboveHighWaterMark && client.writeQueueSize == 0)
    }
  }

  @Test("A task's write of which the system takes a part waits for the rest, and nothing is out of order")
  func partOfAWrite() async throws {
    try await withTLS { loop, server, client throws in
      let written = Log<Int>()
      let writer = loop.spawn { () async throws(UVError) in
        for number in 0..<60 {
          try await client.write(Bytes(repeating: UInt8(number), count: 50_000)).value
          written.append(number)
          // Between two of them, what doesn't wait.
          client.write(Bytes(repeating: UInt8(number), count: 10)) { _ in }
        }
        try await client.shutdown().value
      }
      while client.writeQueueSize == 0 { try await loop.sleep(for: .zero).value }
      for _ in 0..<20 { try await loop.sleep(for: .zero).value }
      #expect(written.values.count < 60)
      for number in 0..<60 {
        let bytes = try await server.read(exactly: 50_010).value
        #expect(bytes == Bytes(repeating: UInt8(number), count: 50_010))
      }
      #expect(try await server.next().value == nil)
      try await writer.value
    }
  }

  @Test func `A write that is cancelled before its bytes leave takes none with it`() async throws {
    try await withTLS { loop, server, client throws in
      let log = Log<UVError.Code?>()
      client.write("first\n") { log.append($0.error?.code) }
      client.write("never\n") { log.append($0.error?.code) }.cancel()
      client.write("last\n") { log.append($0.error?.code) }
      #expect(try await server.readLine(limit: 10).value == "first")
      #expect(try await server.readLine(limit: 10).value == "last")
      #expect(log.values.sorted { ($0?.rawValue ?? 0) < ($1?.rawValue ?? 0) } == [.cancelled, nil, nil])
    }
  }

  @Test func `Bytes that were written before a close arrive, and then the end`() async throws {
    try await withTLS { loop, server, client throws in
      client.write("the last words") { _ in }
      client.close()
      #expect(try await server.readToEnd(limit: 100).value == "the last words")
    }
  }

  @Test("A connection whose last reference goes says goodbye, on any thread", arguments: [false, true])
  func letGo(isElsewhere: Bool) async throws {
    let (server, client) = try (Certificates.shared.server(), Certificates.shared.client())
    try await withLoop { loop in
      func connect() async throws -> (Box<TLSConnection?>, TLSConnection) {
        let (near, far) = try await handshake(loop, server, client).get()
        try await near.write("x").value
        return (Box(near), far)
      }
      let (near, far) = try await connect()
      if isElsewhere { elsewhere { near.value = nil } } else { near.value = nil }
      #expect(try await far.next().value == "x")
      #expect(try await far.next().value == nil)
      far.close()
    }
  }

  @Test func `As many bytes as the system takes at once are written without waiting`() async throws {
    try await withTLS { loop, server, client throws in
      #expect(try client.tryWrite("now") == 3)
      #expect(try await server.next().value == "now")
      #expect(try client.tryWrite(Bytes(repeating: 1, count: 50_000)) == 16384)
      #expect(try await server.read(exactly: 16384).value?.count == 16384)
    }
  }

  @Test(
    "A try takes a record whole; what the system has no room for is counted, and leaves before the next one")
  func tryWriteWithoutRoom() async throws {
    try await withTLS { loop, server, client throws in
      let record = Bytes(repeating: 1, count: 16384)
      var (taken, sum) = (1, 0)
      while taken > 0 {
        taken = try client.tryWrite(record)
        #expect(taken == 0 || taken == 16384)
        sum += taken
      }
      #expect(client.writeQueueSize > 0)
      #expect(try client.tryWrite("more") == 0)
      let drained = loop.spawn { () async throws(UVError) in try await client.drain().value }
      #expect(try await server.read(exactly: sum).value?.count == sum)
      try await drained.value
      #expect(client.writeQueueSize == 0)
      #expect(try client.tryWrite("more") == 4)
      #expect(try await server.next().value == "more")
    }
  }

  @Test func `A write without bytes ends after the writes before it`() async throws {
    try await withTLS { _, server, client throws in try await expectOrderOfEmptyWrites(client, server) }
  }
}
