#if Everything
import Synchronization
import Testing
import UVDiagnostics
import UVTLS
import UVTestSupport

/// Pages together with what else a program does: several callers, cancelling, TLS, and loops of one name.
@Suite(.serialized) struct TogetherTests {
  @Test("A loop that has answered one who asks isn't silent for him because another has asked again")
  func severalAsk() async throws {
    let release = Atomic(false)
    let releaseStuck = Atomic(false)
    try await withLoop { loop in
      let group = try EventLoopGroup(count: 2)
      let (fine, stuck) = (group.executors[0], group.executors[1])
      var diagnostics = group.diagnostics
      diagnostics.patience = .milliseconds(500)
      let own = try OwnServer(diagnostics, loop)
      try stuck.execute { _ in holdTheLoop(until: releaseStuck) }

      let first = loop.spawn { try await loop.ask(own.url(of: "snapshot.json")) }
      own.handler.answer(try await own.next()) { _ in }
      // Comes after the question, as its answer comes after that one's.
      try await fine.submit { _ in }
      try fine.execute { _ in holdTheLoop(until: release) }
      let second = loop.spawn { try await loop.ask(own.url(of: "snapshot.json")) }
      own.handler.answer(try await own.next()) { _ in }

      let answer = try await first.value
      #expect(try answer.part(["loops", 0, "answers"]) as? Bool == true)
      #expect(try answer.part(["loops", 1, "answers"]) as? Bool == false)
      let later = try await second.value
      #expect(try later.part(["loops", 0, "answers"]) as? Bool == false)
      release.store(true, ordering: .relaxed)
      releaseStuck.store(true, ordering: .relaxed)
      own.server.close()
      _ = await group.shutdownGracefully(within: .zero)
    }
  }

  @Test("An answer that is cancelled while loops are asked ends so, later, and its exchange is as it was")
  func cancelled() async throws {
    let release = Atomic(false)
    try await withLoop { loop in
      let group = try EventLoopGroup(count: 1)
      var diagnostics = group.diagnostics
      diagnostics.patience = .seconds(60)
      let own = try OwnServer(diagnostics, loop)
      try group.executors[0].execute { _ in holdTheLoop(until: release) }

      let log = Log<String>()
      let asking = loop.spawn { try await loop.ask(own.url(of: "metrics")) }
      var exchange = try await own.next()
      let pending = own.handler.answer(exchange) { result in
        if case .failure(let error) = result { log.append("\(error.code)") }
      }
      pending.cancel()
      pending.cancel()
      #expect(log.values.isEmpty)
      try await loop.until { !log.values.isEmpty }
      exchange.respond(HTTPResponse(status: .serviceUnavailable)) { _ in }
      #expect(try await asking.value.status == 503)
      #expect(log.values == ["\(UVError.Code.cancelled)"])

      let askingAgain = loop.spawn { try await loop.ask(own.url(of: "snapshot.json")) }
      exchange = try await own.next()
      let answering = loop.spawn { [exchange] in try await own.handler.answer(exchange).value }
      try await loop.sleep(for: .milliseconds(1)).value
      // So the page itself can say what such a task waits for.
      #expect(loop.snapshot().tasks.entries.contains { $0.wait?.operation == "answer" })
      answering.cancel()
      await #expect { try await answering.value } throws: { ($0 as? UVError)?.code == .cancelled }
      exchange.respond(HTTPResponse(status: .serviceUnavailable)) { _ in }
      #expect(try await askingAgain.value.status == 503)

      // The loop's answer, which nobody waits for any more, comes late.
      release.store(true, ordering: .relaxed)
      let last = loop.spawn { try await loop.ask(own.url(of: "snapshot.json")) }
      try await own.handler.answer(own.next()).value
      #expect(try await last.value.part(["loops", 0, "answers"]) as? Bool == true)
      own.server.close()
      _ = await group.shutdownGracefully(within: .zero)
    }
  }

  @Test("A server with TLS shows the page, to clients that have the token and ask for a name that is known")
  func tls() async throws {
    let certificates = Certificates.shared.directory
    try await withLoop { loop in
      let identity = try TLSIdentity(
        certificateChain: "\(certificates)/server.pem", privateKey: "\(certificates)/server.key")
      let listener = try loop.tls.listen(host: "127.0.0.1", port: 0, .server(identity))
      let port = Int(try listener.localAddress().port)
      var diagnostics = loop.diagnostics
      diagnostics.token = "a-token-of-my-own"
      let handler = try diagnostics.handler(on: loop)
      let server = loop.http.serve(listener)
      server.start { result in
        if case .success(let exchange?) = result { handler.answer(exchange) { _ in } }
      }
      let client = HTTPClient(
        loop, security: loop.tls.client(try .client(trust: .certificates("\(certificates)/root.pem"))))
      for (host, token, status) in [
        ("localhost", "a-token-of-my-own", 200), ("127.0.0.1", "a-token-of-my-own", 200),
        ("localhost", "another-token-of-16", 401),
      ] {
        let answer = try await client.get("https://\(host):\(port)/snapshot.json?token=\(token)").value
        #expect(answer.head.status.code == status, "\(host)")
        let text = "\(try await answer.body.readToEnd(limit: 1 << 20).value)"
        #expect(text.contains("\"name\":\"\(loop.name)\"") == (status == 200))
      }
      try await client.close().value
      server.close()
    }
  }

  @Test("Loops of one name have a number, and each its own figures of a period")
  func oneName() async throws {
    try await withLoop { loop in
      let group = try EventLoopGroup(count: 3)
      for (executor, name) in zip(group.executors, ["worker", "worker 2", "worker"]) {
        try await executor.submit { loop throws(UVError) in
          loop.name = name
          try loop.configure(.lag)
        }
      }
      let page = try group.diagnostics.listen(on: .port(0))
      for _ in 0..<3 {
        // The loops differ in what they have counted.
        for _ in 0..<100 { try await group.executors[0].submit { _ in } }
        let lines = try await loop.ask(page.url(of: "metrics")).text.split(separator: "\n")
        for name in ["worker", "worker 2", "worker 3"] {
          #expect(lines.contains("uv_eventloop_answers{loop=\"\(name)\"} 1"))
          let utilization = lines.first { $0.hasPrefix("uv_eventloop_utilization{loop=\"\(name)\"} ") }
          let value = try #require(utilization?.split(separator: " ").last.flatMap { Double($0) })
          #expect((0...1).contains(value))
        }
        let samples = lines.filter { !$0.hasPrefix("#") }.map { $0.split(separator: "}")[0] }
        #expect(Set(samples).count == samples.count)
      }
      let answer = try await loop.ask(page.url(of: "snapshot.json"))
      let names = try (0..<3).map { try answer.part(["loops", $0, "name"]) as? String }
      #expect(names == ["worker", "worker 2", "worker 3"])
      page.close()
      await page.ended()
      _ = await group.shutdownGracefully(within: .zero)
    }
  }
}

/// A server whose exchanges a test gives to a handler itself.
private final class OwnServer {
  let handler: DiagnosticsHandler
  let server: HTTPServer
  private let place: String
  private let token: String
  private var exchanges: HTTPServer.AsyncIterator

  init(_ diagnostics: Diagnostics, _ loop: EventLoop) throws(UVError) {
    handler = try diagnostics.handler(on: loop)
    server = try loop.http.listen(host: "127.0.0.1", port: 0)
    place = "http://\(try server.localAddress())/"
    token = diagnostics.token
    exchanges = server.makeAsyncIterator()
  }

  func url(of path: String) -> String { "\(place)\(path)?token=\(token)" }

  nonisolated(nonsending) func next() async throws -> HTTPExchange {
    let exchange = try await exchanges.next()
    return try #require(exchange)
  }
}
#endif
