import Testing
import UV
import UVTestSupport

/// Listeners behind a load balancer.
@Suite struct ProxiedListenerTests {
  private let line = "PROXY TCP4 192.0.2.1 198.51.100.7 8080 443\r\n" as Bytes

  @Test func `The header is taken off and reported, however it is cut; what follows is there`() async throws {
    let line = line
    try await withLoop { loop in
      let listener = try loop.tcp.listen(host: "127.0.0.1", port: 0).proxyProtocol(from: ["127.0.0.0/8"])
      for cut in [0, 1, 7, line.count - 1, line.count] {
        let client = try await loop.tcp.connect(to: listener.localAddress()).value
        let accepting = loop.spawn { () async throws(UVError) in try await listener.next().value }
        if cut > 0 { try await client.write(Bytes(line[..<cut])).value }
        try await loop.settle()
        try await client.write([Bytes(line[cut...]), "hello\n"]).value
        let server = try #require(try await accepting.value)
        #expect(server.proxyHeader?.source?.description == "192.0.2.1:8080")
        #expect(server.proxyHeader?.destination?.description == "198.51.100.7:443")
        #expect(try await server.readLine(limit: 10).value == "hello")
        try await server.write("answer").value
        #expect(try await client.read(exactly: 6).value == "answer")
        client.close()
        #expect(try await server.next().value == nil)
        server.close()
        #expect(server.proxyHeader == nil)
      }
      try await listener.close().value
      #expect(try await listener.next().value == nil)
    }
  }

  @Test(
    "A reader that pauses while the service ends gets the end, also if the last header comes meanwhile")
  func pausedAtTheEnd() async throws {
    let line = line
    try await withLoop { loop in
      let failures = Log<UVError.Code>()
      let listener = try loop.tcp.listen(host: "127.0.0.1", port: 0).proxyProtocol(from: ["127.0.0.1"]) {
        failures.append($0.code)
      }
      let reading = loop.spawn { () async throws(UVError) in try await listener.next().value }
      let first = try await loop.tcp.connect(to: listener.localAddress()).value
      let second = try await loop.tcp.connect(to: listener.localAddress()).value
      try await loop.until { loop.statistics.accepted == 2 }
      let shutdown = loop.spawn { () async throws(UVError) in
        try await loop.shutdownGracefully(within: .seconds(20)).value
      }
      try await loop.settle()
      try await first.write(line).value
      let connection = try #require(try await reading.value)
      // The reader is busy with it.
      try await loop.settle()
      try await second.write("GET / HTTP/1.1\r\n\r\n").value
      try await loop.until { failures.values.count == 1 }
      #expect(try await listener.next().timeout(after: .seconds(5)).value == nil)
      for stream in [first, second, connection] { stream.close() }
      #expect(try await shutdown.value.count == 0)
    }
  }

  @Test(
    "Others are closed with a reason: strangers, and who sends no header, a wrong one, a part, or none in time"
  )
  func failures() async throws {
    let line = line
    let failures = Log<String>()
    try await withLoop { loop in
      func expectClosed(
        _ sent: Bytes, from peers: [String], ends: Bool = false, timeout: Duration = .seconds(20)
      ) async throws {
        let count = failures.values.count
        let listener = try loop.tcp.listen(host: "127.0.0.1", port: 0).proxyProtocol(
          from: peers, timeout: timeout
        ) { failures.append($0.description) }
        let reading = loop.spawn { () async throws(UVError) in try await listener.next().value }
        let client = try await loop.tcp.connect(to: listener.localAddress()).value
        try await client.write(sent).value
        if ends { try await client.shutdown().value }
        try await loop.until { failures.values.count > count }
        _ = try? await client.readToEnd(limit: 100).value
        client.close()
        listener.close()
        #expect(try await reading.value == nil)
      }
      try await expectClosed(line, from: ["10.0.0.0/8", "::1"])
      try await expectClosed("GET / HTTP/1.1\r\n\r\n", from: ["127.0.0.1"])
      try await expectClosed("PROXY TCP4 \r\n", from: ["127.0.0.1"])
      try await expectClosed(Bytes(line[..<20]), from: ["127.0.0.1"], ends: true)
      try await expectClosed(Bytes(line[..<20]), from: ["127.0.0.1"], timeout: .milliseconds(50))
      try await expectClosed("", from: ["127.0.0.1"], timeout: .milliseconds(50))
    }
    #expect(
      failures.values == [
        "accept: 127.0.0.1 isn't among those who may send a PROXY header (EACCES)",
        "accept: the peer doesn't begin with a PROXY header (EPROTO)",
        "accept: the PROXY line isn't one of TCP4, TCP6 or UNKNOWN (EPROTO)",
        "accept: end of file (EOF)",
        "accept: connection timed out (ETIMEDOUT)", "accept: connection timed out (ETIMEDOUT)",
      ])
  }

  @Test("A peer that is slow holds up nobody, and no more are accepted than there are places")
  func sideBySide() async throws {
    let line = line
    try await withLoop { loop in
      let listener = try loop.tcp.listen(host: "127.0.0.1", port: 0).proxyProtocol(
        from: ["127.0.0.1"], limit: 2)
      let slow = try await loop.tcp.connect(to: listener.localAddress()).value
      let other = try await loop.tcp.connect(to: listener.localAddress()).value
      let fast = try await loop.tcp.connect(to: listener.localAddress()).value
      try await fast.write(line).value
      let reading = loop.spawn { () async throws(UVError) in
        var servers: [TCPConnection] = []
        for try await server in listener { servers.append(server) }
        return servers
      }
      // The two silent clients have both places.
      try await loop.settle()
      try await loop.settle()
      #expect(loop.statistics.accepted == 2)
      try await other.write(line).value
      try await loop.until { loop.statistics.accepted == 3 }
      try await loop.settle()
      listener.close()
      let servers = try await reading.value
      #expect(servers.map { try? $0.peerAddress() } == [try other.localAddress(), try fast.localAddress()])
      // The client that was still silent is closed with the listener.
      #expect(try await slow.next().value == nil)
      for stream in servers + [slow, other, fast] { stream.close() }
    }
  }

  @Test func `A header may be read by a request, with a limit, also of a Unix socket`() async throws {
    let line = line
    try await withLoop { loop in
      let (near, far) = try loop.pipes.socketPair()
      try await near.write([line, "rest"]).value
      let header = try await far.readProxyHeader().timeout(after: .seconds(10)).value
      #expect(far.proxyHeader == header && header.fields.isEmpty && header[2] == nil)
      #expect(try await far.read(exactly: 4).value == "rest")
      await expectError(
        .timedOut, of: try await far.readProxyHeader().timeout(after: .milliseconds(1)).value)
      near.close()
      await expectError(.endOfFile, of: try await far.readProxyHeader().value)
      far.close()
      #expect(far.proxyHeader == nil)
    }
  }

  @Test("Readers are answered in their order, a cancelled one leaves the bytes, and so does a failure")
  func order() async throws {
    let line = line
    let log = Log<String>()
    try await withLoop { loop in
      let (near, far) = try loop.pipes.socketPair()
      let cancelled = far.readProxyHeader { log.append($0.error?.name ?? "a header") }
      try await near.write(Bytes(line[..<30])).value
      try await loop.settle()
      cancelled.cancel()
      far.readProxyHeader { log.append("\((try? $0.get())?.source?.port ?? 0)") }
      far.readProxyHeader { log.append($0.error?.name ?? "a header") }
      far.readLine(limit: 10) { log.append((try? $0.get())?.map { "\($0)" } ?? "none") }
      try await near.write([Bytes(line[30...]), "hello\n"]).value
      try await loop.until { log.values.count == 4 }
      #expect(log.values == ["ECANCELED", "8080", "EPROTO", "hello"])
      near.close()
      far.close()
    }
  }

  @Test func `Wrong lists and limits are refused`() async throws {
    try await withLoop { loop in
      let listener = try loop.tcp.listen(host: "127.0.0.1", port: 0)
      for peers in [["10.0.0.0/33"], ["localhost"], ["::1", ""]] {
        #expect(throws: UVError.self) { try listener.proxyProtocol(from: peers) }
      }
      #expect(throws: UVError.self) { try listener.proxyProtocol(from: [], limit: 0) }
      listener.close()
    }
  }
}
