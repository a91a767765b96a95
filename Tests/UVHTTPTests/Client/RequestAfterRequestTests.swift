#if Everything
import HTTPTypes
import Testing
import UVTestSupport

@testable import UVHTTP

/// A client uses its objects and connections again. Each request is sent and answered as by a client that has sent nothing
/// else, whatever kind the request before it was.
@Suite struct RequestAfterRequestTests {
  enum Kind: CaseIterable, Sendable {
    case get, getAgain, head, post, emptyPut, parts, length, expect, user, ownCookie, interim, upgrade
    case redirected, seeOther, ownCookieRedirected, userRedirected, redirectedTwice, tooManyRedirects
    case noContent, chunked, last, dropped, cancelled, wrong, refusedBody
  }

  /// What a server has seen of a request.
  private final class Seen {
    var requests: [String] = []
  }

  private static func serve(_ loop: EventLoop, _ seen: Seen) throws -> HTTPServer {
    let server = try loop.http.listen(host: "127.0.0.1", port: 0)
    server.start { result in
      guard case .success(let exchange?) = result else { return }
      exchange.body.readToEnd(limit: 100_000) { result in
        let fields = exchange.request.headerFields.map { "\($0.name): \($0.value)" }.sorted()
        let trailers = exchange.body.trailers.map { "\($0.name): \($0.value)" }
        seen.requests.append(
          "\(exchange.request.method) \(exchange.request.path ?? "") \(fields) \(result.value ?? "-") \(trailers)"
        )
        answer(exchange)
      }
    }
    return server
  }

  private static func answer(_ exchange: HTTPExchange) {
    let path = (exchange.request.path ?? "").split(separator: "/").map(String.init)
    var response = HTTPResponse(status: .ok, headerFields: [.setCookie: "jar=1; Path=/"])
    switch path.first {
    case "never":
      exchange.clientGone { _ in withExtendedLifetime(exchange) {} }
      return
    case "redirect":
      response.status = HTTPResponse.Status(code: Int(path[1])!)
      response.headerFields[.location] = "/" + path.dropFirst(2).joined(separator: "/")
    case "interim":
      exchange.inform(HTTPResponse(status: .init(code: 103), headerFields: [.eTag: "x"])) { _ in }
    case "empty":
      response.status = .noContent
      return _ = exchange.respond(response) { _ in }
    case "last": response.headerFields[.connection] = "close"
    case "chunked":
      guard let writer = try? exchange.begin(response) else { return }
      writer.write("in ") { _ in }
      writer.write("chunks") { _ in }
      return _ = writer.finish { _ in }
    default: break
    }
    exchange.respond(response, Bytes(path.joined(separator: " "))) { _ in }
  }

  /// Sends a request, and says what came of it.
  private static nonisolated(nonsending) func send(_ kind: Kind, _ client: HTTPClient, _ port: Int)
    async throws
    -> String
  {
    let loop = client.loop
    func request(
      _ method: HTTPRequest.Method = .get, _ path: String, _ fields: HTTPFields = [:], user: String = ""
    ) -> HTTPRequest {
      HTTPRequest(method: method, url: "http://\(user)127.0.0.1:\(port)\(path)", headerFields: fields)!
    }
    var interim: [Int] = []
    let asking: Request<HTTPClientResponse>
    switch kind {
    case .get, .getAgain: asking = client.get("http://127.0.0.1:\(port)/get")
    case .head: asking = client.send(request(.head, "/head"))
    case .post: asking = client.send(request(.post, "/post", [.contentType: "a/b"]), body: "a body")
    case .emptyPut: asking = client.send(request(.put, "/put"))
    case .parts, .length:
      let body = CustomSource<Bytes>(loop, "body") { source in
        source.send("some ")
        source.send("parts")
        source.finish()
      }
      asking =
        kind == .parts
        ? client.send(request(.post, "/parts"), body: body, trailers: { [.eTag: "sum"] })
        : client.send(request(.put, "/length"), body: body, length: 10)
    case .expect: asking = client.send(request(.post, "/expect", [.expect: "100-continue"]), body: "expected")
    case .user: asking = client.send(request(.get, "/user", user: "ada:x@"))
    case .ownCookie: asking = client.send(request(.get, "/own", [.cookie: "own=1"]))
    case .interim: asking = client.send(request(.get, "/interim")) { interim.append($0.status.code) }
    case .upgrade: asking = client.upgrade(request(.get, "/upgrade", [.upgrade: "echo"]))
    case .redirected: asking = client.send(request(.put, "/redirect/307/to"), body: "again")
    case .seeOther:
      asking = client.send(request(.post, "/redirect/303/other", [.contentType: "a/b"]), body: "once")
    case .ownCookieRedirected: asking = client.send(request(.get, "/redirect/302/own/to", [.cookie: "own=1"]))
    case .userRedirected: asking = client.send(request(.get, "/redirect/301/user/to", user: "ada:x@"))
    case .redirectedTwice: asking = client.send(request(.get, "/redirect/302/redirect/302/end"))
    case .tooManyRedirects:
      asking = client.send(request(.get, "/redirect/302/redirect/302/redirect/302/redirect/302/end"))
    case .noContent: asking = client.send(request(.delete, "/empty"))
    case .chunked: asking = client.send(request(.get, "/chunked"))
    case .last: asking = client.send(request(.get, "/last"))
    case .dropped:
      let answer = try await client.send(request(.get, "/chunked/dropped")).value
      return "\(answer.status.code)"
    case .cancelled:
      let sending = loop.spawn { () async throws(UVError) in
        try await client.send(request(.get, "/never")).value
      }
      try await loop.sleep(for: .milliseconds(1)).value
      sending.cancel()
      return await code { () async throws(UVError) in try await sending.value }.map { "\($0)" } ?? "an answer"
    case .wrong:
      return await code { () async throws(UVError) in
        try await client.send(HTTPRequest(method: .get, scheme: "http", authority: "a", path: "no path"))
          .value
      }.map { "\($0)" } ?? "an answer"
    case .refusedBody:
      let body = CustomSource<Bytes>(loop, "body") { source in
        source.send("too much")
        source.finish()
      }
      return await code { () async throws(UVError) in
        try await client.send(request(.put, "/short"), body: body, length: 3).value
      }.map { "\($0)" } ?? "an answer"
    }
    let answer = try await asking.value
    let text = try await answer.body.readToEnd(limit: 1000).value
    return "\(answer.status.code) \(text) \(interim) \(answer.url.split(separator: "/").dropFirst(2))"
  }

  @Test("A request is what it would be as the first one", arguments: Kind.allCases)
  func pairs(first: Kind) async throws {
    try await withLoop { loop in
      let seen = Seen()
      let server = try Self.serve(loop, seen)
      let port = Int(try server.localAddress().port)
      var options = HTTPClientOptions()
      options.redirects = 3
      func client() -> HTTPClient { HTTPClient(loop, options: options, cookies: HTTPCookieJar()) }
      func run(_ kinds: [Kind]) async throws -> (outcomes: [String], requests: [[String]]) {
        let client = client()
        // From here on the jar has what the server sets.
        _ = try await Self.send(.get, client, port)
        var (outcomes, requests): ([String], [[String]]) = ([], [])
        for kind in kinds {
          seen.requests = []
          outcomes.append(try await Self.send(kind, client, port))
          requests.append(seen.requests)
        }
        try await client.close().value
        return (outcomes, requests)
      }
      for second in Kind.allCases {
        let alone = try await run([second])
        let after = try await run([first, second, second])
        for place in 1...2 {
          #expect(after.outcomes[place] == alone.outcomes[0], "\(second) after \(first)")
          // Whether, and when, the server hears of one that is given up is a matter of time.
          func known(_ requests: [String]) -> [String] {
            requests.filter { !$0.hasPrefix("PUT /short ") && !$0.hasPrefix("GET /never ") }
          }
          #expect(known(after.requests[place]) == known(alone.requests[0]), "\(second) after \(first)")
        }
      }
      server.close()
    }
  }
}
#endif
