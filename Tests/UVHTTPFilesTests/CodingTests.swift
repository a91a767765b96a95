#if Everything
import Testing
import UVHTTPFiles
import UVTestSupport

/// Versions of a file in other codings (RFC 9110, 12.5.3).
@Suite struct CodingTests {
  private static var options: HTTPFilesOptions {
    var options = HTTPFilesOptions()
    options.contentCodings = ["br", "zstd", "gzip", "unknown"]
    return options
  }

  @Test("A client gets the version that it likes best, with a tag of its own and the type of the file")
  func versions() async throws {
    try await withFiles(Self.options) { site in
      try site.write("plain", to: "page.html")
      for (end, text) in [("br", "brotli"), ("zst", "zstandard"), ("gz", "gzipped")] {
        try site.write(text, to: "page.html.\(end)")
      }
      for name in ["page.html", "page.html.br", "page.html.zst", "page.html.gz"] {
        try site.date(name, 1_000_000)
      }
      var tags: Set<String> = []
      for (accepted, coding, text) in [
        (nil, nil, "plain"), ("gzip, br", "br", "brotli"), ("gzip", "gzip", "gzipped"),
        ("zstd;q=0.9, br;q=0.5", "zstd", "zstandard"), ("*;q=0.1", "br", "brotli"), ("deflate", nil, "plain"),
        ("br;q=0, gzip;q=0.5, identity", nil, "plain"), ("", nil, "plain"),
      ] as [(String?, String?, String)] {
        var fields = HTTPFields()
        fields[.acceptEncoding] = accepted
        for _ in 0..<2 {
          let answer = try await site.ask("/page.html", .get, fields)
          #expect(answer.status == 200 && answer.text == text, "\(accepted ?? "nothing")")
          #expect(answer.fields[.contentEncoding] == coding && answer.fields[.vary] == "Accept-Encoding")
          #expect(answer.fields[.contentType] == "text/html; charset=utf-8")
          let tag = try #require(answer.fields[.eTag])
          tags.insert(tag)
          fields[.ifNoneMatch] = tag
          let known = try await site.ask("/page.html", .get, fields)
          #expect(known.status == 304 && known.fields[.vary] == "Accept-Encoding")
          fields[.ifNoneMatch] = nil
        }
      }
      #expect(tags.count == 4)
      // A part is one of the version's.
      let part = try await site.ask("/page.html", .get, [.acceptEncoding: "br", .range: "bytes=0-1"])
      #expect(part.status == 206 && part.text == "br" && part.fields[.contentEncoding] == "br")
      #expect(part.fields[.contentRange] == "bytes 0-1/6")
    }
  }

  @Test("A file without versions says nothing of codings, and neither does one of a program that names none")
  func without() async throws {
    try await withFiles(Self.options) { site in
      let answer = try await site.ask("/hello.txt", .get, [.acceptEncoding: "br, gzip"])
      #expect(answer.fields[.vary] == nil && answer.fields[.contentEncoding] == nil)
    }
    try await withFiles { site in
      try site.write("gzipped", to: "hello.txt.gz")
      let answer = try await site.ask("/hello.txt", .get, [.acceptEncoding: "br, gzip"])
      #expect(answer.fields[.vary] == nil && answer.text == "hello\n")
    }
  }

  @Test("A version that is older than its file, one that leads out of the root, and a directory aren't used")
  func unused() async throws {
    try await withFiles(Self.options) { site in
      try site.write("old", to: "hello.txt.gz")
      try site.date("hello.txt.gz", 1_000_000)
      try site.write("secret", to: "../secret")
      try site.link("hello.txt.br", to: "../secret")
      try site.write("x", to: "hello.txt.zst/file")
      let answer = try await site.ask("/hello.txt", .get, [.acceptEncoding: "br, gzip, zstd"])
      #expect(answer.text == "hello\n" && answer.fields[.vary] == nil)
    }
  }

  @Test("The page of a directory has versions, too, and what is asked for by its own name is what it is")
  func index() async throws {
    try await withFiles(Self.options) { site in
      try site.write("plain", to: "index.html")
      try site.write("gzipped", to: "index.html.gz")
      let page = try await site.ask("/", .get, [.acceptEncoding: "gzip"])
      #expect(page.text == "gzipped" && page.fields[.contentEncoding] == "gzip")
      let own = try await site.ask("/index.html.gz", .get, [.acceptEncoding: "gzip"])
      #expect(own.fields[.contentEncoding] == nil && own.fields[.contentType] == "application/gzip")
    }
  }
}
#endif
