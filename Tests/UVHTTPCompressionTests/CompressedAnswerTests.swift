#if Everything
import Testing
import UVFutures
import UVHTTPCompression
import UVPromises
import UVTestSupport

/// What a server compresses, and how.
@Suite struct CompressedAnswerTests {
  private static let html: HTTPFields = [.contentType: "text/html; charset=utf-8"]

  @Test(
    "The coding is the one that the client likes best (RFC 9110, 12.5.3)",
    arguments: [
      ("gzip", "gzip"), ("deflate", "deflate"), ("gzip, deflate", "gzip"), ("deflate, gzip", "gzip"),
      ("gzip;q=0.5, deflate", "deflate"), ("GZIP", "gzip"), ("x-gzip", "gzip"), ("*", "gzip"),
      ("*;q=0.1, gzip;q=0", "deflate"), ("gzip ; Q=0.001", "gzip"), ("br, gzip;q=0.8", "gzip"),
      ("identity, gzip", "gzip"), ("identity;q=0.9, gzip;q=0.5", nil), ("gzip;q=0", nil), ("*;q=0", nil),
      ("", nil), ("br", nil), ("gzip;q=x", nil), ("gzip;q=2", nil), ("gzip;q=0.1234", nil), (",,;", nil),
      ("gzip;level=1", "gzip"), ("gzip;q=1.000", "gzip"),
    ])
  func negotiation(field: String, expected: String?) {
    let fields: HTTPFields = [.acceptEncoding: field]
    #expect(fields.preferredContentCoding(of: ["gzip", "deflate"]) == expected)
    #expect(HTTPFields().preferredContentCoding(of: ["gzip"]) == nil)
  }

  /// An answer, and whether it is to be compressed.
  struct Case: Sendable, CustomTestStringConvertible {
    let testDescription: String
    var status = HTTPResponse.Status.ok
    var fields = html
    var body = text(2000)
    var accepted: String? = "gzip"
    var isCompressed = false
    var varies = false
  }

  @Test(
    "An answer is compressed if the client accepts that and it is worthwhile",
    arguments: [
      Case(testDescription: "text", isCompressed: true, varies: true),
      Case(
        testDescription: "JSON", fields: [.contentType: "application/problem+json"], isCompressed: true,
        varies: true),
      Case(testDescription: "a long text", body: text(300_000), isCompressed: true, varies: true),
      Case(testDescription: "an error's page", status: .notFound, isCompressed: true, varies: true),
      Case(testDescription: "nothing is accepted", accepted: nil, varies: true),
      Case(testDescription: "another coding is accepted", accepted: "br", varies: true),
      Case(testDescription: "a short text", body: text(1023)),
      Case(testDescription: "noise", body: noise(2000), varies: true),
      Case(testDescription: "much noise", body: noise(200_000), varies: true),
      Case(testDescription: "a picture", fields: [.contentType: "image/png"]),
      Case(testDescription: "no type", fields: [:]),
      Case(testDescription: "coded already", fields: [.contentType: "text/html", .contentEncoding: "br"]),
      Case(
        testDescription: "not to be changed",
        fields: [.contentType: "text/html", .cacheControl: "No-Transform, public"]),
      Case(
        testDescription: "a part", status: .partialContent,
        fields: [.contentType: "text/html", .contentRange: "bytes 0-1999/9000"]),
    ])
  func answers(test: Case) async throws {
    try await withServer { exchange throws(UVError) in
      let head = HTTPResponse(status: test.status, headerFields: test.fields)
      try await exchange.respond(head, test.body, compression: HTTPCompression()).value
    } client: { _, client, url in
      let answer = try await client.ask(url, test.accepted.map { [.acceptEncoding: $0] } ?? [:]).value
      let fields = answer.headerFields
      #expect(answer.status == test.status)
      #expect(fields[.vary] == (test.varies ? "accept-encoding" : nil))
      let coding = test.fields[.contentEncoding] ?? (test.isCompressed ? "gzip" : nil)
      #expect(fields[.contentEncoding] == coding)
      if coding == "br" {
        #expect(try await answer.body.readToEnd(limit: 1 << 20).value == test.body)
      } else {
        if test.isCompressed { #expect(Int(fields[.contentLength] ?? "")! < test.body.count / 5) }
        #expect(
          try await answer.decompressedBody(limit: 1 << 20).readToEnd(limit: 1 << 20).value == test.body)
      }
    }
  }

  @Test(
    "A compressed answer has a weak tag, and its other fields as they were", arguments: ["\"a\"", "W/\"a\""])
  func fields(tag: String) async throws {
    try await withServer { exchange throws(UVError) in
      var head = HTTPResponse(status: .ok, headerFields: Self.html)
      (head.headerFields[.eTag], head.headerFields[.vary]) = (tag, "cookie")
      try await exchange.respond(head, text(2000), compression: HTTPCompression()).value
    } client: { _, client, url in
      for (accepted, expected) in [("gzip", "W/\"a\""), ("br", tag)] {
        let fields = try await client.ask(url, [.acceptEncoding: accepted]).value.headerFields
        #expect((fields[.eTag], fields[.vary]) == (expected, "cookie, accept-encoding"))
      }
    }
  }

  @Test("HEAD has the fields that GET has")
  func head() async throws {
    try await withServer { exchange throws(UVError) in
      let head = HTTPResponse(status: .ok, headerFields: Self.html)
      try await exchange.respond(head, text(2000), compression: HTTPCompression()).value
    } client: { _, client, url in
      let fields: HTTPFields = [.acceptEncoding: "gzip"]
      let get = try await client.ask(url, fields).value
      _ = try await get.body.readToEnd(limit: 2000).value
      let head = try await client.send(HTTPRequest(method: .head, url: url, headerFields: fields)!).value
      #expect(head.headerFields[.contentLength] == get.headerFields[.contentLength])
      #expect(try await head.decompressedBody(limit: 0).readToEnd(limit: 0).value.isEmpty)
    }
  }

  @Test("Each style answers with a compressed body, short or long", arguments: [2000, 200_000])
  func styles(count: Int) async throws {
    let log = Log<String>()
    try await withServer { exchange throws(UVError) in
      let (head, body) = (HTTPResponse(status: .ok, headerFields: Self.html), text(count))
      switch exchange.request.path {
      case "/callback":
        exchange.respond(head, body, compression: HTTPCompression()) { _ in log.append("callback") }
      case "/promise":
        exchange.respond(head, body, compression: HTTPCompression()).promise().done { log.append("promise") }
          .cauterize()
      case "/future":
        let future = exchange.respond(head, body, compression: HTTPCompression()).publisher()
        let subscription = future.sink { _ in
        } receiveValue: {
          log.append("future")
        }
        try await exchange.loop.until { log.values.contains("future") }
        subscription.cancel()
      default:
        try await exchange.respond(head, body, compression: HTTPCompression()).value
        log.append("async")
      }
    } client: { loop, client, url in
      for style in ["callback", "promise", "future", "async"] {
        let answer = try await client.ask(url + style, [.acceptEncoding: "deflate"]).value
        #expect(answer.headerFields[.contentEncoding] == "deflate")
        #expect(
          try await answer.decompressedBody(limit: count).readToEnd(limit: count).value == text(count))
      }
      try await loop.until { log.values == ["callback", "promise", "future", "async"] }
    }
  }

  @Test("An answer that is cancelled while the pool compresses may still be given")
  func cancelled() async throws {
    try await withServer { exchange throws(UVError) in
      let head = HTTPResponse(status: .ok, headerFields: Self.html)
      let log = Log<Result<Void, UVError>>()
      exchange.respond(head, text(200_000), compression: HTTPCompression()) { log.append($0) }.cancel()
      try await exchange.loop.until { !log.values.isEmpty }
      #expect(log.values.first?.error?.code == .cancelled)
      try await exchange.respond(head, "other").value
    } client: { _, client, url in
      let answer = try await client.ask(url, [.acceptEncoding: "gzip"]).value
      #expect(try await answer.body.readToEnd(limit: 100).value == "other")
    }
  }

  @Test(
    "Bytes that are compressed on any thread are read back", arguments: HTTPCompression.Coding.allCases, 1...9
  )
  func bytes(coding: HTTPCompression.Coding, level: Int) async throws {
    let compressed = try text(100_000).compressed(by: coding, level: level)
    #expect(compressed.count < 30_000)
    try await withServer { exchange throws(UVError) in
      let head = HTTPResponse(status: .ok, headerFields: [.contentEncoding: coding.rawValue])
      try await exchange.respond(head, compressed).value
    } client: { _, client, url in
      let answer = try await client.ask(url).value
      #expect(
        try await answer.decompressedBody(limit: 1 << 20).readToEnd(limit: 1 << 20).value == text(100_000))
    }
  }

  @Test("Another level is refused", arguments: [0, -1, 10, Int.max, Int.min])
  func levels(level: Int) async {
    await expectError(.invalidArgument, of: try Bytes("a").compressed(by: .gzip, level: level))
  }

  @Test("No bytes are compressed to an empty sequence")
  func empty() throws {
    for (coding, count) in [(HTTPCompression.Coding.gzip, 20), (.deflate, 8)] {
      let compressed = try Bytes().compressed(by: coding)
      #expect(compressed.count == count)
    }
  }

  @Test("curl reads what is compressed", .onTheMachine("curl"), arguments: [2000, 500_000])
  func curl(count: Int) async throws {
    let whole = text(count)
    try await withServer { exchange throws(UVError) in
      let head = HTTPResponse(status: .ok, headerFields: Self.html)
      guard exchange.request.path == "/parts" else {
        return try await exchange.respond(head, whole, compression: HTTPCompression()).value
      }
      let writer = try exchange.begin(head, compression: HTTPCompression())
      for start in stride(from: 0, to: count, by: 1000) {
        try await writer.write(Bytes(whole[start..<start + 1000])).value
      }
      try await writer.finish().value
    } client: { loop, _, url in
      for path in ["", "parts"] {
        let child = try loop.processes.spawn(
          "curl", ["-sS", "-m", "20", "--compressed", "-w", "%{size_download}", url + path],
          stdio: [.ignore, .pipe, .inherit])
        let output = try await #require(child.standardOutput).readToEnd(limit: 1 << 20).value
        #expect(try await child.exit().value.isSuccess)
        #expect(output.starts(with: whole))
        #expect(Int("\(Bytes(output[count...]))")! < count / 4, "the bytes that came")
      }
    }
  }
}
#endif
