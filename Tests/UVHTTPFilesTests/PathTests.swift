#if Everything
import Testing
import UVHTTPFiles
import UVTestSupport

/// What a path can mean.
@Suite struct PathTests {
  @Test("No path leads out of the root, nor to a hidden file")
  func confinement() async throws {
    try await withFiles { site in
      try site.write("secret", to: "../secret")
      try site.write("secret", to: "../root-secret")
      try site.write("secret", to: ".hidden")
      try site.write("secret", to: ".git/config")
      try site.write("x", to: "folder/.hidden/file")
      try site.link("out", to: "../secret")
      try site.link("up", to: "..")
      try site.link("beside", to: "../root-secret")
      try site.link("circle", to: "circle")
      try site.link("in", to: "hello.txt")
      for path in [
        "/../secret", "/%2e%2e/secret", "/%2E./secret", "/folder/../../secret", "/..%2fsecret", "/out",
        "/beside",
        "/up/secret", "/up/", "/up", "/circle", "/.hidden", "/%2ehidden", "/.git/config",
        "/folder/.hidden/file",
        "/./hello.txt", "//hello.txt", "/folder//file", "/hello.txt%00", "/%00", "/hello.txt/", "/none",
        "/hello.txt/hello.txt", "/%5c..%5csecret", "/...", "/hello.txt%2f", "/",
        "/\(String(repeating: "x", count: 300))",
      ] {
        let answer = try await site.ask(path)
        #expect(answer.status == 404 && answer.text == "404 Not Found\n", "\(path)")
        #expect(answer.fields[.contentType] == "text/plain; charset=utf-8")
      }
      #expect(try await site.ask("/in").text == "hello\n")
    }
  }

  @Test("A percent sign before no number is a bad request")
  func percent() async throws {
    try await withFiles { site in
      for path in ["/%zz", "/%", "/%4", "/a/%4/b", "/%+1", "/hello%.txt"] {
        #expect(try await site.status(path) == 400, "\(path)")
      }
      try site.write("x", to: "a b%c.txt")
      #expect(try await site.ask("/a%20b%25c.txt").text == "x")
      #expect(try await site.status("/hello.txt?%zz") == 200)
    }
  }

  @Test("What certificates are issued with is served, although its name begins with a dot")
  func wellKnown() async throws {
    try await withFiles { site in
      try site.write("key", to: ".well-known/acme-challenge/token")
      #expect(try await site.ask("/.well-known/acme-challenge/token").text == "key")
      #expect(try await site.status("/.well-known2") == 404)
    }
  }

  @Test("A name needn't be UTF-8")
  func bytes() async throws {
    var options = HTTPFilesOptions()
    options.listsDirectories = true
    try await withFiles(options) { site in
      let name = FilePath(
        platformString: Array("\(site.root)/".utf8.map { CChar($0) }) + [CChar(bitPattern: 0xFF), 0x61, 0])
      try await site.loop.files.writeFile(name, "odd").value
      #expect(try await site.ask("/%FFa").text == "odd")
      #expect(try await site.ask("/").text.contains("<a href=\"./%FFa\">"))
    }
  }

  @Test("A directory shows its page, or is listed if the program wants that, with names that are no HTML")
  func directories() async throws {
    for lists in [false, true] {
      var options = HTTPFilesOptions()
      options.listsDirectories = lists
      options.indexPages = ["index.html", "index.htm"]
      try await withFiles(options) { site in
        try site.write("x", to: "a & b/<b>\"&.txt")
        try site.write("x", to: "a & b/.hidden")
        try site.write("x", to: "a & b/below/file")
        let listing = try await site.ask("/a%20&%20b/?query")
        #expect(listing.status == (lists ? 200 : 404))
        if lists {
          #expect(listing.fields[.contentType] == "text/html; charset=utf-8")
          #expect(listing.text.contains("<a href=\"./%3Cb%3E%22%26.txt\">&#60;b&#62;&#34;&#38;.txt</a>"))
          #expect(
            listing.text.contains("<a href=\"./below/\">below/</a>") && listing.text.contains("\"../\""))
          #expect(!listing.text.contains("hidden"))
          #expect(try await !site.ask("/").text.contains("\"../\""))
          #expect(try await site.status("/", .get, [.ifMatch: "\"x\""]) == 412)
        }
        #expect(try await site.ask("/a%20&%20b/%3Cb%3E%22%26.txt").text == "x")
        try site.write("<p>second", to: "a & b/index.htm")
        let page = try await site.ask("/a%20&%20b/")
        #expect(page.text == "<p>second" && page.fields[.contentType] == "text/html; charset=utf-8")
        try site.write("<p>first", to: "a & b/index.html")
        var text = ""
        while text != "<p>first" { text = try await site.ask("/a%20&%20b/").text }
      }
    }
  }

  @Test("A directory without a slash at its end is elsewhere, on this host, and keeps the query")
  func redirections() async throws {
    try await withFiles(answer: { files, exchange in
      let path = exchange.request.path ?? ""
      try? await files.respond(to: exchange, path: path.contains("host") ? "/folder" : nil).value
    }) { site in
      try site.write("x", to: "folder/file")
      for (path, location) in [
        ("/folder", "/folder/"), ("/folder?a=/b", "/folder/?a=/b"), ("//host", "/host/"),
        ("///host", "/host/"),
      ] {
        let answer = try await site.ask(path)
        #expect(answer.status == 301 && answer.fields[.location] == location, "\(path)")
      }
      #expect(try await site.status("/folder/") == 404)
    }
  }

  @Test("The path of a file may be the program's, as for files under a prefix")
  func prefix() async throws {
    try await withFiles(answer: { files, exchange in
      let path = exchange.request.path ?? ""
      guard path.hasPrefix("/static") else {
        exchange.respond(HTTPResponse(status: .ok), "elsewhere") { _ in }
        return
      }
      try? await files.respond(to: exchange, path: String(path.dropFirst(7))).value
    }) { site in
      try site.write("x", to: "folder/file")
      #expect(try await site.ask("/static/hello.txt?a").text == "hello\n")
      #expect(try await site.ask("/other").text == "elsewhere")
      #expect(try await site.ask("/static/folder").fields[.location] == "/static/folder/")
      #expect(try await site.status("/static") == 404)
    }
  }
}
#endif
