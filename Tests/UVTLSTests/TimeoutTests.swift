import COpenSSL
import Testing
import UVTLS
import UVTestSupport

/// The timeouts of streams, on a TLS connection.
@Suite struct TimeoutTests {
  @Test func `A read timeout ends the reads that wait, and leaves the connection as it was`() async throws {
    try await withTLS { loop, server, client throws in
      server.readTimeout = .milliseconds(5)
      let handled = Log<UVError.Code?>()
      await expectError(.timedOut, of: try await server.next().value)
      try await client.write("half").value
      await expectError(.timedOut, of: try await server.read(exactly: 40_000).value)
      server.start { if let error = $0.error { handled.append(error.code) } }
      try await loop.until { !handled.values.isEmpty }
      #expect(handled.values == [.timedOut])
      server.readTimeout = nil
      try await server.write("408").value
      #expect(try await client.next().value == "408")
      try await client.write(" and half\n").value
      #expect(try await server.readLine(limit: 20).value == " and half")
    }
  }

  @Test func `A write timeout closes a connection whose peer doesn't read`() async throws {
    try await withTLS { loop, server, client throws in
      server.writeTimeout = .milliseconds(40)
      let reading = loop.spawn { () async throws(UVError) in try await server.next().value }
      await expectError(.timedOut, of: try await server.write(Bytes(repeating: 1, count: 8 << 20)).value)
      await expectError(.timedOut, of: try await reading.value)
      #expect(server.isClosing)
      await expectError(.timedOut, of: try await server.write("later").value)
      // Half of it has come, and no sign of the end.
      var count = 0
      await expectFailure(.tlsTruncated) { () async throws(UVError) in
        while let bytes = try await client.next().value { count += bytes.count }
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
      await expectError(.timedOut, of: try await server.next().value)
      // It came after the last write.
      let (last, end) = try await (writing.value, loop.now)
      #expect(end > last)
    }
  }

  @Test(
    "Parts of a record renew no timeout: its peer is silent until the program has a byte",
    arguments: [false, true])
  func trickle(isIdle: Bool) async throws {
    let (context, trusting) = (try Certificates.shared.server(), try Certificates.shared.client())
    try await withLoop { loop in
      let ((near, one), (other, far)) = (try loop.pipes.socketPair(), try loop.pipes.socketPair())
      // Between the two ends. From the server's answer on, what the client sends passes a byte at a time.
      var rest: [UInt8] = []
      var (isSlow, passedCount) = (false, 0)
      one.start { if case .success(let bytes?) = $0 { other.write(bytes) { _ in } } }
      other.start { result in
        guard case .success(let bytes?) = result else { return }
        if isSlow { rest += Array(bytes) } else { one.write(bytes) { _ in } }
      }
      let (server, client) = try await handshake(loop, near, far, context, trusting).get()
      try await client.write("a").value
      #expect(try await server.next().value == "a")
      isSlow = true
      try await client.write(Bytes(repeating: 1, count: 16_000)).value
      try await loop.until { rest.count > 16_000 }
      let passing = loop.spawn { () async throws(UVError) in
        for byte in rest where !one.isClosing {
          one.write([byte]) { _ in }
          passedCount += 1
          try await loop.sleep(for: .milliseconds(2)).value
        }
      }
      if isIdle { server.idleTimeout = .milliseconds(60) } else { server.readTimeout = .milliseconds(60) }
      await expectError(.timedOut, of: try await server.next().value)
      #expect(passedCount > 1 && passedCount < 16_000)
      for stream in [one, other, server, client] as [ByteStream] { stream.close() }
      try await passing.value
    }
  }

  @Test(
    "Records without content renew no timeout, even if they have to be answered", arguments: [false, true])
  func newKeys(isIdle: Bool) async throws {
    try await withTLS { loop, server, client throws in
      client.start { _ in }
      if isIdle { server.idleTimeout = .milliseconds(60) } else { server.readTimeout = .milliseconds(60) }
      let error = Log<UVError.Code?>()
      server.next { error.append($0.error?.code) }
      for _ in 0..<2000 where error.values.isEmpty {
        _ = SSL_key_update(client.raw, SSL_KEY_UPDATE_REQUESTED)
        _ = SSL_do_handshake(client.raw)
        client.flushFilter()
        try await loop.sleep(for: .milliseconds(2)).value
      }
      #expect(error.values == [.timedOut])
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
