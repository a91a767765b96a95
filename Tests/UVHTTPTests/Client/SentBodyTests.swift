#if Everything
import Testing
import UV
import UVTestSupport

@testable import UVHTTP

/// A body that comes bit by bit, and whose request ends first.
@Suite struct SentBodyTests {
  /// How the request ends.
  enum End: CaseIterable { case cancelled, overdue, answered, closed }

  /// What the body does then.
  enum Moment: CaseIterable {
    /// It is asked for a part, and has none.
    case waits
    /// A part is on its way to the request.
    case sends
    /// It has come to its end, which is on its way.
    case finishes
  }

  private final class Token {}

  @Test(
    "A request that ends asks its body for nothing more, and keeps nothing of it", arguments: End.allCases,
    Moment.allCases)
  func letsGo(end: End, moment: Moment) async throws {
    try await withLoop { loop in
      let listener = try loop.tcp.listen(host: "127.0.0.1", port: 0)
      var options = HTTPClientOptions()
      if end == .overdue { options.total = .milliseconds(30) }
      let client = HTTPClient(loop, options: options)
      let url = "http://127.0.0.1:\(try listener.localAddress().port)/"
      let source = CustomSource<Bytes>(loop, "body") { _ in }
      source.send("first")
      weak var token: Token?
      let log = Log<String>()
      var pending: PendingRequest? = {
        let kept = Token()
        token = kept
        let trailers = { [kept] in
          withExtendedLifetime(kept) {}
          return HTTPFields()
        }
        return client.send(
          HTTPRequest(method: .post, url: url)!, body: source, trailers: trailers
        ) { result in
          log.append(result.error?.code.name ?? "answered")
          // What is on its way then comes right after the end.
          if moment == .sends, end != .cancelled { source.send("more") }
          if moment == .finishes, end != .cancelled { source.finish() }
        }
      }()
      let connection = try await listener.accept().value
      _ = try await connection.read(until: "first\r\n", limit: 1000).value
      try await loop.until { source.isWaitedFor }
      switch end {
      case .cancelled:
        if moment == .sends { source.send("more") }
        if moment == .finishes { source.finish() }
        pending?.cancel()
      case .overdue: break
      case .answered:
        try await connection.write("HTTP/1.1 413 No\r\nContent-Length: 0\r\n\r\n").value
      case .closed: connection.close()
      }
      try await loop.settle { !log.values.isEmpty }
      #expect(log.values.count == 1)
      pending = nil
      #expect(token == nil, "\(end) \(moment)")
      // Whoever asks now is the first.
      #expect(!source.isWaitedFor)
      if moment != .finishes {
        source.send("next")
        let next = try await source.next().value
        #expect(next == "next" || moment == .sends && next == "more")
      }
      connection.close()
      listener.close()
      try await client.close().value
    }
  }
}
#endif
