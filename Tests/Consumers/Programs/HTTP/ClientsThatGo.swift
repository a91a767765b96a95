// A server ceases to work for clients that have gone, and tells the others what will come.
import UVHTTP

enum ClientsThatGo: Program {
  private nonisolated(nonsending) static func answer(_ exchange: HTTPExchange) async {
    do {
      try await exchange.whileClientIsThere {
        var hints = HTTPResponse(status: .earlyHints)
        hints.headerFields[.eTag] = "1"
        try await exchange.inform(hints).value
        if exchange.request.path == "/slow" { try await exchange.loop.sleep(for: .seconds(3600)).value }
        try await exchange.respond(HTTPResponse(status: .ok), "hello").value
      }
    } catch {
      print((error as? UVError)?.code == .brokenPipe)
    }
  }

  static func main() throws {
    try EventLoop.run { loop in
      var limits = HTTPLimits()
      limits.connections = 1
      let server = try loop.http.listen(host: "127.0.0.1", port: 0, limits: limits)
      let serving = loop.spawn { () async throws(UVError) in
        for try await exchange in server { loop.spawn { await answer(exchange) } }
      }
      let address = try server.localAddress()
      for _ in 0..<2 {
        let impatient = try await loop.tcp.connect(to: address).value
        try await impatient.write("GET /slow HTTP/1.1\r\nHost: a\r\n\r\n").value
        _ = try await impatient.readLine(limit: 100).value
        impatient.close()
      }
      var options = HTTPClientOptions()
      try options.takeProxies(from: [
        "http_proxy": "http://proxy.example:3128", "no_proxy": "localhost,127.0.0.0/8",
      ])
      var proxy = try HTTPProxy(url: "user:password@proxy.example:3128")
      proxy.tunnelsAll = true
      options.secureProxy = proxy
      let client = HTTPClient(loop, options: options)
      guard let request = HTTPRequest(url: "http://\(address)/") else { return print("no URL") }
      let last = try await client.send(request, onInterim: { print($0.status.code) }).value
      print(last.status.code, last.url == "http://\(address)/", options.proxy?.port ?? 0, options.direct)
      print(proxy.tunnelsAll, proxy.authorization == nil)
      try await client.close().value

      // The same with a callback.
      server.close()
      try await serving.value
      let other = try loop.http.listen(host: "127.0.0.1", port: 0)
      let connection = try await loop.tcp.connect(to: other.localAddress()).value
      try await connection.write("GET / HTTP/1.1\r\nHost: a\r\n\r\n").value
      guard let exchange = try await other.next().value else { return print("no request") }
      exchange.clientGone { result in
        if case .success = result { print("gone") }
        other.close()
      }
      let waiting = exchange.clientGone()
      exchange.inform(HTTPResponse(status: .ok)) {
        if case .failure(let error) = $0 { print(error.name, error.cause == nil) }
      }
      connection.close()
      try await waiting.value
    }
  }
}

// Prints:
// true
// true
// 103
// 200 true 3128 ["localhost", "127.0.0.0/8"]
// true false
// EINVAL true
// gone
