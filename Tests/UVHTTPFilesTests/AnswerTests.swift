#if Everything
import Testing
import UVHTTPFiles
import UVTestSupport

/// What a file is answered with.
@Suite struct AnswerTests {
  @Test("A file is served with its type, length, tag and time, and HEAD gets the same head")
  func file() async throws {
    try await withFiles { site in
      for path in ["/hello.txt", "/hello.txt?query", "/%68ello.tx%74", "/hello.txt"] {
        let answer = try await site.ask(path)
        #expect(answer.status == 200 && answer.text == "hello\n", "\(path)")
        #expect(answer.fields[.contentType] == "text/plain; charset=utf-8")
        #expect(answer.fields[.contentLength] == "6" && answer.fields[.acceptRanges] == "bytes")
        #expect(answer.fields[.xContentTypeOptions] == "nosniff")
        for name in [HTTPField.Name.eTag, .lastModified, .date] { #expect(answer.fields[name] != nil) }
        #expect(answer.fields[.vary] == nil && answer.fields[.cacheControl] == nil)
        var head = try await site.ask(path, .head)
        #expect(head.status == 200 && head.text.isEmpty)
        // The next second may have begun.
        head = Answer(status: 200, fields: head.fields.without(.date), text: "")
        #expect(head.fields == answer.fields.without(.date))
      }
    }
  }

  @Test("A name's end says the type, in capitals too, and a program adds its own")
  func types() async throws {
    var options = HTTPFilesOptions()
    options.mediaTypes["stl"] = "model/stl"
    try await withFiles(options) { site in
      for (name, type) in [
        ("a.HTML", "text/html; charset=utf-8"), ("a.stl", "model/stl"), ("a.tar.gz", "application/gzip"),
        ("a", "application/octet-stream"), ("a.what", "application/octet-stream"), ("a.svg", "image/svg+xml"),
      ] {
        try site.write("x", to: name)
        #expect(try await site.ask("/\(name)").fields[.contentType] == type, "\(name)")
      }
    }
  }

  @Test(
    "A small file and a large one arrive as they are, each time", arguments: [0, 1, 65536, 65537, 3_000_000])
  func sizes(size: Int) async throws {
    try await withFiles { site in
      let text = String((0..<size).map { Character(Unicode.Scalar(UInt8(97 + $0 % 26))) })
      try site.write(text, to: "file")
      for _ in 0..<3 {
        let answer = try await site.ask("/file")
        #expect(answer.status == 200 && answer.text == text)
        #expect(try await site.ask("/file", .head).fields[.contentLength] == "\(size)")
      }
    }
  }

  @Test("OPTIONS says the methods, and others get 405 with them")
  func methods() async throws {
    try await withFiles { site in
      let options = try await site.ask("/hello.txt", .options)
      #expect(options.status == 204 && options.fields[.allow] == "GET, HEAD, OPTIONS")
      for method in [HTTPRequest.Method.put, .delete, .post, .patch, .init("WHAT")!] {
        for path in ["/hello.txt", "/none"] {
          let answer = try await site.ask(path, method)
          #expect(answer.status == 405 && answer.fields[.allow] == "GET, HEAD, OPTIONS")
        }
      }
      let connection = try await site.connect()
      try await connection.write("OPTIONS * HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n").value
      let text = try await connection.readToEnd(limit: 10_000).value
      #expect("\(text)".hasPrefix("HTTP/1.1 204 "))
      connection.close()
    }
  }

  @Test("A request with a body is answered, and the connection ends after it")
  func body() async throws {
    try await withFiles { site in
      for (method, status) in [("GET", 200), ("POST", 405)] {
        let connection = try await site.connect()
        try await connection.write(
          Bytes("\(method) /hello.txt HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\n\r\nbody")
        ).value
        let text = "\(try await connection.readToEnd(limit: 10_000).value)"
        #expect(text.hasPrefix("HTTP/1.1 \(status) ") && text.contains("\r\nconnection: close\r\n"))
        connection.close()
      }
    }
  }

  @Test("A rule of the program says how long a file is kept, by its path below the root")
  func cacheControl() async throws {
    var options = HTTPFilesOptions()
    options.cacheControl = { $0.starts(with: "assets") ? "max-age=31536000, immutable" : nil }
    try await withFiles(options) { site in
      try site.write("x", to: "assets/app.js")
      let answer = try await site.ask("/assets/app.js")
      #expect(answer.fields[.cacheControl] == "max-age=31536000, immutable")
      #expect(try await site.ask("/hello.txt").fields[.cacheControl] == nil)
      // A client that has the file hears anew how long to keep it.
      let tag = try #require(answer.fields[.eTag])
      let known = try await site.ask("/assets/app.js", .get, [.ifNoneMatch: tag])
      #expect(known.status == 304 && known.fields[.cacheControl] == "max-age=31536000, immutable")
    }
  }

  @Test("Another page or an application stands in for what isn't there", arguments: [404, 200])
  func fallback(status: Int) async throws {
    var options = HTTPFilesOptions()
    options.fallback = ("page.html", HTTPResponse.Status(code: status))
    try await withFiles(options) { site in
      #expect(try await site.status("/none") == 404)
      try site.write("<p>not here", to: "page.html")
      for path in ["/none", "/.hidden", "/hello.txt/", "/"] {
        let answer = try await site.ask(path, .get, status == 404 ? [.range: "bytes=0-1"] : [:])
        #expect(answer.status == status && answer.text == "<p>not here", "\(path)")
        #expect(answer.fields[.contentType] == "text/html; charset=utf-8")
        #expect((answer.fields[.eTag] != nil) == (status == 200))
        #expect(try await site.ask(path, .head).text.isEmpty)
      }
      #expect(try await site.status("/none", .post) == 405)
      #expect(try await site.status("/%zz") == 400)
    }
  }
}

extension HTTPFields {
  func without(_ name: HTTPField.Name) -> HTTPFields {
    var fields = self
    fields[name] = nil
    return fields
  }
}
#endif
