#if Everything
import Foundation
import Testing
import UVTestSupport

@testable import UVHTTP

/// The way of a request: which connection it takes, where redirects lead, and what comes before the answer.
@Suite struct ClientWayTests {
  private static let ok: Bytes = "HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nx"

  @Test("A request that can't be sent twice doesn't go out on a connection that its server has ended")
  func ended() async throws {
    try await withLoop { loop in
      let server = try ScriptedServer(loop) { _, _ in (Self.ok, false) }
      let client = HTTPClient(loop)
      for round in 1...20 {
        #expect(await client.outcome(HTTPRequest(url: server.url)!) == "200 x")
        // The loop hasn't looked when the request begins.
        shutdown(try server.connections.last!.fileDescriptor(), Int32(SHUT_RDWR))
        let post = HTTPRequest(method: .post, url: "\(server.url)/\(round)")!
        #expect(await client.outcome(post, body: "a") == "200 x")
      }
      #expect(server.requests.count == 40)
      try await client.close().value
      server.close()
    }
  }

  @Test(
    "Redirects with blanks, UTF-8 and other characters that must be encoded are followed, and the answer says where it is from"
  )
  func redirects() async throws {
    try await withLoop { loop in
      for (location, path) in [
        ("/a b", "/a%20b"), ("/\u{e4}?\u{f6}=|", "/%C3%A4?%C3%B6=|"), ("c\"<d>#e", "/c%22%3Cd%3E"),
        ("/%41", "/%41"),
        ("/same", "/same"),
      ] {
        let server = try ScriptedServer(loop) { _, request in
          request > 1
            ? (Self.ok, false)
            : (Bytes("HTTP/1.1 302 Found\r\nContent-Length: 0\r\nLocation: \(location)\r\n\r\n"), false)
        }
        var options = HTTPClientOptions()
        options.redirects = 1
        let client = HTTPClient(loop, options: options)
        let answer = try await client.get(server.url + "/first").value
        #expect(answer.status == .ok && answer.url == server.url + path)
        #expect(server.requests.last?.hasPrefix("GET \(path) HTTP/1.1\r\n") == true)
        #expect(try await client.get(server.url + "/second").value.url == server.url + "/second")
        try await client.close().value
        server.close()
      }
    }
  }

  @Test("A user in a URL is sent to its origin alone, and is in no text that people read")
  func user() async throws {
    try await withLoop { loop in
      let other = try ScriptedServer(loop) { _, _ in (Self.ok, false) }
      var location = "/b"
      let server = try ScriptedServer(loop) { _, request in
        request == 2
          ? (Self.ok, false)
          : (Bytes("HTTP/1.1 302 Found\r\nContent-Length: 0\r\nLocation: \(location)\r\n\r\n"), false)
      }
      var options = HTTPClientOptions()
      options.redirects = 1
      options.connections.resources = 1
      let client = HTTPClient(loop, options: options)
      let url = server.url.replacingOccurrences(of: "//", with: "//name:secret@")
      let field = "authorization: basic bmftztpzzwnyzxq="
      let answer = try await client.get(url).value
      #expect(answer.url == server.url + "/b")
      _ = try await answer.body.readToEnd(limit: 10).value
      #expect(server.requests.count == 2 && server.requests.allSatisfy { $0.lowercased().contains(field) })
      location = other.url + "/c"
      #expect(await client.outcome(HTTPRequest(url: url)!) == "200 x")
      #expect(other.requests.count == 1 && !other.requests[0].lowercased().contains("authorization"))
      // A server doesn't choose a user.
      location = other.url.replacingOccurrences(of: "//", with: "//name:secret@")
      #expect(await client.outcome(HTTPRequest(url: server.url)!) == "302 ")
      for wrong in ["http://name:secret@a b/", "name:secret@a"] {
        let error = await #expect(throws: UVError.self) { _ = try await client.get(wrong).value }
        #expect(error?.code == .invalidArgument && "\(error!)".contains("secret") == false)
      }
      try await client.close().value
      server.close()
      other.close()
    }
  }

  @Test("Interim answers are reported as they come, in each style, and folded fields are one line")
  func interim() async throws {
    let text: Bytes =
      "HTTP/1.1 103 Early Hints\r\nLink: </a>;\r\n rel=preload\r\n\r\nHTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nA: b\r\n\tc\r\nContent-Length: 2\r\n\r\n x"
    try await withLoop { loop in
      for size in [1, .max] {
        let server = try ScriptedServer(loop, size: size) { _, _ in (text, false) }
        let client = HTTPClient(loop)
        var found: [String] = []
        let request = HTTPRequest(url: server.url)!
        let note: (HTTPResponse) -> Void = {
          found.append("\($0.status.code) \($0.headerFields[HTTPField.Name("Link")!] ?? "")")
        }
        let answer = try await client.send(request, onInterim: note).value
        #expect(answer.headerFields[HTTPField.Name("A")!] == "b  \tc")
        #expect(try await answer.body.readToEnd(limit: 9).value == " x")
        var isThere = false
        client.send(request, onInterim: note) { _ in isThere = true }
        try await loop.until { isThere }
        #expect(found == Array(repeating: ["103 </a>;   rel=preload", "100 "], count: 2).flatMap { $0 })
        // A handler may give the request up.
        var pending = PendingRequest()
        let error = Log<UVError.Code?>()
        pending = client.send(request, onInterim: { _ in pending.cancel() }) { error.append($0.error?.code) }
        try await loop.until { !error.values.isEmpty }
        #expect(error.values == [.cancelled])
        try await client.close().value
        server.close()
      }
    }
  }

  @Test("Counts of what has happened never go back, also if pools go and the client closes")
  func counts() async throws {
    try await withLoop { loop in
      let servers = try (0..<4).map { _ in try ScriptedServer(loop) { _, _ in (Self.ok, false) } }
      var options = HTTPClientOptions()
      options.origins = 1
      let client = HTTPClient(loop, options: options)
      for (count, server) in servers.enumerated() {
        #expect(await client.outcome(HTTPRequest(url: server.url)!) == "200 x")
        #expect(client.counts.created == count + 1 && client.counts.leases == count + 1)
        try await loop.settle()
      }
      try await client.close().value
      #expect((client.counts.created, client.counts.leases, client.counts.leased) == (4, 4, 0))
      for server in servers { server.close() }
    }
  }

  @Test("A forwarded request passes interim answers on")
  func forwarded() async throws {
    try await withLoop { loop in
      let origin = try ScriptedServer(loop) { _, _ in
        ("HTTP/1.1 103 Early Hints\r\nLink: </a>\r\nConnection: close\r\n\r\n" + Self.ok, false)
      }
      let proxy = try loop.http.listen(host: "127.0.0.1", port: 0)
      let behind = HTTPClient(loop)
      proxy.start { result in
        guard case .success(let exchange?) = result else { return }
        #expect(exchange.request.scheme == "http")
        exchange.forward(by: behind) { _ in }
      }
      let client = try await loop.tcp.connect(to: proxy.localAddress()).value
      // Capitals mean the same.
      let target = "HTTP://127.0.0.1:\(origin.port)/"
      try await client.write(Bytes("GET \(target) HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")).value
      let text = "\(try await client.readToEnd(limit: 10_000).value)"
      #expect(
        text.hasPrefix(
          "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\nVia: 1.1 swift-uv\r\n\r\nHTTP/1.1 200 OK\r\n"))
      client.close()
      try await behind.close().value
      proxy.close()
      origin.close()
    }
  }
}

private func + (a: Bytes, b: Bytes) -> Bytes { a.followed(by: b) }
#endif
