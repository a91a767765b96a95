// Shows a page about loops: who may see it, what it has, and where it is served.
import UVDiagnostics

enum PageAboutLoops: Program {
  static func main() throws {
    try EventLoop.run { loop in
      loop.name = "main"
      let client = HTTPClient(loop)
      func get(_ url: String) async throws -> (status: Int, text: String) {
        let answer = try await client.get(url).value
        return (answer.status.code, "\(try await answer.body.readToEnd(limit: 1 << 20).value)")
      }

      let group = try EventLoopGroup(count: 2)
      var diagnostics: Diagnostics = group.diagnostics
      diagnostics.executors.append(loop.executor)
      diagnostics.token = "sixteen-characters"
      diagnostics.hosts = ["box.example"]
      diagnostics.limit = 10
      diagnostics.patience = .seconds(10)
      let page: DiagnosticsServer = try diagnostics.listen(on: .port(0))
      let parts = page.url.split(separator: "?")
      print("?\(parts[1])")
      print(try await get(String(parts[0])).status)
      print(try await get(page.url).text.contains("<title>Event loops</title>"))
      let json = try await get("\(parts[0])snapshot.json?\(parts[1])").text
      print(json.contains(#""name":"main","answers":true"#))
      let metrics = try await get("\(parts[0])metrics?\(parts[1])").text
      print(metrics.contains("uv_eventloop_tasks{loop=\"main\"} 1\n"))
      page.close()

      // A server of one's own, and a page that knows its loops by their executors.
      let handler: DiagnosticsHandler = try Diagnostics([loop.executor]).handler(on: loop)
      let server = try loop.http.listen(host: "127.0.0.1", port: 0)
      let serving = loop.spawn {
        for try await exchange in server {
          if exchange.request.path == "/" {
            handler.answer(exchange) { _ in }
          } else {
            try await handler.answer(exchange).value
          }
        }
      }
      for path in ["/", "/other"] {
        print(try await get("http://\(try server.localAddress())\(path)").status)
      }
      server.close()
      try await client.close().value
      try await serving.value

      // What goes wrong is said at once.
      diagnostics.token = "short"
      do throws(UVError) { try diagnostics.listen(on: .port(0)) } catch { print(error.code) }
      let place = DiagnosticsAddress.unix(path: "")
      do throws(UVError) { try loop.diagnostics.listen(on: place) } catch { print(error.code) }
      _ = await group.shutdownGracefully(within: .zero)
    }
  }
}

// Prints:
// ?token=sixteen-characters
// 401
// true
// true
// true
// 401
// 401
// EINVAL
// EINVAL
