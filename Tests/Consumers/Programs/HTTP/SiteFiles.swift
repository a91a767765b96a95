// Files by HTTP: options with closures and tuples that say no types, a prefix, and an answer that a callback waits for.
import UVHTTPFiles

enum SiteFiles: Program {
  static func main() throws {
    try EventLoop.run { loop in
      let root = try await loop.files.mkdtemp("/tmp/swift-uv-XXXXXX").value
      for (name, text) in [("page.txt", "page"), ("page.txt.gz", "packed"), ("404.html", "none")] {
        try await loop.files.writeFile(root.appending(name), Bytes(text)).value
      }
      var options = HTTPFilesOptions()
      options.contentCodings = ["br", "gzip"]
      options.mediaTypes["txt"] = "text/x-mine"
      options.cacheControl = { path in path.extension == "txt" ? "max-age=\(path.string.count)" : nil }
      options.fallback = ("404.html", .notFound)
      options.memory = 1 << 20
      let files = HTTPFiles(at: root, on: loop, options: options)
      precondition(files.loop === loop)

      let server = try loop.http.listen(host: "127.0.0.1", port: 0)
      server.start { result in
        guard case .success(let exchange?) = result else { return }
        let rest = exchange.request.path?.dropFirst(7) ?? ""
        files.respond(to: exchange, path: String(rest)) { result in
          if case .failure(let error) = result { print("server:", error.code) }
        }
      }
      let client = HTTPClient(loop)
      let host = "\(try server.localAddress())"
      for (path, accepted) in [("/static/page.txt", "gzip"), ("/static/page.txt", ""), ("/static/", "")] {
        var request = HTTPRequest(method: .get, scheme: "http", authority: host, path: path)
        request.headerFields[.acceptEncoding] = accepted
        let answer = try await client.send(request).value
        let text = try await answer.body.readToEnd(limit: 100).value
        let fields = answer.headerFields
        print(answer.status.code, fields[.contentType] ?? "", fields[.cacheControl] ?? "no rule", text)
      }
      try await client.close().value
      server.close()
      for name in ["page.txt", "page.txt.gz", "404.html"] {
        try await loop.files.unlink(root.appending(name)).value
      }
      try await loop.files.rmdir(root).value
    }
  }
}

// Prints:
// 200 text/x-mine max-age=8 packed
// 200 text/x-mine max-age=8 page
// 404 text/html; charset=utf-8 no rule none
