import CTestHooks
import Foundation
import Testing
import UV
import UVTestSupport

/// Writes that fail.
@Suite(.serialized) struct WriteFaultTests {
  @Test func `A write for which libuv has no memory ends, and does not keep the loop running`() async throws {
    let log = Log<UVError.Code?>()
    try await withPair { loop, client, server in
      let buffers = (0..<100).map { Bytes("\($0) ") }
      // The stream doesn't know of this one's end yet, and gathers the next.
      client.write("before it, ") { _ in }
      test_faults_arm(ENOMEM, FaultLayer.allocator, 1, 1, "malloc")
      client.write(buffers) { log.append($0.error?.code) }
      while log.values.isEmpty { try await loop.sleep(for: .zero).value }
      #expect(test_faults_disarm() == 1)
      // Nothing of it had left, so the stream is whole, and goes on.
      try await client.write("after it").value
      #expect(try await server.read(exactly: 19).value == "before it, after it")
    }
    #expect(log.values == [.outOfMemory])
  }

  @Test func `After bytes that were lost nothing more is written, and no end is asked for`() async throws {
    let log = Log<String>()
    try await withPair { loop, client, server in
      func note(_ what: String) -> (Result<Void, UVError>) -> Void {
        { log.append("\(what) \($0.error?.name ?? "ok")") }
      }
      // The system takes a part, and libuv has no room for the rest.
      test_faults_arm(ENOMEM, FaultLayer.libuv, 1, 1, "uv_write2")
      client.write(Bytes(repeating: 1, count: 16 << 20), note("begun"))
      #expect(client.writeQueueSize < 16 << 20)
      client.write("queued", note("queued"))
      while log.values.count < 2 { try await loop.sleep(for: .zero).value }
      #expect(test_faults_disarm() == 1)
      client.write("later", note("later"))
      client.shutdown(note("shutdown"))
      while log.values.count < 4 { try await loop.sleep(for: .zero).value }
      #expect(!client.isWritable)
      #expect(client.writeQueueSize == 0)
      client.closeReset()
      var received = 0
      var isIntact = true
      while let part = try? await server.next().value {
        isIntact = isIntact && part == Bytes(repeating: 1, count: part.count)
        received += part.count
      }
      #expect(isIntact)
      #expect(received > 0)
      #expect(received < 16 << 20)
    }
    #expect(log.values == ["begun ENOMEM", "queued ENOMEM", "later ENOMEM", "shutdown ENOMEM"])
  }

  @Test func `When a call for many writes fails, all of them fail, and so does what is written later`()
    async throws
  {
    let log = Log<UVError.Code?>()
    let count = 4000
    try await withPair { loop, client, server in
      client.write("before") { #expect($0.error == nil) }
      // More than one call of the system carries.
      for _ in 0..<count { client.write("x") { log.append($0.error?.code) } }
      test_faults_arm(ENOMEM, FaultLayer.libuv, 1, 1, "uv_try_write2")
      while log.values.count < count { try await loop.sleep(for: .zero).value }
      #expect(test_faults_disarm() == 1)
      #expect(log.values == Array(repeating: .outOfMemory, count: count))
      #expect(!client.isWritable && client.writeQueueSize == 0)
      await expectError(.outOfMemory, of: try await client.write("later").value)
      client.close()
      #expect(try await server.readToEnd(limit: 100).value == "before")
    }
  }
}
