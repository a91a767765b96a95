#if Everything
import Testing
import UVFutures
import UVPromises
import UVTLS
import UVTestSupport

@testable import UVHTTP

/// Streams that are joined, as a tunnel of CONNECT is.
@Suite struct TunnelTests {
  /// Runs a tunnel between two connections, and calls `body` with their outer ends.
  private func withTunnel(
    _ join: nonisolated(nonsending) @escaping @Sendable (TCPConnection, TCPConnection) async throws -> Void,
    _ body: nonisolated(nonsending) @escaping @Sendable (TCPConnection, TCPConnection) async throws -> Void
  ) async throws {
    try await withLoop { loop in
      let listener = try loop.tcp.listen(host: "127.0.0.1", port: 0)
      let client = try await loop.tcp.connect(to: listener.localAddress()).value
      let accepted = try await listener.accept().value
      let made = try await loop.tcp.connect(to: listener.localAddress()).value
      let server = try await listener.accept().value
      listener.close()
      let joining = loop.spawn { () async throws in try await join(accepted, made) }
      try await body(client, server)
      client.close()
      server.close()
      try await joining.value
      #expect(accepted.isClosing && made.isClosing)
    }
  }

  @Test("Bytes pass in both directions at once, more than the system keeps, and each side ends by itself")
  func both() async throws {
    let page = Bytes((0..<10_000_000).map { UInt8($0 & 0xff) })
    try await withTunnel { one, other in
      try await one.join(other).value
    } _: { client, server in
      let reading = client.loop.spawn { () async throws(UVError) in
        try await client.readToEnd(limit: 20_000_000).value
      }
      try await client.write("hello").value
      #expect(try await server.read(exactly: 5).value == "hello")
      try await client.shutdown().value
      #expect(try await server.next().value == nil)
      try await server.write(page).value
      try await server.shutdown().value
      #expect(try await reading.value == page)
    }
  }

  @Test("A peer that resets has the other one reset, which can't take what it has got for the whole")
  func reset() async throws {
    try await withTunnel { one, other in
      let error = await failure { try await one.join(other).value }
      #expect(error?.code == .connectionReset)
    } _: { client, server in
      try await server.write("half").value
      #expect(try await client.read(exactly: 4).value == "half")
      server.closeReset()
      let code = await failure { _ = try await client.next().value }?.code
      #expect(code == .connectionReset)
    }
  }

  @Test("The timeout of one holds for both, and so does cancelling: both peers are reset")
  func timeouts() async throws {
    try await withTunnel { one, other in
      one.idleTimeout = .milliseconds(50)
      let error = await failure { try await one.join(other).value }
      #expect(error?.code == .timedOut)
    } _: { client, server in
      try await expectResets(client, server)
    }
    try await withTunnel { one, other in
      let joining = one.loop.spawn { () async in await failure { try await one.join(other).value }?.code }
      try await one.loop.sleep(for: .milliseconds(5)).value
      joining.cancel()
      #expect(await joining.value == .cancelled)
    } _: { client, server in
      try await expectResets(client, server)
    }
  }

  @Test(
    "A tunnel isn't idle while one side sends, also when the other one has ended; a timeout of one's readers counts",
    arguments: [false, true], [false, true])
  func oneSided(fromClient: Bool, halfClosed: Bool) async throws {
    try await withTunnel { one, other in
      one.idleTimeout = .milliseconds(200)
      try await one.join(other).value
    } _: { client, server in
      let (sender, taker) = fromClient ? (client, server) : (server, client)
      if halfClosed { try await taker.shutdown().value }
      for _ in 0..<30 {
        try await sender.write("a").value
        #expect(try await taker.next().value == "a")
        try await sender.loop.sleep(for: .milliseconds(20)).value
      }
      if !halfClosed { try await taker.shutdown().value }
      try await sender.shutdown().value
      #expect(try await taker.next().value == nil)
      #expect(try await sender.next().value == nil)
    }
    try await withTunnel { one, other in
      (fromClient ? one : other).readTimeout = .milliseconds(50)
      let error = await failure { try await one.join(other).value }
      #expect(error?.code == .timedOut)
    } _: { client, server in
      try await expectResets(client, server)
    }
  }

  private nonisolated(nonsending) func expectResets(_ peers: TCPConnection...) async throws {
    for peer in peers {
      let code = await failure { _ = try await peer.next().value }?.code
      #expect(code == .connectionReset)
    }
  }

  @Test("A stream isn't joined with itself; promises and publishers join two")
  func styles() async throws {
    try await withTunnel { one, other in
      let error = await failure { try await one.join(one).value }
      #expect(error == UVError(.invalidArgument, operation: "join"))
      try await one.join(other).promise().value
    } _: { client, server in
      try await client.shutdown().value
      try await server.shutdown().value
      #expect(try await client.next().value == nil)
    }
    try await withTunnel { one, other in
      var hasEnded = false
      let joining = one.join(other).publisher().sink { _ in
        hasEnded = true
      } receiveValue: { _ in
      }
      while !hasEnded { try await one.loop.sleep(for: .milliseconds(1)).value }
      withExtendedLifetime(joining) {}
    } _: { client, server in
      try await client.shutdown().value
      try await server.shutdown().value
      #expect(try await client.next().value == nil)
    }
  }

  @Test(
    "At the end of the service a tunnel goes on while there are bytes. Peers that haven't ended are then reset"
  )
  func quiescing() async throws {
    try await withTunnel { one, other in
      try await one.join(other, lastSilence: .milliseconds(50)).value
    } _: { client, server in
      try await client.write("a").value
      #expect(try await server.read(exactly: 1).value == "a")
      client.loop.shutdownGracefully(within: .seconds(10)) { _ in }
      try await server.write("b").value
      #expect(try await client.read(exactly: 1).value == "b")
      try await expectResets(client, server)
    }
  }

  @Test("A tunnel from TLS to TCP passes on both ends, each by itself")
  func secure() async throws {
    makeCertificates()
    let certificates = Certificates.shared.directory
    let page = Bytes(repeating: 7, count: 1_000_000)
    try await withLoop { loop in
      let identity = try TLSIdentity(
        certificateChain: "\(certificates)/server.pem", privateKey: "\(certificates)/server.key")
      let outer = try loop.tls.listen(host: "127.0.0.1", port: 0, .server(identity))
      let target = try loop.tcp.listen(host: "127.0.0.1", port: 0)
      let joining = loop.spawn { () async throws in
        let accepted = try await outer.accept().value
        let made = try await loop.tcp.connect(to: target.localAddress()).value
        try await accepted.join(made).value
        #expect(accepted.isClosing && made.isClosing)
      }
      let context = try TLSContext.client(trust: .certificates("\(certificates)/root.pem"))
      let port = Int(try outer.localAddress().port)
      let client = try await loop.tls.connect(host: "127.0.0.1", port: port, context).value
      let server = try await target.accept().value
      let reading = loop.spawn { () async throws(UVError) in
        try await client.readToEnd(limit: 2_000_000).value
      }
      try await client.write("hello").value
      try await client.shutdown().value
      #expect(try await server.readToEnd(limit: 100).value == "hello")
      try await server.write(page).value
      try await server.shutdown().value
      #expect(try await reading.value == page)
      (client.close(), server.close())
      try await joining.value
      (outer.close(), target.close())
    }
  }

  @Test("CONNECT opens a tunnel, with what the client has sent ahead")
  func connect() async throws {
    try await withLoop { loop in
      let target = try loop.tcp.listen(host: "127.0.0.1", port: 0)
      let port = try target.localAddress().port
      let proxy = try loop.http.listen(host: "127.0.0.1", port: 0)
      let serving = loop.spawn { () async throws in
        for try await exchange in proxy {
          let place = try #require(HostPort(exchange.request.authority ?? ""))
          let server = try await loop.tcp.connect(host: place.host, port: place.port).value
          try await exchange.upgrade(HTTPResponse(status: .ok)).value.join(server).value
        }
      }
      let client = try await loop.tcp.connect(to: proxy.localAddress()).value
      let head = "CONNECT 127.0.0.1:\(port) HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\n\r\n"
      try await client.write(Bytes("\(head)ahead")).value
      let server = try await target.accept().value
      #expect(try await server.read(exactly: 5).value == "ahead")
      try await server.write("back").value
      try await server.shutdown().value
      let answer = "\(try await client.readToEnd(limit: 1000).value)"
      #expect(answer.hasPrefix("HTTP/1.1 200 ") && answer.hasSuffix("\r\n\r\nback"))
      client.close()
      server.close()
      target.close()
      proxy.close()
      try await serving.value
    }
  }

  @Test(
    "A host and a port are read as they are written, and nothing else is",
    arguments: [
      ("a:1", "a 1"), ("example.com:65535", "example.com 65535"), ("[::1]:80", "::1 80"), ("a:0", nil),
      ("a:65536", nil), ("a", nil), (":1", nil), ("a:", nil), ("::1:80", nil), ("[::1]", nil), ("a:+1", nil),
      ("[]:1", nil), ("a b:1", nil), ("u@a:1", nil), ("[a]:1", nil), ("a:99999999999999999999", nil),
    ] as [(String, String?)])
  func hostPort(text: String, parts: String?) {
    let place = HostPort(text)
    #expect(place.map { "\($0.host) \($0.port)" } == parts)
    if let place { #expect("\(place)" == text) }
  }
}
#endif
