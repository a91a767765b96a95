#if Everything
import Testing
import UVTLS
import UVTestSupport

@testable import UVHTTP

/// Servers that have too many connections.
@Suite struct ServerRefusalTests {
  /// Runs a server with some connections and others that are refused, and a client that has the first.
  private func serve(
    connections: Int = 1, refused: Int = 2,
    _ client: nonisolated(nonsending) @escaping @Sendable (HTTPServer, TCPConnection) async throws -> Void
  ) async throws {
    try await withLoop { loop in
      var limits = HTTPLimits()
      (limits.connections, limits.refusedConnections) = (connections, refused)
      limits.lastSilence = .milliseconds(50)
      let server = try loop.http.listen(host: "127.0.0.1", port: 0, limits: limits)
      let serving = loop.spawn { () async throws in
        for try await exchange in server { try await exchange.respond(HTTPResponse(status: .ok), "a").value }
      }
      let first = try await loop.tcp.connect(to: server.localAddress()).value
      try await ask(first)
      try await client(server, first)
      first.close()
      server.close()
      try await serving.value
    }
  }

  private func ask(_ stream: TCPConnection) async throws {
    try await stream.write("GET / HTTP/1.1\r\nHost: a\r\n\r\n").value
    #expect(
      try await stream.read(until: "\r\n\r\na", limit: 1000).value?.starts(with: Bytes("HTTP/1.1 200 "))
        == true)
  }

  @Test("The largest numbers mean that all are served")
  func largest() async throws {
    try await serve(connections: .max, refused: .max) { server, _ in
      let second = try await server.loop.tcp.connect(to: server.localAddress()).value
      try await ask(second)
      #expect(server.counts == HTTPServerCounts(connections: 2, accepted: 2, refused: 0))
      second.close()
    }
  }

  @Test("A connection too many is answered with 503 and ends; when the first has gone there is room again")
  func refused() async throws {
    try await serve { server, first in
      let loop = server.loop
      for request in [
        "GET / HTTP/1.1\r\nHost: a\r\n\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\n",
        "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nabc",
        "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\nExpect: 100-continue\r\n\r\n",
      ] {
        let second = try await loop.tcp.connect(to: server.localAddress()).value
        let answer = try await Client(stream: second).exchange(request)
        #expect(
          answer.hasPrefix("HTTP/1.1 503 Service Unavailable\r\n") && answer.contains("connection: close\r\n")
        )
        #expect(answer.hasSuffix("\r\n\r\n503 there are too many connections\n"))
        second.close()
      }
      #expect(server.counts.refused == 3 && server.counts.accepted == 1 && server.counts.connections == 1)
      // The first is served on.
      try await ask(first)
      first.close()
      while server.counts.connections > 0 { try await loop.sleep(for: .milliseconds(1)).value }
      let next = try await loop.tcp.connect(to: server.localAddress()).value
      try await ask(next)
      #expect(server.counts == HTTPServerCounts(connections: 1, accepted: 2, refused: 3))
      next.close()
    }
  }

  @Test(
    "Those who are refused and say nothing go after a moment, and those beyond wait in the system's queue")
  func silent() async throws {
    try await serve { server, first in
      let loop = server.loop
      var silent: [TCPConnection] = []
      for _ in 0..<2 { silent.append(try await loop.tcp.connect(to: server.localAddress()).value) }
      while server.counts.refused < 2 { try await loop.sleep(for: .milliseconds(1)).value }
      let waiting = try await loop.tcp.connect(to: server.localAddress()).value
      let asking = loop.spawn { () async throws(UVError) in
        try await Client(stream: waiting).exchange("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
      }
      for stream in silent {
        #expect(try await stream.next().value == nil)
        stream.close()
      }
      #expect(try await asking.value.hasPrefix("HTTP/1.1 503 "))
      #expect(server.counts.refused == 3)
      waiting.close()
    }
  }

  @Test("A crowd that comes at once over TLS has as many connections as the limits say, and all are answered")
  func crowd() async throws {
    let certificates = Certificates.shared.directory
    try await withLoop { loop in
      var limits = HTTPLimits()
      (limits.connections, limits.refusedConnections) = (1, 2)
      // None of them goes because it is silent: a busy machine may be late with all handshakes.
      limits.lastSilence = .seconds(60)
      let identity = try TLSIdentity(
        certificateChain: "\(certificates)/server.pem", privateKey: "\(certificates)/server.key")
      let context = try TLSContext.client(trust: .certificates("\(certificates)/root.pem"))
      let listener = try loop.tls.listen(host: "127.0.0.1", port: 0, .server(identity))
      let port = Int(try listener.localAddress().port)
      let server = loop.http.serve(listener, limits: limits)
      let serving = loop.spawn { () async throws in
        for try await exchange in server { try await exchange.respond(HTTPResponse(status: .ok), "a").value }
      }
      let first = try await loop.tls.connect(host: "127.0.0.1", port: port, context).value
      while server.counts.accepted < 1 { try await loop.sleep(for: .milliseconds(1)).value }
      let answers = Log<String>()
      let crowd = (0..<8).map { _ in
        loop.spawn { () async throws in
          let stream = try await loop.tls.connect(host: "127.0.0.1", port: port, context).value
          // The first two are known to the server before one speaks.
          while server.counts.refused < 2 { try await loop.sleep(for: .milliseconds(1)).value }
          try await loop.sleep(for: .milliseconds(20)).value
          if answers.values.isEmpty { #expect(server.counts.refused == 2) }
          try await stream.write("GET / HTTP/1.1\r\nHost: a\r\n\r\n").value
          answers.append("\(try await stream.readToEnd(limit: 1000).value)")
          stream.close()
        }
      }
      for task in crowd { try await task.value }
      #expect(answers.values.allSatisfy { $0.hasPrefix("HTTP/1.1 503 ") })
      #expect(server.counts == HTTPServerCounts(connections: 1, accepted: 1, refused: 8))
      try await first.write("GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n").value
      #expect("\(try await first.readToEnd(limit: 1000).value)".hasPrefix("HTTP/1.1 200 "))
      first.close()
      server.close()
      try await serving.value
    }
  }

  @Test("Clients that have no room when their handshakes are done get the end when the server closes")
  func closedCrowd() async throws {
    let certificates = Certificates.shared.directory
    try await withLoop { loop in
      var limits = HTTPLimits()
      (limits.connections, limits.lastSilence) = (1, .milliseconds(20))
      let identity = try TLSIdentity(
        certificateChain: "\(certificates)/server.pem", privateKey: "\(certificates)/server.key")
      let context = try TLSContext.client(trust: .certificates("\(certificates)/root.pem"))
      let listener = try loop.tls.listen(host: "127.0.0.1", port: 0, .server(identity))
      let address = try listener.localAddress()
      let server = loop.http.serve(listener, limits: limits)
      // The server accepts all of them before one has said anything.
      var plain: [TCPConnection] = []
      for _ in 0..<4 { plain.append(try await loop.tcp.connect(to: address).value) }
      let serving = loop.spawn { for try await _ in server {} }
      var clients: [TLSConnection] = []
      for stream in plain {
        clients.append(try await loop.tls.secure(stream, context, host: "127.0.0.1").value)
      }
      try await loop.until { server.counts.accepted == 1 }
      server.close()
      for client in clients {
        _ = await failure { try await client.readToEnd(limit: 1000).value }
        client.close()
      }
      try await serving.value
      #expect(server.counts.accepted == 1)
    }
  }
}

extension HTTPServerCounts {
  fileprivate init(connections: Int, accepted: Int, refused: Int) {
    self.init()
    (self.connections, self.accepted, self.refused) = (connections, accepted, refused)
  }
}
#endif
