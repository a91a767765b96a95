import Testing
import UV
import UVTestSupport

/// An error that has ended a stream goes on being reported.
@Suite struct StreamErrorTests {
  @Test func everyReaderOfAStreamThatWasResetIsToldSo() async throws {
    let log = Log<String>()
    try await withPair { loop, client, server in
      func note(_ result: Result<Bytes?, UVError>) { log.append(result.error?.name ?? "end") }
      server.next(note)
      server.next(note)
      server.next(note)
      client.closeReset()
      while log.values.count < 3 { try await loop.sleep(for: .zero).value }
      await expectError(.connectionReset, of: try await server.next().value)
      await expectFailure(.connectionReset) { () async throws(UVError) in
        for try await _ in server {}
      }
      server.start(note)
      while log.values.count < 4 { try await loop.sleep(for: .zero).value }
    }
    #expect(log.values == Array(repeating: "ECONNRESET", count: 4))
  }

  @Test func `Bytes that come together with a reset are read, and then the reset is reported, not an end`()
    async throws
  {
    let log = Log<String>()
    try await withPair { loop, client, server in
      try await client.write("abc").value
      try await client.closeReset().value
      #expect(try await server.next().value == "abc")
      await expectError(.connectionReset, of: try await server.next().value)
    }
    try await withPair { loop, client, server in
      try await client.write("abc").value
      try await client.closeReset().value
      await expectError(.connectionReset, of: try await server.readToEnd(limit: 10).value)
    }
    try await withPair { loop, client, server in
      try await client.write("abc").value
      try await client.closeReset().value
      server.start { result in
        log.append((try? result.get()).map { "\($0)" } ?? result.error?.name ?? "end")
      }
      try await loop.until { log.values.count == 2 }
    }
    #expect(log.values == ["abc", "ECONNRESET"])
  }

  @Test func `Bytes that come together with the end of both directions are read, and then the end`()
    async throws
  {
    try await withPair { loop, client, server in
      try await server.shutdown().value
      try await client.write("abc").value
      try await client.close().value
      #expect(try await server.next().value == "abc")
      #expect(try await server.next().value == nil)
    }
  }

  @Test func aCleanEndIsToldToEveryReader() async throws {
    try await withPair { loop, client, server in
      client.close()
      for _ in 0..<3 {
        let bytes = try await server.next().value
        #expect(bytes == nil)
      }
    }
  }

  @Test func aReaderThatAsksAfterACloseIsNotToldOfAnEnd() async throws {
    try await withPair { loop, client, server in
      try await client.close().value
      for _ in 0..<2 {
        await expectError(.cancelled, .badDescriptor, of: try await client.next().value)
      }
    }
  }

  @Test func aStreamIsNotWritableAfterAnAwaitedWriteHasFailed() async throws {
    try await withPair { loop, client, server in
      #expect(client.isWritable)
      try await server.close().value
      var error: UVError?
      while error == nil {
        do throws(UVError) {
          try await client.write("x").value
          try await loop.sleep(for: .zero).value
        } catch let failure { error = failure }
      }
      #expect(!client.isWritable)
      let code = try #require(error?.code)
      await expectError(code, of: try await client.write("x").value)
      #expect(throws: UVError(code, operation: "try_write")) { try client.tryWrite("x") }
    }
  }
}
