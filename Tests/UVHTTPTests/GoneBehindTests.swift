#if Everything
import Testing
import UVTestSupport

@testable import UVHTTP

/// A client that goes is noticed whatever it has sent behind the request that is watched, as long as the server has taken
/// all of that: what follows may be a request that has to wait, or a part of one.
@Suite struct GoneBehindTests {
  private static func head(_ method: String, _ fields: String = "") -> String {
    "\(method) /behind HTTP/1.1\r\nHost: a\r\n\(fields)\r\n"
  }

  /// What stands behind the request.
  private static let behind = [
    "", head("GET"), head("HEAD"), head("GET") + head("GET") + head("GET"), head("OPTIONS"),
    head("POST"), head("DELETE"), head("POST", "Content-Length: 0\r\n"),
    // Bodies of which nothing has come.
    head("POST", "Content-Length: 5\r\n"), head("GET", "Content-Length: 5\r\n"),
    head("PUT", "Transfer-Encoding: chunked\r\n"),
    head("PUT", "Content-Length: 5\r\nExpect: 100-continue\r\n"),
    head("GET") + head("POST"), head("GET", "Connection: close\r\n"),
    head("POST", "X: \(String(repeating: "x", count: 5000))\r\n"),
    // Parts of a head.
    "G", "POST /behind HTT", "POST /behind HTTP/1.1\r\nHost: a\r\n", head("GET") + "POST",
  ]

  /// How far the test is with a request.
  private enum Place { case there, sent, heard }

  /// When the program begins to watch.
  enum Watching: CaseIterable, Sendable { case before, after }

  @Test(
    "A client that goes is noticed behind what it has sent, as one that has sent nothing more",
    arguments: Watching.allCases, [false, true])
  func gone(watching: Watching, secure: Bool) async throws {
    let (isThere, ends) = (Log<Place>(), Log<UVError.Code?>())
    try await serveEach(secure: secure) { exchange in
      let loop = exchange.loop
      guard exchange.request.path == "/" else {
        // Others that were handed out are watched, too, and hear of it.
        return _ = await code { () async throws(UVError) in try await exchange.clientGone().value }
      }
      if watching == .before { exchange.clientGone { ends.append($0.error?.code) } }
      isThere.append(.there)
      if watching == .after {
        try? await loop.until { isThere.values.last == .sent }
        try? await loop.settle()
        exchange.clientGone { ends.append($0.error?.code) }
      }
      try? await loop.until { isThere.values.last == .heard }
    } client: { loop, connect in
      for (number, text) in Self.behind.enumerated() {
        for (isTogether, resets) in [(true, false), (false, true)] {
          let stream = try await connect()
          let first = "GET / HTTP/1.1\r\nHost: a\r\n\r\n"
          try await stream.write(Bytes(isTogether ? first + text : first)).value
          try await loop.until { isThere.values.last == .there }
          if !isTogether, !text.isEmpty { try await stream.write(Bytes(text)).value }
          isThere.append(.sent)
          try await loop.settle()
          let count = ends.values.count
          if resets { stream.cutOff() } else { stream.close() }
          try await loop.until { ends.values.count > count }
          try #require(
            ends.values.last == .some(nil), "\(number): \(text.prefix(60)), together: \(isTogether)")
          isThere.append(.heard)
        }
      }
    }
  }
}
#endif
