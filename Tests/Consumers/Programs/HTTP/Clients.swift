// A client asks a server: with bytes and with a source, with callbacks, limits, redirects and a proxy.
import UVHTTP
import UVTLS

enum Clients: Program {
  private nonisolated(nonsending) static func serve(_ server: HTTPServer) async throws(UVError) {
    for try await exchange in server {
      if exchange.request.path == "/moved" {
        var response = HTTPResponse(status: .found)
        response.headerFields[.location] = "/there"
        try await exchange.respond(response).value
        continue
      }
      if exchange.request.headerFields[.upgrade] == "echo" {
        var response = HTTPResponse(status: .switchingProtocols)
        response.headerFields[.upgrade] = "echo"
        let stream = try await exchange.upgrade(response).value
        try await stream.write("ready\n").value
        continue
      }
      if exchange.request.method == .connect {
        try await exchange.respond(HTTPResponse(status: .forbidden)).value
        continue
      }
      let body = try await exchange.body.readToEnd(limit: 1000).value
      var response = HTTPResponse(status: .ok)
      response.headerFields[.contentType] = "text/plain"
      let text = "\(exchange.request.method.rawValue) \(exchange.request.path ?? "") (\(body))"
      try await exchange.respond(response, Bytes(text)).value
    }
  }

  static func main() throws {
    try EventLoop.run { loop in
      let server = try loop.http.listen(host: "127.0.0.1", port: 0)
      let serving = loop.spawn { try await serve(server) }
      let port = Int(try server.localAddress().port)
      let url = "http://127.0.0.1:\(port)"

      var options = HTTPClientOptions()
      options.connections.resources = 2
      options.connecting = RetryPolicy(attempts: 2)
      options.origins = 10
      options.headTimeout = .seconds(5)
      options.idleTimeout = .seconds(5)
      options.total = .seconds(10)
      options.redirects = 1
      (options.fields, options.fieldCount, options.body) = (8192, 50, 1 << 20)
      let client = HTTPClient(loop, options: options, security: loop.tls)
      print(client.loop === loop)

      let answer = try await client.get(url + "/moved").value
      print(answer.status, answer.head.status == answer.status, answer.headerFields[.contentType] ?? "none")
      print(try await answer.body.readToEnd(limit: 100).value)

      guard let request = HTTPRequest(method: .put, url: url + "/a") else { return print("no URL") }
      print(HTTPRequest(url: "no URL") == nil)
      print(try await client.send(request, body: "bytes").value.body.readToEnd(limit: 100).value)
      for length in [nil, 10] {
        let source = CustomSource<Bytes>(loop, "body") { _ in }
        source.send("a ")
        source.send("source\r\n")
        source.finish()
        let answer = try await client.send(request, body: source, length: length).value
        print(try await answer.body.readToEnd(limit: 100).value.count)
      }
      print(client.counts.created, client.counts.idle, client.counts.leases)

      let answers = CustomSource<HTTPResponse.Status>(loop, "answers") { _ in }
      func note(_ result: Result<HTTPClientResponse, UVError>) {
        if case .success(let answer) = result { answers.send(answer.status) }
      }
      client.get(url, note)
      client.send(request, body: "b", note)
      let empty = CustomSource<Bytes>(loop, "body") { _ in }
      empty.finish()
      client.send(request, body: empty, note)
      for _ in 0..<3 { print(try await answers.next().value?.code ?? 0) }

      options.continueTimeout = .milliseconds(500)
      options.unixSocket = "/nowhere"
      let local = HTTPClient(loop, options: options)
      do throws(UVError) { _ = try await local.get("http://localhost/").value } catch { print(error.name) }
      options.unixSocket = nil
      let last = CustomSource<Bytes>(loop, "body") { _ in }
      last.send("checked")
      last.finish()
      let checked = try await client.send(request, body: last, trailers: { [.eTag: "1"] }).value
      print(try await checked.body.readToEnd(limit: 100).value)

      let echo = HTTPRequest(url: url, headerFields: [.upgrade: "echo"])!
      let switched = try await client.upgrade(echo).value
      print(switched.status, try await switched.stream?.readLine(limit: 10).value ?? "no stream")
      client.upgrade(echo, note)
      print(try await answers.next().value?.code ?? 0)

      print(
        try await loop.http.get(url).value.status.code, try await loop.http.send(request).value.status.code)
      var proxy = HTTPProxy(host: "127.0.0.1", port: port, authorization: "Basic dTpw")
      (proxy.host, proxy.port, proxy.authorization) = ("127.0.0.1", port, nil)
      options.proxy = proxy
      // The server is no proxy.
      let proxied = HTTPClient(
        loop, options: options, security: loop.tls.client(try TLSContext.client(trust: .system)))
      do throws(UVError) { _ = try await proxied.get("https://example.com/").value } catch {
        print(error.name)
      }
      try await client.close().value
      try await proxied.close().value
      server.close()
      try await serving.value
    }
  }
}

// Prints:
// true
// 200 OK true text/plain
// GET /there ()
// true
// PUT /a (bytes)
// 19
// 19
// 1 1 5
// 200
// 200
// 200
// ENOENT
// PUT /a (checked)
// 101 Switching Protocols ready
// 101
// 200 200
// EUNEXPECTEDANSWER
