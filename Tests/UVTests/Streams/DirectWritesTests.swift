import Testing
import UV
import UVTestSupport

/// A stream whose writes the system has always taken at once has nothing to remember of them.
@Suite struct DirectWritesTests {
  @Test func aStreamThatHasNeverWaitedIsAsItWasMade() async throws {
    try await withPair { loop, client, server in
      #expect(client.highWaterMark == 65536)
      #expect((client.writeQueueSize, client.isAboveHighWaterMark, client.isWritable) == (0, false, true))
      try await client.drain().value
      try await client.write("a").value
      #expect((client.writeQueueSize, client.isAboveHighWaterMark, client.isWritable) == (0, false, true))
      #expect(try await server.next().value == "a")
    }
  }

  @Test func aHighWaterMarkThatIsSetBeforeAnyWriteCounts() async throws {
    try await withPair { loop, client, server in
      client.highWaterMark = 3
      client.write("abcd") { _ in }
      #expect(!client.isAboveHighWaterMark)
      client.write("efg") { _ in }
      #expect(!client.isAboveHighWaterMark)
      client.write("h") { _ in }
      #expect(client.isAboveHighWaterMark)
      try await client.drain().value
      #expect((client.highWaterMark, client.isAboveHighWaterMark) == (3, false))
    }
  }

  @Test func `A write that follows one of the same turn waits, and doesn't overtake it`() async throws {
    try await withPair { loop, client, server in
      let ends = Log<Int>()
      for number in 0..<4 {
        if number % 2 == 0 {
          client.write(Bytes("\(number)")) { _ in ends.append(number) }
        } else {
          client.write([Bytes("\(number)"), ","]) { _ in ends.append(number) }
        }
      }
      #expect(client.writeQueueSize == 5)
      try await client.drain().value
      #expect(ends.values == [0, 1, 2, 3])
      client.close()
      var received = ""
      while let bytes = try await server.next().value { received += bytes.description }
      #expect(received == "01,23,")
    }
  }

  @Test("A task's write in a turn whose budget is used up leaves after the others have had their turn")
  func aTaskWritesThoughTheBudgetIsUsedUp() async throws {
    try await withPair { loop, client, server in
      // More than a turn's budget, so that some find it used up.
      for _ in 0..<300 { try await client.write("x").value }
      for _ in 0..<300 { try await client.write(["y", "z"]).value }
      #expect(client.writeQueueSize == 0)
      client.close()
      var received = 0
      while let bytes = try await server.next().value { received += bytes.count }
      #expect(received == 900)
    }
  }

  @Test func theFirstWriteMayBeTheOneThatWaits() async throws {
    try await withPair { loop, client, server in
      let large = Bytes(repeating: 7, count: 1 << 24)
      let writes = [
        loop.spawn { try await client.write(large).value },
        loop.spawn { try await server.write([large]).value },
      ]
      var received = (0, 0)
      while received.0 < large.count { received.0 += try await server.next().value?.count ?? large.count }
      while received.1 < large.count { received.1 += try await client.next().value?.count ?? large.count }
      #expect(received == (large.count, large.count))
      for write in writes { try await write.value }
    }
  }

  @Test func theFirstWriteMayFail() async throws {
    try await withPair { loop, client, server in
      try await server.closeReset().value
      // The reset arrives.
      await #expect(throws: UVError.self) { try await client.next().value }
      await #expect(throws: UVError.self) { try await client.write("x").value }
      await #expect(throws: UVError.self) { try await client.write("x").value }
      #expect(throws: UVError.self) { try client.tryWrite("x") }
      #expect(!client.isWritable)
    }
  }

  @Test func aClosedStreamRefusesItsFirstWrite() async throws {
    try await withPair { loop, client, server in
      client.close()
      let refused = UVError(.badDescriptor, operation: "write")
      await #expect(throws: refused) { try await client.write("x").value }
      await #expect(throws: refused) { try await client.write(["x"]).value }
      #expect(throws: UVError(.badDescriptor, operation: "try_write")) { try client.tryWrite("x") }
      let codes = Log<UVError.Code?>()
      client.write("x") { codes.append($0.error?.code) }
      client.write(["x"]) { codes.append($0.error?.code) }
      try await client.close().value
      #expect(codes.values == [.badDescriptor, .badDescriptor])
    }
  }
}
