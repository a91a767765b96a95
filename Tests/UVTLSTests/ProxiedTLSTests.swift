import Foundation
import Testing
import UVTLS
import UVTestSupport

/// TLS behind a load balancer that speaks the PROXY protocol.
@Suite struct ProxiedTLSTests {
  private let certificates = Certificates.shared

  @Test func `The header comes before the handshake, and the secured connection has it`() async throws {
    let (server, client) = try (certificates.server(), certificates.client())
    let failures = Log<String>()
    try await withLoop { loop in
      let plain = try loop.tcp.listen(host: "127.0.0.1", port: 0).proxyProtocol(from: ["127.0.0.1"])
      let listener = try loop.tls.listen(over: plain, server) { failures.append($0.description) }
      let accepting = loop.spawn { () async throws(UVError) in try await listener.next().value }
      let raw = try await loop.tcp.connect(to: listener.localAddress()).value
      try await raw.write("PROXY TCP4 192.0.2.1 198.51.100.7 8080 443\r\n").value
      let secured = try await loop.tls.secure(raw, client, host: "localhost").value
      let accepted = try #require(try await accepting.value)
      #expect(accepted.proxyHeader?.source?.description == "192.0.2.1:8080")
      try await secured.write("hello").value
      #expect(try await accepted.read(exactly: 5).value == "hello")
      // A client that doesn't speak TLS behind the header.
      let further = loop.spawn { () async throws(UVError) in try await listener.next().value }
      let other = try await loop.tcp.connect(to: listener.localAddress()).value
      try await other.write("PROXY UNKNOWN\r\nGET / HTTP/1.1\r\n\r\n").value
      try await loop.until { failures.values == ["accept: http request (TLS)"] }
      for stream in [secured, accepted, other] { stream.close() }
      listener.close()
      #expect(try await further.value == nil)
      #expect(throws: UVError.self) { try loop.tls.listen(over: plain, client) }
    }
  }

  @Test("Connections whose header has come, and that nobody has asked for, end with the listener")
  func rest() async throws {
    let server = try certificates.server()
    try await withLoop { loop in
      let plain = try loop.tcp.listen(host: "127.0.0.1", port: 0).proxyProtocol(from: ["127.0.0.1"])
      let listener = try loop.tls.listen(over: plain, server, handshakeLimit: 1)
      listener.next { _ in }
      var peers: [TCPConnection] = []
      for _ in 0..<4 {
        let peer = try await loop.tcp.connect(to: listener.localAddress()).value
        try await peer.write("PROXY UNKNOWN\r\n").value
        peers.append(peer)
        try await loop.settle()
      }
      listener.close()
      for peer in peers {
        _ = try? await peer.readToEnd(limit: 100).value
        peer.close()
      }
    }
  }

  private static let haproxy = ["/usr/sbin/haproxy", "/usr/bin/haproxy"].first {
    FileManager.default.isExecutableFile(atPath: $0)
  }

  @Test(
    "HAProxy says whose connection it is, with and without TLS, in both versions",
    .enabled(if: haproxy != nil, "haproxy is missing; Tests/Suites/Parts/clients installs it"),
    arguments: ["send-proxy", "send-proxy-v2 proxy-v2-options crc32c,unique-id"], [false, true])
  func loadBalancer(option: String, isSecure: Bool) async throws {
    let (server, client) = try (certificates.server(), certificates.client())
    try await withLoopAndDirectory { loop, directory in
      let plain = try loop.tcp.listen(host: "127.0.0.1", port: 0).proxyProtocol(from: ["127.0.0.1"]) {
        Issue.record("\($0)")
      }
      let port = try plain.localAddress().port
      // A socket that this process has bound, so that no other can have its port.
      let front = try loop.tcp.listen(host: "127.0.0.1", port: 0)
      let frontPort = try front.localAddress().port
      try await front.close().value
      let configuration = """
        defaults
          mode tcp
          timeout connect 5s
          timeout client 20s
          timeout server 20s
        frontend f
          bind 127.0.0.1:\(frontPort)
          unique-id-format %[uuid()]
          default_backend b
        backend b
          server s 127.0.0.1:\(port) \(option)

        """
      try await loop.files.writeFile(directory + "/haproxy.cfg", Bytes(configuration)).value
      let child = try loop.processes.spawn(
        Self.haproxy!, ["-db", "-f", directory + "/haproxy.cfg"], stdio: [.ignore, .ignore, .ignore])
      let policy = RetryPolicy(attempts: 500, backoff: .constant(.milliseconds(20)))
      let address = try SocketAddress("127.0.0.1", port: Int(frontPort))
      let visitor = try await loop.tcp.connect(to: address).retry(policy).value
      if isSecure {
        let listener = try loop.tls.listen(over: plain, server)
        let accepting = loop.spawn { () async throws(UVError) in try await listener.next().value }
        let secured = try await loop.tls.secure(visitor, client, host: "localhost").value
        let accepted = try #require(try await accepting.value)
        try await talk(secured, accepted, secured.localAddress(), isSecond: option.contains("v2"))
      } else {
        let accepting = loop.spawn { () async throws(UVError) in try await plain.next().value }
        try await visitor.write("first").value
        let accepted = try #require(try await accepting.value)
        #expect(try await accepted.read(exactly: 5).value == "first")
        try await talk(visitor, accepted, visitor.localAddress(), isSecond: option.contains("v2"))
      }
      plain.close()
      try child.kill(.terminate)
      _ = try await child.exit().value
    }
  }

  private nonisolated(nonsending) func talk(
    _ client: ByteStream, _ server: ByteStream, _ address: SocketAddress, isSecond: Bool
  ) async throws {
    let header = try #require(server.proxyHeader)
    #expect(header.source == address)
    #expect((header[5] != nil) == isSecond)
    try await client.write("hello").value
    #expect(try await server.read(exactly: 5).value == "hello")
    client.close()
    server.close()
  }
}
