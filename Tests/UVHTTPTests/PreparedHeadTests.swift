#if Everything
import Foundation
import Testing
import UVTestSupport

@testable import UVHTTP

/// What a server remembers, so that it needn't make it for each request.
@Suite struct PreparedHeadTests {
  private static let responses: [HTTPResponse] = [
    HTTPResponse(status: .ok), HTTPResponse(status: .noContent, headerFields: [.eTag: "\"a\""]),
    HTTPResponse(
      status: .ok, headerFields: [.contentType: "text/plain", .contentLength: "99", .server: "a"]),
    HTTPResponse(status: .init(code: 299, reasonPhrase: "Fine"), headerFields: [.date: "yesterday"]),
    HTTPResponse(status: .notFound, headerFields: [.connection: "close", .transferEncoding: "chunked"]),
    HTTPResponse(status: .ok, headerFields: [.contentType: "a\r\nb: c"]),
  ]

  @Test("An answer with a prepared head is the same as with the head itself")
  func sameBytes() async throws {
    for response in Self.responses {
      let prepared = HTTPPreparedHead(response)
      let body: Bytes = response.status == .noContent ? "" : "body"
      for line in ["GET / HTTP/1.1\r\nHost: a", "HEAD / HTTP/1.1\r\nHost: a", "GET / HTTP/1.0"] {
        let answers = Log<String>()
        for isPrepared in [true, false] {
          try await withServer { exchange in
            if isPrepared {
              try await exchange.respond(prepared, body).value
            } else {
              try await exchange.respond(response, body).value
            }
          } client: { client in
            let answer = try await client.exchange("\(line)\r\nConnection: close\r\n\r\n")
            answers.append(answer.replacing(/date: .*GMT\r\n/, with: "date: now\r\n"))
          }
        }
        #expect(answers.values.count == 2 && answers.values[0] == answers.values[1])
      }
    }
  }

  @Test("A prepared head is refused where its response is")
  func refusals() async throws {
    try await withServer { exchange in
      for status in [HTTPResponse.Status.continue, .noContent] {
        let head = HTTPPreparedHead(HTTPResponse(status: status))
        await expectError(.invalidArgument, of: try await exchange.respond(head, "body").value)
      }
      let head = HTTPPreparedHead(HTTPResponse(status: .ok))
      try await exchange.respond(head, "body").value
      await expectError(.alreadyInProgress, of: try await exchange.respond(head, "body").value)
    } client: { client in
      let answer = try await client.exchange("GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
      #expect(bodies(of: answer) == ["body"])
    }
  }

  @Test("A request is what its own bytes say, whatever was asked before")
  func requestsApart() async throws {
    let heads = [
      "GET /a HTTP/1.1\r\nHost: a\r\nX: 1\r\n\r\n", "GET /a HTTP/1.1\r\nHost: a\r\nX: 2\r\n\r\n",
      "GET /b HTTP/1.1\r\nHost: a\r\nX: 2\r\n\r\n", "HEAD /b HTTP/1.1\r\nHost: a\r\nX: 2\r\n\r\n",
      "GET /b HTTP/1.1\r\nHost: b\r\nX: 2\r\n\r\n",
      "GET /\(String(repeating: "c", count: 3000)) HTTP/1.1\r\nHost: b\r\n\r\n",
    ]
    let order = (0..<heads.count).flatMap { one in (0..<heads.count).flatMap { [one, one, $0] } }
    try await withServer { exchange in
      let request = exchange.request
      let text =
        request.method.rawValue + (request.authority ?? "") + (request.path ?? "")
        + (request.headerFields[HTTPField.Name("x")!] ?? "-")
      try await exchange.respond(HTTPResponse(status: .ok, headerFields: [.eTag: "\(text.hashValue)"])).value
    } client: { client in
      let texts = [
        "GETa/a1", "GETa/a2", "GETa/b2", "HEADa/b2", "GETb/b2",
        "GETb/\(String(repeating: "c", count: 3000))-",
      ]
      for index in order {
        try await client.stream.write(Bytes(heads[index])).value
        let answer = try #require(try await client.stream.read(until: "\r\n\r\n", limit: 1000).value)
        #expect("\(answer)".contains("ETag: \(texts[index].hashValue)\r\n"), "\(heads[index])")
      }
      client.stream.close()
    }
  }
}
#endif
