import Testing
import UV
import UVTestSupport

@testable import UVHTTP

@Suite struct ProxiedServerTests {
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
