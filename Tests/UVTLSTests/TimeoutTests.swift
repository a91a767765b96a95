import Testing
import UVTLS
import UVTestSupport

/// The timeouts of streams, on a TLS connection.
@Suite struct TimeoutTests {
  @Test func `A read timeout ends the reads that wait, and leaves the connection as it was`() async throws {
    try await withTLS { loop, server, client throws in
      server.readTimeout = .milliseconds(5)
      let handled = Log<UVError.Code?>()
      await expectError(.timedOut, of: try await server.read().value)
      try await client.write("half").value
      await expectError(.timedOut, of: try await server.read(exactly: 40_000).value)
      server.start { if let error = $0.error { handled.append(error.code) } }
      try await loop.until { !handled.values.isEmpty }
      #expect(handled.values == [.timedOut])
      server.readTimeout = nil
      try await server.write("408").value
      #expect(try await client.read().value == "408")
      try await client.write(" and half\n").value
      #expect(try await server.readLine(limit: 20).value == " and half")
    }
  }

  @Test func `A write timeout closes a connection whose peer doesn't read`() async throws {
    try await withTLS { loop, server, client throws in
      server.writeTimeout = .milliseconds(40)
      let reading = loop.spawn { () async throws(UVError) in try await server.read().value }
      await expectError(.timedOut, of: try await server.write(Bytes(repeating: 1, count: 8 << 20)).value)
      await expectError(.timedOut, of: try await reading.value)
      #expect(server.isClosing)
      await expectError(.timedOut, of: try await server.write("later").value)
      // Half of it has come, and no sign of the end.
      var count = 0
      await expectFailure(.tlsTruncated) { () async throws(UVError) in
        while let bytes = try await client.read().value { count += bytes.count }
      }
      #expect(count < 8 << 20)
    }
  }

  @Test func `An idle timeout counts bytes in both directions`() async throws {
    try await withTLS { loop, server, client throws in
      server.idleTimeout = .milliseconds(60)
      client.start { _ in }
      let writing = loop.spawn { () async throws(UVError) in
        for _ in 0..<40 {
          try await server.write("still here").value
          try await loop.sleep(for: .milliseconds(3)).value
        }
        return loop.now
      }
      await expectError(.timedOut, of: try await server.read().value)
      // It came after the last write.
      let (last, end) = try await (writing.value, loop.now)
      #expect(end > last)
    }
  }

  @Test(
    "The time in which a file is read for its peer does not count", arguments: FileTimeout.allCases,
    [false, true])
  func slowFile(timeout: FileTimeout, whileReading: Bool) async throws {
    try await withTLS { _, server, client in
      try await sendSlowFile(from: server, to: client, whileReading: whileReading, timeout)
    }
  }
}
