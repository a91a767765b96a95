// A server behind a load balancer, which says by the PROXY protocol whose connection it passes on.
import UV
import UVTLS

enum BehindALoadBalancer: Program {
  static func main() throws {
    try EventLoop.run { loop in
      let listener = try loop.tcp.listen(host: "127.0.0.1", port: 0).proxyProtocol(
        from: ["10.0.0.0/8", "127.0.0.1"], timeout: .seconds(5), limit: 100
      ) { print("closed:", $0) }
      let serving = loop.spawn { () async throws(UVError) in
        for try await connection in listener {
          let header = connection.proxyHeader
          print(
            header?.source?.description ?? "-", header?.destination?.description ?? "-",
            header?.fields.count ?? -1)
          print(header?[0xE0] ?? "none")
          connection.close()
        }
      }
      for text in ["PROXY TCP4 192.0.2.1 198.51.100.7 8080 443\r\n", "GET / HTTP/1.1\r\n"] {
        let balancer = try await loop.tcp.connect(to: listener.localAddress()).value
        try await balancer.write(Bytes(text)).value
        _ = try? await balancer.next().value
        balancer.close()
      }
      try await listener.close().value
      try await serving.value

      let (near, far) = try loop.pipes.socketPair()
      try await near.write("PROXY UNKNOWN\r\n").value
      let header = try await far.readProxyHeader().value
      print(header == ProxyHeader(source: nil, destination: nil, fields: []))
      far.readProxyHeader { result in
        if case .failure(let error) = result { print(error) }
      }
      near.close()
      try await loop.sleep(for: .milliseconds(10)).value
      far.close()

      do throws(UVError) {
        let plain = try loop.tcp.listen(host: "127.0.0.1", port: 0)
        defer { plain.close() }
        _ = try loop.tls.listen(over: plain, try .client())
      } catch { print(error) }
      let field = ProxyHeader.Field(type: 2, bytes: "example.org")
      print(field.type, field.bytes)
    }
  }
}

// Prints:
// 192.0.2.1:8080 198.51.100.7:443 0
// none
// closed: accept: the peer doesn't begin with a PROXY header (EPROTO)
// true
// read a PROXY header: end of file (EOF)
// listen a client's context: invalid argument (EINVAL)
// 2 example.org
