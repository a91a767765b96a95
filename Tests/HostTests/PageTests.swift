#if Everything
import Dispatch
import Testing
import UVDiagnostics
import UVTestSupport

/// A page about the loop of a host.
@Suite struct PageTests {
  @Test("A page shows a host's loop, apart or by a server on that loop, and ends when the loop is left")
  func page() async throws {
    let log = Log<String>()
    try await withThread {
      let host = Host()
      let loop = try EventLoop(adopting: host.loop)
      loop.name = "the host's"
      let page = try loop.diagnostics.listen(on: .port(0))
      let diagnostics = loop.diagnostics
      let handler = try diagnostics.handler(on: loop)
      let server = try loop.http.listen(host: "127.0.0.1", port: 0)
      server.start { result in
        if case .success(let exchange?) = result { handler.answer(exchange) { _ in } }
      }
      let own = "http://\(try server.localAddress())/snapshot.json?token=\(diagnostics.token)"
      let apart = page.url.replacing("/?", with: "/snapshot.json?")
      loop.spawn {
        let client = HTTPClient(loop)
        for url in [apart, own] {
          let text = "\(try await client.get(url).value.body.readToEnd(limit: 1 << 20).value)"
          log.append(text.contains("\"name\":\"the host's\",\"answers\":true") ? "shown" : text)
        }
        try await client.close().value
        server.close()
      }
      host.run()
      loop.detach()
      host.turn()
      #expect(host.close() == 0)
      let ended = DispatchSemaphore(value: 0)
      Task {
        await page.ended()
        ended.signal()
      }
      ended.wait()
    }
    #expect(log.values == ["shown", "shown"])
  }
}
#endif
