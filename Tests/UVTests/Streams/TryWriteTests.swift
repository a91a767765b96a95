import Testing
import UV
import UVTestSupport

@Suite struct TryWriteTests {
  @Test func aTryTakesWhatThereIsRoomForAndKeepsNothing() async throws {
    try await withPair { loop, client, server in
      #expect(try client.tryWrite("hello ") == 6)
      #expect(try client.tryWrite(["wor", "", "ld"]) == 5)
      #expect(try client.tryWrite([]) == 0)
      #expect(try await server.next().value == "hello world")
      let chunk = Bytes(repeating: 7, count: 1 << 20)
      var sent = 0
      var taken = 1
      while taken > 0 {
        taken = try client.tryWrite([chunk, chunk])
        sent += taken
      }
      #expect(client.writeQueueSize == 0)
      client.close()
      var received = 0
      while let bytes = try await server.next().value { received += bytes.count }
      #expect(received == sent)
    }
  }

  @Test func aTryDoesNotOvertakeWhatWaits() async throws {
    try await withPair { loop, client, server in
      client.write("a") { _ in }
      client.write("b") { _ in }
      #expect(try client.tryWrite("c") == 0)
      try await client.drain().value
      #expect(try client.tryWrite("c") == 1)
      client.close()
      var received = ""
      while let bytes = try await server.next().value { received += bytes.description }
      #expect(received == "abc")
    }
  }

  @Test func aTryFailsAsAWriteDoes() async throws {
    try await withPair { loop, client, server in
      try await client.shutdown().value
      #expect(throws: UVError(.brokenPipe, operation: "try_write")) { try client.tryWrite("x") }
      client.close()
      #expect(throws: UVError(.badDescriptor, operation: "try_write")) { try client.tryWrite("x") }
      // One buffer more than the system takes in one call.
      let many = Array(repeating: Bytes("x"), count: 1025)
      #expect(try server.tryWrite(many) == 1024)
    }
  }
}
