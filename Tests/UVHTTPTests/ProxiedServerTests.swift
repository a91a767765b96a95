#if Everything
import Testing
import UV
import UVTestSupport

@testable import UVHTTP

@Suite struct ProxiedServerTests {
  @Test("A server without a host serves both families, and knows clients by their own addresses")
  func families() async throws {
    try await withLoop { loop in
      let server = try loop.http.listen(port: 0)
      let serving = loop.spawn {
        for try await exchange in server {
          let address = try exchange.peerAddress()
          try await exchange.respond(HTTPResponse(status: .ok), Bytes("\(address)")).value
        }
      }
      for host in ["127.0.0.1", "::1"] {
        let port = Int(try server.localAddress().port)
        let client = try await loop.tcp.connect(host: host, port: port).value
        try await client.write("GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n").value
        let address = try client.localAddress()
        let answer = "\(try await client.readToEnd(limit: 10_000).value)"
        #expect(answer.hasSuffix("\r\n\r\n\(address)"), "\(answer)")
        client.close()
      }
      server.close()
      try await serving.value
    }
  }

  @Test("A load balancer on this machine is let in by its address of IPv4, whichever socket it comes to")
  func loadBalancer() async throws {
    try await withLoop { loop in
      let server = loop.http.serve(try loop.tcp.listen(port: 0).proxyProtocol(from: ["127.0.0.1"]))
      let port = Int(try server.localAddress().port)
      let client = try await loop.tcp.connect(host: "127.0.0.1", port: port).value
      try await client.write("PROXY UNKNOWN\r\nGET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n").value
      let exchange = try #require(try await server.next().value)
      #expect(try exchange.peerAddress() == client.localAddress())
      try await exchange.respond(HTTPResponse(status: .ok), "").value
      client.close()
      server.close()
    }
  }

  @Test("Behind a load balancer, the address of a request is the client's")
  func address() async throws {
    try await withLoop { loop in
      let listener = try loop.tcp.listen(host: "127.0.0.1", port: 0).proxyProtocol(from: ["127.0.0.1"])
      let server = loop.http.serve(listener)
      let serving = loop.spawn {
        for try await exchange in server {
          let address = try exchange.peerAddress()
          try await exchange.respond(HTTPResponse(status: .ok), Bytes("\(address)")).value
        }
      }
      for (header, address) in [
        ("PROXY TCP6 2001:db8::1 ::1 8080 80\r\n", "[2001:db8::1]:8080"), ("PROXY UNKNOWN\r\n", "127.0.0.1:"),
        ("PROXY TCP6 ::ffff:192.0.2.1 ::1 8080 80\r\n", "192.0.2.1:8080"),
      ] {
        let client = try await loop.tcp.connect(to: server.localAddress()).value
        try await client.write(Bytes(header + "GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")).value
        let answer = "\(try await client.readToEnd(limit: 10_000).value)"
        #expect(answer.split(separator: "\r\n\r\n").last?.hasPrefix(address) == true, "\(answer)")
        client.close()
      }
      server.close()
      try await serving.value
    }
  }
}
#endif
