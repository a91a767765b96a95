import Testing
import UV
import UVTestSupport

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// Writing and ending: rules 27 to 31, and 36.
@Suite struct WriteRuleTests {
  @Test("A stream that is shut down for writing still reads, and cannot be shut down again", .rule(27))
  func halfClosed() async throws {
    try await withPair { loop, client, server in
      try await client.write("question").value
      try await client.shutdown().value
      await expectError(.brokenPipe, of: try await client.write("more").value)
      await expectError(.notConnected, of: try await client.shutdown().value)
      #expect(try await server.next().value == "question")
      #expect(try await server.next().value == nil)
      try await server.write("answer").value
      #expect(try await client.next().value == "answer")
    }
  }

  @Test("A shutdown waits for what is queued, and succeeds where the peer has gone", .rule(27))
  func shutdownWaitsForWrites() async throws {
    let log = Log<String>()
    try await withPair { loop, client, server in
      client.write(Bytes(repeating: 1, count: 8 << 20)) { _ in log.append("written") }
      client.shutdown { log.append("shut down \($0.error?.name ?? "ok")") }
      var count = 0
      for try await part in server { count += part.count }
      #expect(count == 8 << 20)
      while log.values.count < 2 { try await loop.sleep(for: .zero).value }
      // The peer resets, and there is nobody left to notify.
      client.closeReset()
      while (try? server.peerAddress()) != nil { try await loop.sleep(for: .zero).value }
      try await server.shutdown().value
    }
    #expect(log.values == ["written", "shut down ok"])
  }

  @Test("A writer that waits for its writes is held up by a reader that stops", .rule(28))
  func awaitedWritesAreBounded() async throws {
    try await withPair { loop, client, server in
      let chunk = Bytes(repeating: 7, count: 1 << 20)
      var written = 0
      let writer = loop.spawn { () async throws(UVError) in
        for _ in 0..<1000 {
          try await client.write(chunk).value
          written += 1
        }
      }
      // It stops by itself while nobody reads.
      var before = -1
      while written != before {
        before = written
        for _ in 0..<50 { try await loop.sleep(for: .zero).value }
      }
      #expect(written < 100)
      #expect(client.writeQueueSize > 0)
      #expect(client.writeQueueSize <= chunk.count)
      var received = 0
      while received < 40 << 20 { received += try #require(try await server.next().value).count }
      #expect(written >= 30)
      writer.cancel()
      await expectError(.cancelled, of: try await writer.value)
    }
  }

  @Test("A writer that does not wait stops at the high-water mark and goes on after a drain", .rule(28))
  func theHighWaterMark() async throws {
    try await withPair { loop, client, server in
      #expect(client.highWaterMark == 65536)
      let chunk = Bytes(repeating: 7, count: 10_000)
      var sent = 0
      var received = 0
      for round in 0..<20 {
        client.highWaterMark = round < 10 ? 65536 : 1 << 20
        while !client.isAboveHighWaterMark, sent < 1 << 30 {
          client.write(chunk) { _ in }
          sent += chunk.count
        }
        #expect(client.writeQueueSize > client.highWaterMark)
        #expect(client.writeQueueSize <= client.highWaterMark + chunk.count)
        var isDrained = false
        client.drain { _ in isDrained = true }
        while received < sent { received += try #require(try await server.next().value).count }
        while !isDrained { try await loop.sleep(for: .zero).value }
        #expect(!client.isAboveHighWaterMark)
        #expect(client.writeQueueSize == 0)
      }
      try await client.shutdown().value
      for try await part in server { received += part.count }
      #expect(received == sent)
    }
  }

  @Test(.rule(29)) func `After an error nothing is counted as waiting`() async throws {
    let log = Log<UVError.Code?>()
    try await withPair { loop, client, server in
      client.write(Bytes(repeating: 1, count: 16 << 20)) { log.append($0.error?.code) }
      client.write("behind it") { log.append($0.error?.code) }
      #expect(client.writeQueueSize > 0)
      server.closeReset()
      while log.values.count < 2 { try await loop.sleep(for: .zero).value }
      #expect(client.writeQueueSize == 0)
      #expect(!client.isWritable)
      try await client.drain().value
    }
    #expect(log.values.allSatisfy { $0 == .connectionReset || $0 == .brokenPipe })
  }

  @Test("The end of a write is reported after the call has returned, also if it was taken at once", .rule(30))
  func writesEndLater() async throws {
    let log = Log<String>()
    try await withPair { loop, client, server in
      client.write("a") { _ in log.append("written") }
      #expect(client.writeQueueSize == 0)
      log.append("returned")
      let received = try await server.next().value
      #expect(received == "a")
    }
    #expect(log.values == ["returned", "written"])
  }

  @Test(.rule(31)) func `A write to a peer that has gone is an error, and no SIGPIPE`() async throws {
    try await withPair { loop, client, server in
      try await server.close().value
      var code: UVError.Code?
      while code == nil {
        code = await UVTestSupport.code { () async throws(UVError) in
          try await client.write("x").value
          try await loop.sleep(for: .zero).value
        }
      }
      #expect(code == .brokenPipe || code == .connectionReset)
      code = await UVTestSupport.code { () async throws(UVError) in try await client.write("x").value }
      #expect(code == .brokenPipe || code == .connectionReset)
    }
  }

  @Test(.rule(36)) func `A write to a connection that is closed says so`() async throws {
    try await withPair { loop, client, _ in
      client.close()
      await expectError(.badDescriptor, of: try await client.write("x").value)
      await expectError(.badDescriptor, of: try await client.write(["x", "y"]).value)
      await expectError(.badDescriptor, of: try await client.shutdown().value)
    }
  }
}
