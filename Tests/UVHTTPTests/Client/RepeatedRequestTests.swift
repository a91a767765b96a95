#if Everything
import HTTPTypes
import Testing
import UVTestSupport

@testable import UVHTTP

/// What a client remembers of the requests before.
@Suite struct RepeatedRequestTests {
  @Test("A URL that is asked for again gets the same request, and others get theirs")
  func urls() async throws {
    try await withLoop { loop in
      let (one, other) = try (
        ScriptedServer(loop) { _, _ in ("HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n1", false) },
        ScriptedServer(loop) { _, _ in ("HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n2", false) }
      )
      let client = HTTPClient(loop)
      for (server, path, body) in [
        (one, "/a", "1"), (one, "/a", "1"), (other, "/a", "2"), (one, "/a", "1"), (one, "/b", "1"),
        (one, "/b", "1"), (other, "/b", "2"), (other, "/b", "2"),
      ] {
        let answer = try await client.get(server.url + path).value
        #expect(try await answer.body.readToEnd(limit: 10).value == Bytes(body))
        #expect(server.requests.last == "GET \(path) HTTP/1.1\r\nhost: 127.0.0.1:\(server.port)")
      }
      // A request of its own beside it says what it says.
      let url = one.url + "/b"
      let post = try #require(HTTPRequest(method: .post, url: url, headerFields: [.accept: "a"]))
      _ = try await client.get(url).value
      #expect(await client.outcome(post) == "200 1")
      #expect(one.requests.last?.contains("POST /b HTTP/1.1\r\n") == true)
      #expect(one.requests.last?.contains("Accept: a\r\n") == true)
      _ = try await client.get(url).value
      #expect(one.requests.last?.contains("GET /b HTTP/1.1\r\n") == true)
      #expect(client.counts.created == 2)
      try await client.close().value
      await expectError(.badDescriptor, of: try await client.get(url).value)
      one.close()
      other.close()
    }
  }

  @Test("A URL that is wrong stays wrong, and the one before stays right")
  func wrongURLs() async throws {
    try await withLoop { loop in
      let server = try ScriptedServer(loop) { _, _ in ("HTTP/1.1 204 No Content\r\n\r\n", false) }
      let client = HTTPClient(loop)
      for _ in 0..<2 {
        #expect(try await client.get(server.url).value.status == .noContent)
        for _ in 0..<2 {
          await expectError(.invalidArgument, of: try await client.get(server.url + "/\r\na: b").value)
        }
      }
      try await client.close().value
      server.close()
    }
  }

  @Test("A request is sent again if its connection had been idle since it was made")
  func neverUsed() async throws {
    try await withLoop { loop in
      let server = try ScriptedServer(loop) { connection, _ in
        connection == 1 ? ("", true) : ("HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n1", false)
      }
      let client = HTTPClient(loop)
      // The connection that is made for it is nobody's.
      client.get(server.url) { _ in }.cancel()
      while client.counts.idle == 0 { try await loop.sleep(for: .milliseconds(1)).value }
      let answer = try await client.get(server.url).value
      #expect(try await answer.body.readToEnd(limit: 10).value == "1")
      #expect(server.requests.count == 2 && client.counts.created == 2)
      try await client.close().value
      server.close()
    }
  }

  /// Something that the client does by itself in a request.
  enum Way: CaseIterable {
    /// The connection from the request before has ended meanwhile.
    case stale
    /// The server refuses what it was asked to expect, and gets the request without that.
    case expectation
    case redirect
    /// Nothing but the answer.
    case plain
  }

  @Test("The last of many requests goes as the first one does", arguments: Way.allCases)
  func manyTimes(way: Way) async throws {
    try await withLoop { loop in
      let ok: Bytes = "HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n1"
      var count = 0
      let server = try ScriptedServer(loop) { _, request in
        count += 1
        return switch way {
        // The second one finds out.
        case .stale: request == 1 ? (ok, false) : ("", true)
        case .expectation where count % 2 == 1:
          ("HTTP/1.1 417 Expectation Failed\r\nContent-Length: 0\r\n\r\n", false)
        case .redirect where count % 2 == 1:
          ("HTTP/1.1 307 Temporary Redirect\r\nLocation: /b\r\nContent-Length: 0\r\n\r\n", false)
        default: (ok, false)
        }
      }
      var options = HTTPClientOptions()
      options.redirects = 1
      options.connections.resources = 1
      let client = HTTPClient(loop, options: options)
      for number in 1...12 {
        let fields: HTTPFields = way == .expectation ? [.expect: "100-continue"] : [:]
        let method: HTTPRequest.Method = way == .expectation ? .put : .get
        let request = HTTPRequest(method: method, url: server.url + "/a", headerFields: fields)!
        #expect(await client.outcome(request, body: way == .expectation ? "x" : "") == "200 1", "\(number)")
      }
      if way != .expectation { #expect(client.counts.created == (way == .stale ? 12 : 1)) }
      try await client.close().value
      server.close()
    }
  }

  @Test("A request that is cancelled in its own turn isn't sent, and its connection ends")
  func cancelledInItsTurn() async throws {
    try await withLoop { loop in
      let server = try ScriptedServer(loop) { connection, _ in
        (Bytes("HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n\(connection)"), false)
      }
      let client = HTTPClient(loop)
      for connection in ["1", "2"] {
        let answer = try await client.get(server.url).value
        #expect(try await "\(answer.body.readToEnd(limit: 10).value)" == connection)
        if connection == "1" { client.get(server.url) { _ in }.cancel() }
      }
      #expect(server.requests.count == 2 && client.counts.created == 2)
      try await client.close().value
      server.close()
    }
  }

  @Test(
    "A head that comes again means the same: in pieces, beside HEAD, after another",
    arguments: [.max, 1, 7, 40])
  func heads(size: Int) async throws {
    let head: Bytes = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nA: b\r\n\r\n"
    let other: Bytes = "HTTP/1.1 404 Not Found\r\nContent-Length: 2\r\n\r\nno"
    try await withLoop { loop in
      let server = try ScriptedServer(loop, size: size) { _, number in
        if [4, 7].contains(number) { return (other, false) }
        return ([2, 10].contains(number) ? head : head.followed(by: "hello"), false)
      }
      let client = HTTPClient(loop)
      for number in 1...11 {
        let isHead = [2, 10].contains(number)
        let request = try #require(HTTPRequest(method: isHead ? .head : .get, url: server.url))
        let outcome = isHead ? "200 " : [4, 7].contains(number) ? "404 no" : "200 hello"
        #expect(await client.outcome(request) == outcome, "\(number)")
      }
      for _ in 0..<2 {
        let answer = try await client.get(server.url).value
        #expect(answer.headerFields == [.contentLength: "5", HTTPField.Name("a")!: "b"])
        _ = try await answer.body.readToEnd(limit: 5).value
      }
      #expect(client.counts.created == 1)
      try await client.close().value
      server.close()
    }
  }

  @Test("What is kept of a request that has an answer can't touch the next one on its connection")
  func keptForLong() async throws {
    try await withLoop { loop in
      let chunked: Bytes = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\n2\r\n0\r\nA: b\r\n\r\n"
      let server = try ScriptedServer(loop, size: 3) { _, number in
        if number % 4 == 2 { return (chunked, false) }
        return (Bytes("HTTP/1.1 200 OK\r\nContent-Length: 1\r\nB: \(number % 3)\r\n\r\n2"), false)
      }
      let client = HTTPClient(loop)
      var kept: [PendingRequest] = []
      var answer: HTTPClientResponse?
      for number in 1...12 {
        var result: Result<HTTPClientResponse, UVError>?
        let pending = client.get(server.url) { result = $0 }
        while result == nil {
          for pending in kept { pending.cancel() }
          try await loop.sleep(for: .zero).value
          answer = nil
        }
        kept.append(pending)
        answer = try result?.get()
        #expect(try await answer?.body.readToEnd(limit: 5).value == "2")
        #expect(answer?.headerFields[HTTPField.Name("b")!] == (number % 4 == 2 ? nil : "\(number % 3)"))
        #expect(answer?.body.trailers == (number % 4 == 2 ? [HTTPField.Name("a")!: "b"] : [:]))
      }
      #expect(client.counts.created == 1 && server.requests.count == 12)
      try await client.close().value
      server.close()
    }
  }

  @Test("A way to cancel that is kept after its answer concerns no later request")
  func keptOnce() async throws {
    try await withLoop { loop in
      let server = try ScriptedServer(loop) { _, number in
        number == 2
          ? ("HTTP/1.1 302 Found\r\nLocation: /b\r\nContent-Length: 0\r\n\r\n", false)
          : ("HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n2", false)
      }
      var options = HTTPClientOptions()
      options.redirects = 1
      let client = HTTPClient(loop, options: options)
      for keeps in [false, true, false, true, true] {
        var result: Result<HTTPClientResponse, UVError>?
        let before = client.get(server.url) { result = $0 }
        while result == nil { try await loop.sleep(for: .zero).value }
        #expect(try result?.get().status == .ok)
        if !keeps { continue }
        result = nil
        let pending = client.get(server.url) { result = $0 }
        before.cancel()
        while result == nil { try await loop.sleep(for: .zero).value }
        #expect(try result?.get().status == .ok)
        pending.cancel()
      }
      #expect(client.counts.created == 1)
      try await client.close().value
      server.close()
    }
  }

  @Test("A body that has come whole is read without a wait, once, and up to the limit")
  func wholeBodies() async throws {
    try await withLoop { loop in
      let server = try ScriptedServer(loop) { _, _ in
        ("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello", false)
      }
      let client = HTTPClient(loop)
      let first = try await client.get(server.url).value
      let jobs = loop.statistics.jobsFromLoop
      #expect(try await first.body.readToEnd(limit: 5).value == "hello")
      #expect(loop.statistics.jobsFromLoop == jobs)
      #expect(try await first.body.readToEnd(limit: 5).value == "")
      let second = try await client.get(server.url).value
      await expectError(.messageTooLong, of: try await second.body.readToEnd(limit: 4).value)
      let third = try await client.get(server.url).value
      var parts: [Bytes] = []
      for try await part in third.body { parts.append(part) }
      #expect(parts == ["hello"])
      // A cancelled task gets nothing, and leaves the body to others.
      let fourth = try await client.get(server.url).value
      let task = loop.spawn { () async throws(UVError) in
        await expectError(.cancelled, of: try await loop.sleep(for: .seconds(60)).value)
        return try await fourth.body.readToEnd(limit: 5).value
      }
      try await loop.settle()
      task.cancel()
      await expectError(.cancelled, of: try await task.value)
      #expect(try await fourth.body.readToEnd(limit: 5).value == "hello")
      try await client.close().value
      server.close()
    }
  }
}
#endif
