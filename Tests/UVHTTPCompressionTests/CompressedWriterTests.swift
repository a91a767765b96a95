#if Everything
import Testing
import UVHTTPCompression
import UVTestSupport

/// Bodies that are compressed bit by bit.
@Suite struct CompressedWriterTests {
  private static let events = HTTPResponse(status: .ok, headerFields: [.contentType: "text/event-stream"])

  @Test(
    "A client gets each event that is flushed before the next is written",
    arguments: ["gzip", "deflate", "br"])
  func flushed(accepted: String) async throws {
    let seen = Log<String>()
    try await withServer { exchange throws(UVError) in
      let writer = try exchange.begin(Self.events, compression: HTTPCompression())
      #expect(writer.isCompressing == (accepted != "br"))
      for number in 0..<5 {
        try await writer.write(Bytes("event \(number)\n")).value
        try await writer.flush().value
        try await exchange.loop.until { seen.values.count == number + 1 }
      }
      try await writer.finish().value
    } client: { _, client, url in
      let answer = try await client.ask(url, [.acceptEncoding: accepted]).value
      for try await part in try answer.decompressedBody(limit: 1000) { seen.append("\(part)") }
      #expect(seen.values == (0..<5).map { "event \($0)\n" })
    }
  }

  @Test(
    "Bytes that aren't flushed leave with the end, and trailers come after them", arguments: ["gzip", "br"])
  func trailers(accepted: String) async throws {
    try await withServer { exchange throws(UVError) in
      let writer = try exchange.begin(Self.events, compression: HTTPCompression())
      // None of them waits for the one before.
      for _ in 0..<100 { writer.write("a line\n") { _ in } }
      try await writer.finish([.init("count")!: "100"]).value
    } client: { _, client, url in
      let answer = try await client.ask(url, [.acceptEncoding: accepted]).value
      let body = try answer.decompressedBody(limit: 1000)
      #expect(try await body.readToEnd(limit: 1000).value == Bytes(String(repeating: "a line\n", count: 100)))
      #expect(body.trailers == [.init("count")!: "100"])
    }
  }

  @Test("HEAD has the fields of a compressed body, and no body")
  func head() async throws {
    try await withServer { exchange throws(UVError) in
      let writer = try exchange.begin(Self.events, compression: HTTPCompression())
      #expect(writer.isCompressing)
      try await writer.write("a line\n").value
      try await writer.flush().value
      try await writer.finish().value
    } client: { _, client, url in
      let request = HTTPRequest(method: .head, url: url, headerFields: [.acceptEncoding: "gzip"])!
      let answer = try await client.send(request).value
      #expect(answer.headerFields[.contentEncoding] == "gzip")
      #expect(try await answer.body.readToEnd(limit: 0).value.isEmpty)
    }
  }

  @Test("A writer that has finished writes nothing more", arguments: ["gzip", "br"])
  func finished(accepted: String) async throws {
    try await withServer { exchange throws(UVError) in
      let writer = try exchange.begin(Self.events, compression: HTTPCompression())
      try await writer.write("a").value
      try await writer.finish().value
      await expectError(.alreadyInProgress, of: try await writer.write("b").value)
      await expectError(.alreadyInProgress, of: try await writer.flush().value)
      await expectError(.alreadyInProgress, of: try await writer.finish().value)
    } client: { _, client, url in
      let answer = try await client.ask(url, [.acceptEncoding: accepted]).value
      #expect(try await answer.decompressedBody(limit: 1000).readToEnd(limit: 1000).value == "a")
    }
  }

  @Test("A body that is dropped before its end doesn't look complete")
  func dropped() async throws {
    try await withServer { exchange throws(UVError) in
      let writer = try exchange.begin(Self.events, compression: HTTPCompression())
      try await writer.write("a").value
      try await writer.flush().value
    } client: { _, client, url in
      let answer = try await client.ask(url, [.acceptEncoding: "gzip"]).value
      await expectError(.endOfFile, of: try await answer.decompressedBody(limit: 9).readToEnd(limit: 9).value)
    }
  }

  @Test("A second answer is refused, and so is one that has no body")
  func refused() async throws {
    try await withServer { exchange throws(UVError) in
      let none = HTTPResponse(status: .noContent, headerFields: [.contentType: "text/plain"])
      await expectError(.invalidArgument, of: try exchange.begin(none, compression: HTTPCompression()))
      let writer = try exchange.begin(Self.events, compression: HTTPCompression())
      await expectError(
        .alreadyInProgress, of: try exchange.begin(Self.events, compression: HTTPCompression()))
      await expectError(
        .alreadyInProgress,
        of: try await exchange.respond(Self.events, text(2000), compression: HTTPCompression()).value)
      try await writer.finish().value
    } client: { _, client, url in
      let answer = try await client.ask(url).value
      #expect(try await answer.body.readToEnd(limit: 9).value.isEmpty)
    }
  }
}
#endif
