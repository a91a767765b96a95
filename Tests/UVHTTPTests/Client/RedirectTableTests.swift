#if Everything
import HTTPTypes
import Testing
import UVTestSupport

@testable import UVHTTP

/// What becomes of a request by a redirect: for each status, method and kind of body.
@Suite struct RedirectTableTests {
  enum Body: CaseIterable, Sendable { case none, whole, parts }

  /// What a server has got, in order.
  private final class Server {
    let server: HTTPServer
    let url: String
    var requests: [(method: HTTPRequest.Method, fields: HTTPFields, body: Bytes)] = []
    var status = 302
    /// Where the first requests are sent; the others are answered with 200.
    var location = "/to"
    var redirectCount = 1

    init(_ loop: EventLoop, host: String = "127.0.0.1") throws {
      server = try loop.http.listen(host: "127.0.0.1", port: 0)
      url = "http://\(host):\(try server.localAddress().port)"
      server.start { [self] result in
        guard case .success(let exchange?) = result else { return }
        exchange.body.readToEnd(limit: 1000) { [self] result in
          requests.append((exchange.request.method, exchange.request.headerFields, result.value ?? "-"))
          var response = HTTPResponse(status: .ok)
          if requests.count <= redirectCount {
            response = HTTPResponse(status: .init(code: status), headerFields: [.location: location])
          }
          exchange.respond(response, response.status.hasNoBody ? Bytes() : "x") { _ in }
        }
      }
    }
  }

  /// What a request becomes; nil if the redirect isn't followed.
  private static func next(_ status: Int, _ method: HTTPRequest.Method, _ body: Body) -> (
    HTTPRequest.Method, Body
  )? {
    let becomesGet =
      switch status {
      case 301, 302: method == .post
      case 303: method != .head
      default: false
      }
    guard [301, 302, 303, 307, 308].contains(status) else { return nil }
    if becomesGet { return (.get, .none) }
    return body == .parts ? nil : (method, body)
  }

  @Test(
    "A redirect is followed with the method and the body that its status asks for", arguments: Body.allCases)
  func table(body: Body) async throws {
    try await withLoop { loop in
      let server = try Server(loop)
      var options = HTTPClientOptions()
      options.redirects = 1
      let client = HTTPClient(loop, options: options)
      for status in [200, 300, 301, 302, 303, 304, 305, 307, 308, 400] {
        for method in [HTTPRequest.Method.get, .head, .post, .put, .delete, .patch, .options] {
          (server.requests, server.status) = ([], status)
          let fields: HTTPFields = [
            .contentType: "a/b", .contentLanguage: "de", .accept: "c/d", .cookie: "e",
          ]
          let request = try #require(
            HTTPRequest(method: method, url: server.url + "/from", headerFields: fields))
          let asking: Request<HTTPClientResponse>
          switch body {
          case .none: asking = client.send(request)
          case .whole: asking = client.send(request, body: "body")
          case .parts:
            let source = CustomSource<Bytes>(loop, "body") { source in
              source.send("body")
              source.finish()
            }
            asking = client.send(request, body: source)
          }
          let answer = try await asking.value
          _ = try await answer.body.readToEnd(limit: 1000).value
          let name = "\(status) \(method) \(body)"
          let first = try #require(server.requests.first)
          #expect(first.method == method && first.body == (body == .none ? "" : "body"), "\(name)")
          if let (nextMethod, nextBody) = Self.next(status, method, body) {
            #expect(server.requests.count == 2 && answer.status == .ok, "\(name)")
            let second = try #require(server.requests.last)
            #expect(
              second.method == nextMethod && second.body == (nextBody == .none ? "" : "body"), "\(name)")
            // What says something of the body goes with it.
            let isSame = nextMethod == method && (status != 303 || method == .head)
            #expect(second.fields[.contentType] == (isSame ? "a/b" : nil), "\(name)")
            #expect(second.fields[.contentLanguage] == (isSame ? "de" : nil), "\(name)")
            #expect(second.fields[.accept] == "c/d" && second.fields[.cookie] == "e", "\(name)")
          } else {
            #expect(server.requests.count == 1 && answer.status.code == status, "\(name)")
          }
        }
      }
      try await client.close().value
      server.server.close()
    }
  }

  @Test("So many redirects are followed as the options say, and the answer is the last one", arguments: 0...3)
  func count(redirects: Int) async throws {
    try await withLoop { loop in
      let server = try Server(loop)
      var options = HTTPClientOptions()
      options.redirects = redirects
      let client = HTTPClient(loop, options: options)
      for count in 0...5 {
        (server.requests, server.redirectCount) = ([], count)
        let answer = try await client.get(server.url + "/from").value
        _ = try await answer.body.readToEnd(limit: 1000).value
        #expect(answer.status.code == (count <= redirects ? 200 : 302))
        #expect(server.requests.count == min(count, redirects) + 1)
        #expect(answer.url == server.url + (count > 0 && redirects > 0 ? "/to" : "/from"))
      }
      try await client.close().value
      server.server.close()
    }
  }

  @Test("Another origin gets no secrets, be it another port or another host; the same one gets all")
  func secrets() async throws {
    try await withLoop { loop in
      let (one, other) = (try Server(loop), try Server(loop))
      other.redirectCount = 0
      var options = HTTPClientOptions()
      options.redirects = 1
      let client = HTTPClient(loop, options: options)
      let sameByAnotherName = one.url.replacing("127.0.0.1", with: "localhost")
      for (location, isOther) in [
        ("/to", false), (one.url + "/to", false), (other.url + "/to", true), (sameByAnotherName, true),
      ] {
        (one.requests, other.requests, one.location) = ([], [], location)
        let fields: HTTPFields = [
          .authorization: "secret", .cookie: "secret", .proxyAuthorization: "secret", .accept: "a",
        ]
        let request = try #require(HTTPRequest(url: one.url + "/from", headerFields: fields))
        _ = try await client.send(request).value.body.readToEnd(limit: 1000).value
        let last = try #require(location.hasPrefix(other.url) ? other.requests.last : one.requests.last)
        #expect(one.requests.count + other.requests.count == 2, "\(location)")
        for name in [HTTPField.Name.authorization, .cookie, .proxyAuthorization] {
          #expect(last.fields[name] == (isOther ? nil : "secret"), "\(name) at \(location)")
        }
        #expect(last.fields[.accept] == "a")
      }
      try await client.close().value
      one.server.close()
      other.server.close()
    }
  }
}
#endif
