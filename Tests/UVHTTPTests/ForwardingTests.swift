#if Everything
import Testing
import UVTestSupport

@testable import UVHTTP

/// Requests that are sent on to another server.
@Suite struct ForwardingTests {
  /// Runs a server behind a gateway, and a client of the gateway.
  private func withGateway(
    _ limits: HTTPLimits = HTTPLimits(), options: HTTPClientOptions = HTTPClientOptions(),
    fields: HTTPFields = [:], codes: [UVError.Code?],
    server handler: nonisolated(nonsending) @escaping @Sendable (HTTPExchange) async throws -> Void,
    client: nonisolated(nonsending) @escaping @Sendable (Client) async throws -> Void
  ) async throws {
    makeCertificates()
    try await withLoop { loop in
      let server = try loop.http.listen(host: "127.0.0.1", port: 0)
      let authority = "127.0.0.1:\(try server.localAddress().port)"
      let serving = loop.spawn { () async in
        do { for try await exchange in server { try await handler(exchange) } } catch {}
      }
      let gateway = try loop.http.listen(host: "127.0.0.1", port: 0, limits: limits)
      let forwarder = HTTPClient(loop, options: options)
      var ends: [UVError.Code?] = []
      let forwarding = loop.spawn { () async throws(UVError) in
        for try await exchange in gateway {
          do throws(UVError) {
            try await exchange.forward(
              changing: { request in
                (request.scheme, request.authority) = ("http", authority)
                for field in fields { request.headerFields[field.name] = field.value }
              }, by: forwarder, as: "gate"
            ).value
            ends.append(nil)
          } catch { ends.append(error.code) }
        }
      }
      let connection = try await loop.tcp.connect(to: gateway.localAddress()).value
      try await client(Client(stream: connection))
      connection.close()
      gateway.close()
      try await forwarding.value
      #expect(ends == codes)
      server.close()
      try await forwarder.close().value
      await serving.value
    }
  }

  @Test("Bodies, statuses and trailers pass, and fields but those of one connection")
  func passes() async throws {
    try await withGateway(codes: [nil, nil, nil, nil]) { exchange in
      let request = exchange.request
      let names = request.headerFields.map(\.name.canonicalName).sorted().joined(separator: " ")
      let body = try await exchange.body.readToEnd(limit: 1000).value
      var response = HTTPResponse(status: .ok, headerFields: [.eTag: "\"1\"", .connection: "etag-no"])
      response.headerFields[HTTPField.Name("Keep-Alive")!] = "timeout=1"
      switch request.path {
      case "/length": try await exchange.respond(response, Bytes("\(request.method) \(names) \(body)")).value
      case "/none": try await exchange.respond(HTTPResponse(status: .noContent)).value
      default:
        let writer = try exchange.begin(response)
        try await writer.write(body).value
        try await writer.finish(exchange.body.trailers).value
      }
    } client: { client in
      let own = "Connection: x-own\r\nX-Own: 1\r\nTE: trailers\r\nProxy-Authorization: secret\r\n"
      let first = "PUT /length HTTP/1.1\r\nHost: a\r\nAccept: b\r\n\(own)Content-Length: 3\r\n\r\nabc"
      let second =
        "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nde\r\n1\r\nf\r\n0\r\nX-T: t\r\n\r\n"
      let third = "GET /none HTTP/1.1\r\nHost: a\r\n\r\n"
      let last = "HEAD /length HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"
      let answer = try await client.exchange(first + second + third + last)
      #expect(answer.contains("\r\n\r\nPUT accept content-length via abcHTTP/1.1 200 "))
      #expect(answer.lowercased().contains("\r\nvia: 1.1 gate\r\n") && answer.contains("\"1\""))
      #expect(!answer.lowercased().contains("keep-alive"))
      #expect(answer.contains("0\r\nX-T: t\r\n\r\nHTTP/1.1 204 "))
      #expect(answer.hasSuffix("connection: close\r\n\r\n"))
    }
  }

  @Test("A client can't have a field dropped that the gateway sets, whatever its own field says")
  func ownFields() async throws {
    let user = try #require(HTTPField.Name("X-User"))
    try await withGateway(fields: [user: "anna"], codes: [nil]) { exchange in
      let fields = exchange.request.headerFields
      let text = "\(fields[user] ?? "nobody"), \(fields[.connection] ?? "no connection")"
      try await exchange.respond(HTTPResponse(status: .ok), Bytes(text)).value
    } client: { client in
      let own = "X-User: anna\r\nConnection: x-user, close\r\n"
      let answer = try await client.exchange("GET / HTTP/1.1\r\nHost: a\r\n\(own)\r\n")
      #expect(answer.hasSuffix("\r\n\r\nanna, no connection"))
    }
  }

  @Test("OPTIONS and TRACE are sent on as often as their clients say, and are then answered here")
  func maxForwards() async throws {
    try await withGateway(codes: Array(repeating: nil, count: 7)) { exchange in
      let text = "\(exchange.request.method) \(exchange.request.headerFields[.maxForwards] ?? "none")"
      try await exchange.respond(HTTPResponse(status: .ok), Bytes(text)).value
    } client: { client in
      let large = String(repeating: "9", count: 30)
      for (method, count, status, body) in [
        ("OPTIONS", "1", 200, "OPTIONS 0"), ("OPTIONS", "0", 200, ""), ("TRACE", "7", 200, "TRACE 6"),
        ("TRACE", "0", 501, ""), ("GET", "0", 200, "GET 0"), ("OPTIONS", "+1", 400, ""),
        ("OPTIONS", large, 200, "OPTIONS \(Int.max - 1)"),
      ] {
        let stream = client.stream
        let request = "\(method) / HTTP/1.1\r\nHost: a\r\nMax-Forwards: \(count)\r\n\r\n"
        try await stream.write(Bytes(request)).value
        let head = "\(try await stream.read(until: "\r\n\r\n", limit: 1000).value ?? "")"
        #expect(head.hasPrefix("HTTP/1.1 \(status) "), "\(method) \(count): \(head)")
        #expect(head.contains("content-length: \(body.utf8.count)"), "\(method) \(count): \(head)")
        #expect(try await stream.read(exactly: body.utf8.count).value == Bytes(body))
      }
    }
  }

  @Test(
    "Cancelling gives up both sides, before the answer and within it, which then breaks off",
    arguments: [false, true])
  func cancelled(isWithin: Bool) async throws {
    try await withLoop { loop in
      let server = try loop.http.listen(host: "127.0.0.1", port: 0)
      let authority = "127.0.0.1:\(try server.localAddress().port)"
      var asked: [HTTPExchange] = []
      server.start { result in
        guard case .success(let exchange?) = result else { return }
        asked.append(exchange)
      }
      let gateway = try loop.http.listen(host: "127.0.0.1", port: 0)
      let forwarder = HTTPClient(loop)
      var pending = PendingRequest()
      var codes: [UVError.Code?] = []
      gateway.start { result in
        guard case .success(let exchange?) = result else { return }
        pending = exchange.forward(
          changing: { ($0.scheme, $0.authority) = ("http", authority) }, by: forwarder
        ) { result in
          if case .failure(let error) = result { codes.append(error.code) } else { codes.append(nil) }
        }
      }
      let connection = try await loop.tcp.connect(to: gateway.localAddress()).value
      try await connection.write("GET / HTTP/1.1\r\nHost: a\r\n\r\n").value
      while asked.isEmpty { try await loop.sleep(for: .milliseconds(1)).value }
      var writer: HTTPResponseWriter?
      if isWithin {
        writer = try asked[0].begin(HTTPResponse(status: .ok))
        try await writer?.write("half").value
        _ = try await connection.read(until: "half\r\n", limit: 1000).value
      }
      pending.cancel()
      // Once more does nothing.
      pending.cancel()
      while codes.isEmpty { try await loop.sleep(for: .milliseconds(1)).value }
      #expect(codes == [.cancelled])
      if isWithin {
        #expect(try await connection.readToEnd(limit: 1000).value == "")
      } else {
        let head = "\(try await connection.read(until: "\r\n\r\n", limit: 1000).value ?? "")"
        #expect(head.hasPrefix("HTTP/1.1 50"))
      }
      #expect(forwarder.counts.leased == 0 && forwarder.counts.discarded == 1)
      writer = nil
      asked = []
      pending = PendingRequest()
      connection.close()
      (gateway.close(), server.close())
      try await forwarder.close().value
    }
  }

  @Test("A server that can't be asked is 502, one that is slow is 504, and the connection goes on")
  func gateway() async throws {
    var options = HTTPClientOptions()
    options.headTimeout = .milliseconds(50)
    let (isGivenUp, answers) = (Log<Bool>(), Log<Bool>())
    try await withGateway(options: options, codes: [.timedOut, nil]) { exchange in
      if exchange.request.path == "/slow" { try await exchange.loop.until { !isGivenUp.values.isEmpty } }
      defer { answers.append(true) }
      try await exchange.respond(HTTPResponse(status: .ok), "ok").value
    } client: { client in
      try await client.stream.write("GET /slow HTTP/1.1\r\nHost: a\r\n\r\n").value
      let head = try await client.stream.read(until: "\r\n\r\n", limit: 1000).value
      #expect("\(head ?? "")".hasPrefix("HTTP/1.1 504 "))
      isGivenUp.append(true)
      try await client.stream.loop.until { !answers.values.isEmpty }
      let answer = try await client.exchange("GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
      #expect(answer.hasSuffix("\r\n\r\nok"))
    }
    try await withServer { exchange in
      let client = HTTPClient(exchange.loop)
      let error = await failure {
        try await exchange.forward(
          changing: { ($0.scheme, $0.authority) = ("http", "127.0.0.1:1") }, by: client
        ).value
      }
      #expect(error?.code == .connectionRefused)
    } client: { client in
      let answer = try await client.exchange("GET / HTTP/1.0\r\n\r\n")
      #expect(answer.hasPrefix("HTTP/1.1 502 ") && !answer.contains("127.0.0.1"))
    }
  }

  @Test("A body of the client's that is wrong has its own status, and an answer that breaks off breaks off")
  func faults() async throws {
    try await withGateway(codes: [.invalidArgument]) { exchange in
      _ = try await exchange.body.readToEnd(limit: 1000).value
    } client: { client in
      let answer = try await client.exchange(
        "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabcd")
      #expect(answer.hasPrefix("HTTP/1.1 400 "))
    }
    try await withGateway(codes: [.endOfFile]) { exchange in
      let writer = try exchange.begin(HTTPResponse(status: .ok))
      try await writer.write("half").value
    } client: { client in
      let answer = try await client.exchange("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
      #expect(answer.hasSuffix("4\r\nhalf\r\n"))
    }
  }

  @Test("A client that takes its answer through a gateway isn't silent, though it sends nothing of the body")
  func upload() async throws {
    var limits = HTTPLimits()
    (limits.idleTimeout, limits.minimumRate) = (.milliseconds(100), 1000)
    var options = HTTPClientOptions()
    options.idleTimeout = .milliseconds(100)
    let bodies = Log<Bytes?>()
    try await withGateway(limits, options: options, codes: [nil]) { exchange in
      let writer = try exchange.begin(HTTPResponse(status: .ok))
      exchange.body.readToEnd(limit: 100) { bodies.append($0.value) }
      while bodies.values.isEmpty {
        try await writer.write(Bytes(repeating: 0x78, count: 1000)).value
        try await exchange.loop.sleep(for: .milliseconds(2)).value
      }
      try await writer.finish().value
    } client: { client in
      let stream = client.stream
      let head = "POST / HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Length: 4\r\n\r\nab"
      try await stream.write(Bytes(head)).value
      let end = stream.loop.clock.now.advanced(by: .milliseconds(400))
      while stream.loop.clock.now < end { try #require(try await stream.next().value != nil) }
      try await stream.write("cd").value
      #expect(try await stream.readToEnd(limit: 1 << 20).value.suffix(5).elementsEqual("0\r\n\r\n".utf8))
      #expect(bodies.values == ["abcd"])
    }
  }

  @Test(
    "A client that resets its connection has the other server's given up", arguments: [false, true],
    [
      "GET / HTTP/1.1\r\nHost: a\r\n\r\n", "GET / HTTP/1.0\r\n\r\n",
      "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nabc",
      "GET / HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n\r\n",
    ])
  func clientResets(isWithin: Bool, request: String) async throws {
    try await withLoop { loop in
      let server = try loop.http.listen(host: "127.0.0.1", port: 0)
      let authority = "127.0.0.1:\(try server.localAddress().port)"
      let gateway = try loop.http.listen(host: "127.0.0.1", port: 0)
      let forwarder = HTTPClient(loop)
      let client = try await loop.tcp.connect(to: gateway.localAddress()).value
      try await client.write(Bytes(request)).value
      let exchange = try #require(try await gateway.next().value)
      let forwarding = loop.spawn { () async in
        await failure {
          try await exchange.forward(
            changing: { ($0.scheme, $0.authority) = ("http", authority) }, by: forwarder
          ).value
        }?.code
      }
      let asked = try #require(try await server.next().value)
      var writer: HTTPResponseWriter?
      if isWithin {
        writer = try asked.begin(HTTPResponse(status: .ok))
        try await writer?.write("half").value
        _ = try await client.read(until: "half", limit: 1000).value
      }
      client.closeReset()
      #expect(await forwarding.value == .brokenPipe)
      #expect(forwarder.counts.leased == 0 && forwarder.counts.discarded == 1)
      if writer == nil { try? await asked.respond(HTTPResponse(status: .ok)).value }
      writer = nil
      gateway.close()
      server.close()
      try await forwarder.close().value
    }
  }
}
#endif
