import Testing
import UV
import UVTestSupport

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// Reading: rules 20 to 26.
@Suite struct ReadRuleTests {
  @Test(.rule(20)) func `A read that finds nothing is neither an element nor the end`() async throws {
    try await withPair { loop, client, server in
      let log = Log<Int>()
      server.start { result in log.append((try? result.get())?.count ?? -1) }
      var sent = 0
      // Exactly as much as a read has room for, so that the next one finds nothing.
      for count in [81920, 81920, 1, 81919, 16384, 81920 * 4] {
        try await client.write(Bytes(repeating: 1, count: count)).value
        sent += count
        while log.values.reduce(0, +) < sent { try await loop.sleep(for: .zero).value }
        for _ in 0..<5 { try await loop.sleep(for: .zero).value }
      }
      #expect(log.values.allSatisfy { $0 > 0 })
      try await client.shutdown().value
      while log.values.last != -1 { try await loop.sleep(for: .zero).value }
      #expect(log.values.dropLast().reduce(0, +) == sent)
    }
  }

  @Test(.rule(21)) func `A read that fails gives its buffer back`() async throws {
    try await withLoop { loop in
      let listener = try loop.tcp.listen(host: "127.0.0.1", port: 0)
      let address = try listener.localAddress()
      try await expectFlatHeap(rounds: 200) { _ in
        let client = try await loop.tcp.connect(to: address).value
        let server = try await listener.accept().value
        try await server.write("x").value
        let kept = try await client.next().value
        server.closeReset()
        await expectError(.connectionReset, of: try await client.next().value)
        #expect(kept == "x")
        try await client.close().value
      }
      listener.close()
    }
  }

  @Test("Streams share a buffer, and what a reader keeps is not written again", .rule(22))
  func oneBufferForAll() async throws {
    try await withPair { loop, client, server in
      var kept: [Bytes] = []
      for index in 0..<200 {
        // Both ends read in turn, into the same slab.
        try await client.write(Bytes(repeating: UInt8(index), count: 700)).value
        kept.append(try #require(try await server.next().value))
        try await server.write(Bytes(repeating: UInt8(255 - index), count: 700)).value
        kept.append(try #require(try await client.next().value))
      }
      for index in 0..<200 {
        #expect(kept[2 * index] == Bytes(repeating: UInt8(index), count: 700))
        #expect(kept[2 * index + 1] == Bytes(repeating: UInt8(255 - index), count: 700))
      }
    }
  }

  @Test("A reader that does not ask is not read for, and costs no turn of the loop", .rule(23))
  func aStalledReader() async throws {
    try await withPair { loop, client, server in
      try await server.write("one").value
      #expect(try await client.next().value == "one")
      server.write(Bytes(repeating: 2, count: 1 << 20)) { _ in }
      for _ in 0..<20 { try await loop.sleep(for: .zero).value }
      // What was not asked for still lies in the system's buffer.
      var pending: Int32 = 0
      #expect(ioctl(try client.fileDescriptor(), UInt(FIONREAD), &pending) == 0)
      #expect(pending > 0)
      #expect(try await loop.turns(in: .milliseconds(50)) < 20)
      var received = 0
      while received < 1 << 20 {
        guard let part = try await client.next().value else { break }
        received += part.count
      }
      #expect(received == 1 << 20)
    }
  }

  @Test("An error of reading does not close the connection; the end leaves the other way open", .rule(24))
  func errorsDoNotClose() async throws {
    try await withPair { loop, client, server in
      try await server.write("x").value
      _ = try await client.next().value
      server.closeReset()
      await expectError(.connectionReset, of: try await client.next().value)
      #expect(!client.isClosing)
      #expect(!client.isReadable)
      // A later reader does not take it for an end.
      await expectError(.connectionReset, of: try await client.next().value)
      try await client.close().value
    }
    try await withPair { loop, client, server in
      try await client.shutdown().value
      #expect(try await server.next().value == nil)
      #expect(server.isWritable)
      try await server.write("still").value
      #expect(try await client.next().value == "still")
    }
  }

  @Test(.rule(25)) func `A reader that stops gets nothing more, however much has come`() async throws {
    try await withPair { loop, client, server in
      let log = Log<Int>()
      let count = 4 << 20
      server.write(Bytes(repeating: 1, count: count)) { _ in }
      for _ in 0..<10 { try await loop.sleep(for: .zero).value }
      client.start { result in
        log.append((try? result.get())?.count ?? 0)
        client.stop()
      }
      for _ in 0..<20 { try await loop.sleep(for: .zero).value }
      #expect(log.values.count == 1)
      var rest = count - log.values[0]
      while rest > 0 { rest -= try #require(try await client.next().value).count }
      #expect(rest == 0)
    }
  }

  @Test("A source has a handler or is asked, and several askers are answered in order", .rule(26))
  func askingTwice() async throws {
    let log = Log<String>()
    try await withPair { loop, client, server in
      client.start { _ in }
      await expectError(.sourceStarted, of: try await client.next().value)
      client.start { log.append("second handler \($0.error?.name ?? "ok")") }
      client.stop()
      for index in 0..<3 { client.next { log.append("\(index) \((try? $0.get())?.description ?? "end")") } }
      client.start { log.append("handler beside askers \($0.error?.name ?? "ok")") }
      for text in ["a", "b"] {
        try await server.write(Bytes(text)).value
        while log.values.last != (text == "a" ? "0 a" : "1 b") { try await loop.sleep(for: .zero).value }
      }
      try await server.shutdown().value
      while log.values.last != "2 end" { try await loop.sleep(for: .zero).value }
      try await client.close().value
      #expect(try await client.next().value == nil)
    }
    #expect(
      log.values == [
        "second handler ESOURCESTARTED", "handler beside askers ESOURCESTARTED", "0 a", "1 b", "2 end",
      ])
  }
}
