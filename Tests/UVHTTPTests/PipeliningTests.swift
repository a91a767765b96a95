#if Everything
import Testing
import UVTestSupport

@testable import UVHTTP

/// Requests that come before those before them have been answered.
@Suite struct PipeliningTests {
  private static func get(_ path: String, _ fields: String = "") -> String {
    "GET \(path) HTTP/1.1\r\nHost: a\r\n\(fields)\r\n"
  }

  private static let last = get("/last", "Connection: close\r\n")

  /// The exchanges that a server has handed out, by path.
  private final class Handed {
    var exchanges: [String: HTTPExchange] = [:]
  }

  @Test("Requests that only look are handed out side by side, and answered in order")
  func order() async throws {
    try await withExchanges { handed, client in
      try await client.stream.write(Bytes("\(Self.get("/a"))\(Self.get("/b"))\(Self.last)")).value
      while handed.exchanges.count < 3 { try await client.stream.loop.sleep(for: .milliseconds(1)).value }
      var called: [String] = []
      for path in ["/last", "/b", "/a"] {
        handed.exchanges[path]?.respond(HTTPResponse(status: .ok), Bytes(path)) { _ in called.append(path) }
      }
      let answer = try await client.readAll()
      #expect(bodies(of: answer) == ["/a", "/b", "/last"])
      #expect(called == ["/a", "/b", "/last"])
    }
  }

  @Test("No more requests are handed out side by side than the limit says")
  func limit() async throws {
    var limits = HTTPLimits()
    limits.pipelinedRequests = 2
    try await withExchanges(limits) { handed, client in
      let loop = client.stream.loop
      let many = (0..<5).map { Self.get("/\($0)") }.joined()
      try await client.stream.write(Bytes("\(many)\(Self.last)")).value
      for number in 0..<5 {
        while handed.exchanges["/\(number)"] == nil { try await loop.sleep(for: .milliseconds(1)).value }
        #expect(handed.exchanges.count <= 2)
        let exchange = handed.exchanges.removeValue(forKey: "/\(number)")
        try await exchange?.respond(HTTPResponse(status: .ok), Bytes("\(number)")).value
      }
      while handed.exchanges.isEmpty { try await loop.sleep(for: .milliseconds(1)).value }
      try await handed.exchanges["/last"]?.respond(HTTPResponse(status: .ok), "last").value
      let answer = try await client.readAll()
      #expect(bodies(of: answer) == ["0", "1", "2", "3", "4", "last"])
    }
  }

  @Test("A request that changes something is alone, and so is one with a body, and one for another protocol")
  func alone() async throws {
    for (request, rest) in [
      ("POST /b HTTP/1.1\r\nHost: a\r\n\r\n", ""),
      ("GET /b HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\n\r\n", "x"),
      ("GET /b HTTP/1.1\r\nHost: a\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n", ""),
    ] {
      try await withExchanges { handed, client in
        let loop = client.stream.loop
        try await client.stream.write(Bytes("\(Self.get("/a"))\(request)\(rest)\(Self.last)")).value
        for path in ["/a", "/b", "/last"] {
          while handed.exchanges[path] == nil { try await loop.sleep(for: .milliseconds(1)).value }
          // Time for another one to be handed out.
          for _ in 0..<3 { try await loop.sleep(for: .milliseconds(1)).value }
          #expect(handed.exchanges.count == 1, "\(path)")
          let exchange = handed.exchanges.removeValue(forKey: path)
          try await exchange?.respond(HTTPResponse(status: .ok), Bytes(path)).value
        }
        let answer = try await client.readAll()
        #expect(bodies(of: answer) == ["/a", "/b", "/last"])
      }
    }
  }

  @Test("Answers bit by bit and from files wait for their turn, too")
  func streamed() async throws {
    try await withTemporaryDirectory { directory in
      let path = "\(directory)/file"
      try await withExchanges { handed, client in
        let loop = client.stream.loop
        try await loop.files.writeFile(path, "of a file").value
        let file = try await loop.files.open(path).value
        let requests = ["/a", "/b", "/c"].map { Self.get($0) }.joined()
        try await client.stream.write(Bytes("\(requests)\(Self.last)")).value
        while handed.exchanges.count < 4 { try await loop.sleep(for: .milliseconds(1)).value }
        let ok = HTTPResponse(status: .ok)
        var called: [String] = []
        handed.exchanges["/last"]?.respond(ok, "last") { _ in called.append("last") }
        let writer = try #require(try handed.exchanges["/c"]?.begin(ok, length: 4))
        writer.write("bit ") { _ in called.append("bit") }
        writer.finish { _ in called.append("end") }
        handed.exchanges["/b"]?.respond(ok, file: file, count: 9) { _ in called.append("file") }
        for _ in 0..<3 { try await loop.sleep(for: .milliseconds(1)).value }
        #expect(called.isEmpty)
        handed.exchanges["/a"]?.respond(ok, "a") { _ in called.append("a") }
        let answer = try await client.readAll()
        #expect(bodies(of: answer) == ["a", "of a file", "bit ", "last"])
        #expect(called.sorted() == ["a", "bit", "end", "file", "last"])
        try await file.close().value
      }
    }
  }

  @Test("The last answer is whole that begins when those before it end, bit by bit or from a file")
  func lastInParts() async throws {
    for isFile in [false, true] {
      try await withTemporaryDirectory { directory in
        try await withExchanges { handed, client in
          let loop = client.stream.loop
          try await loop.files.writeFile("\(directory)/file", "of a file").value
          let file = try await loop.files.open("\(directory)/file").value
          try await client.stream.write(Bytes("\(Self.get("/a"))\(Self.last)")).value
          while handed.exchanges.count < 2 { try await loop.sleep(for: .milliseconds(1)).value }
          let ok = HTTPResponse(status: .ok)
          let exchange = handed.exchanges.removeValue(forKey: "/last")
          let last = try #require(exchange)
          if isFile {
            last.respond(ok, file: file, count: 9) { _ in }
          } else {
            let writer = try last.begin(ok, length: 9)
            writer.write("of ") { _ in writer.write("a file") { _ in writer.finish { _ in } } }
          }
          try await handed.exchanges["/a"]?.respond(ok, "a").value
          let answer = try await client.readAll()
          #expect(bodies(of: answer) == ["a", "of a file"])
          try await file.close().value
        }
      }
    }
  }

  @Test("After an answer that ends the connection the others aren't given, and their givers are notified")
  func closing() async throws {
    try await withExchanges { handed, client in
      let loop = client.stream.loop
      try await client.stream.write(Bytes("\(Self.get("/a"))\(Self.get("/b"))\(Self.last)")).value
      while handed.exchanges.count < 3 { try await loop.sleep(for: .milliseconds(1)).value }
      var close = HTTPResponse(status: .ok)
      close.headerFields[.connection] = "close"
      var error: UVError?
      handed.exchanges["/b"]?.respond(close, "b") { if case .failure(let failure) = $0 { error = failure } }
      try await handed.exchanges["/a"]?.respond(close, "a").value
      try await loop.until { error != nil }
      #expect(error?.code == .brokenPipe)
      await #expect(throws: UVError(.brokenPipe, operation: "respond")) {
        try await handed.exchanges["/last"]?.respond(close).value
      }
      let answer = try await client.readAll()
      #expect(bodies(of: answer) == ["a"])
    }
  }

  @Test("What isn't a request is answered after the requests before it")
  func refusal() async throws {
    try await withExchanges { handed, client in
      let loop = client.stream.loop
      try await client.stream.write(Bytes("\(Self.get("/a"))\(Self.get("/b"))nonsense\r\n")).value
      while handed.exchanges.count < 2 { try await loop.sleep(for: .milliseconds(1)).value }
      for path in ["/b", "/a"] {
        handed.exchanges[path]?.respond(HTTPResponse(status: .ok), Bytes(path)) { _ in }
      }
      let answer = try await client.readAll()
      #expect(bodies(of: answer).prefix(2) == ["/a", "/b"])
      #expect(answer.contains("HTTP/1.1 400 Bad Request\r\n"))
    }
  }

  @Test("A request that the program loses is answered with 500 in its turn, and the connection goes on")
  func lost() async throws {
    try await withExchanges { handed, client in
      let loop = client.stream.loop
      try await client.stream.write(Bytes("\(Self.get("/a"))\(Self.get("/b"))\(Self.last)")).value
      while handed.exchanges.count < 3 { try await loop.sleep(for: .milliseconds(1)).value }
      handed.exchanges["/b"] = nil
      for path in ["/last", "/a"] {
        handed.exchanges[path]?.respond(HTTPResponse(status: .ok), Bytes(path)) { _ in }
      }
      let answer = try await client.readAll()
      #expect(bodies(of: answer) == ["/a", "500 there is no answer\n", "/last"])
    }
  }

  @Test("An answer that is cancelled before its turn ends the connection")
  func cancelled() async throws {
    try await withExchanges { handed, client in
      let loop = client.stream.loop
      try await client.stream.write(Bytes("\(Self.get("/a"))\(Self.get("/b"))")).value
      while handed.exchanges.count < 2 { try await loop.sleep(for: .milliseconds(1)).value }
      let exchange = try #require(handed.exchanges["/b"])
      let answering = loop.spawn { () async throws(UVError) in
        try await exchange.respond(HTTPResponse(status: .ok), "b").value
      }
      for _ in 0..<3 { try await loop.sleep(for: .milliseconds(1)).value }
      answering.cancel()
      await #expect(throws: UVError(.cancelled, operation: "respond")) { try await answering.value }
      let answer = try await client.readAll()
      #expect(answer == "")
      await #expect(throws: UVError(.cancelled, operation: "respond")) {
        try await handed.exchanges["/a"]?.respond(HTTPResponse(status: .ok)).value
      }
    }
  }

  /// Runs a server that hands its exchanges to `body`, and a client of it.
  private func withExchanges(
    _ limits: HTTPLimits = HTTPLimits(), sourceLocation: SourceLocation = #_sourceLocation,
    _ body: nonisolated(nonsending) @escaping @Sendable (Handed, Client) async throws -> Void
  ) async throws {
    makeCertificates()
    try await withLoop(sourceLocation: sourceLocation) { loop in
      let server = try loop.http.listen(host: "127.0.0.1", port: 0, limits: limits)
      let handed = Handed()
      server.start { result in
        if case .success(let exchange?) = result { handed.exchanges[exchange.request.path ?? ""] = exchange }
      }
      let connection = try await loop.tcp.connect(to: server.localAddress()).value
      try await body(handed, Client(stream: connection))
      connection.close()
      server.close()
    }
  }
}
#endif
