#if Everything
import Testing
import UVFutures
import UVHTTPCompression
import UVPromises
import UVTestSupport

/// What a server restores of the bodies that clients compress; a client restores them by the same code.
@Suite struct DecompressedBodyTests {
  private static let limit = 1 << 20

  /// A server that answers with what it has restored.
  private func upload(
    _ coding: String, _ parts: [Bytes], limit: Int = limit
  ) async throws -> (status: Int, body: Bytes) {
    let answers = Log<(Int, Bytes)>()
    try await withServer { exchange throws(UVError) in
      let body = try await exchange.decompressedBody(limit: limit).readToEnd(limit: Self.limit).value
      try await exchange.respond(HTTPResponse(status: .ok), body).value
    } client: { loop, client, url in
      let source = CustomSource<Bytes>(loop, "body")
      for part in parts { source.send(part) }
      source.finish()
      let request = HTTPRequest(method: .post, url: url, headerFields: [.contentEncoding: coding])!
      let answer = try await client.send(request, body: source).value
      answers.append((answer.status.code, try await answer.body.readToEnd(limit: Self.limit).value))
    }
    return try #require(answers.values.first)
  }

  /// A text in all formats.
  private static func formats(_ text: Bytes) throws -> [(coding: String, bytes: Bytes)] {
    let (gzip, zlib) = (try text.compressed(by: .gzip), try text.compressed(by: .deflate))
    return [
      ("gzip", gzip), ("X-GZip", gzip), ("deflate", zlib), ("Identity, deflate", zlib),
      // Without the head and the checksum, as some clients send it.
      ("deflate", Bytes(zlib[2..<zlib.count - 4])),
      ("identity", text), ("", text),
    ]
  }

  @Test("Each format is restored, however its bytes come", arguments: [1, 2, 7, 1000, 100_000])
  func formats(size: Int) async throws {
    let count = size < 10 ? 500 : 100_000
    for (coding, bytes) in try Self.formats(text(count)) {
      let parts = stride(from: 0, to: bytes.count, by: size).map {
        Bytes(bytes[$0..<min($0 + size, bytes.count)])
      }
      let (status, body) = try await upload(coding, parts)
      #expect(status == 200 && body == text(count), "\(coding)")
    }
  }

  @Test("Several sequences of gzip are one body, also where a part ends between them")
  func members() async throws {
    let (one, other) = (try text(1000).compressed(by: .gzip), try text(10).compressed(by: .gzip))
    let none = try Bytes().compressed(by: .gzip)
    for parts in [[one, other], [one, none, other], [Bytes(Array(one) + Array(other))]] {
      #expect(try await upload("gzip", parts).body == Bytes(Array(text(1000)) + Array(text(10))))
    }
  }

  @Test("No bytes are an empty body", arguments: ["gzip", "deflate"])
  func empty(coding: String) async throws {
    #expect(try await upload(coding, []) == (200, Bytes()))
  }

  @Test("A body that expands beyond the limit is refused with 413, before all of it is restored")
  func tooLong() async throws {
    for (coding, bytes) in try Self.formats(text(5000)) {
      #expect(try await upload(coding, [bytes], limit: 5000).status == 200)
      #expect(try await upload(coding, [bytes], limit: 4999).status == 413, "\(coding)")
    }
    // A gibibyte, if anybody restored it.
    let bomb = Array(try Bytes(repeating: 0, count: 1 << 20).compressed(by: .gzip))
    let parts = (0..<1024).map { _ in Bytes(bomb) }
    let (status, _) = try await upload("gzip", parts, limit: 100_000)
    #expect(status == 413)
  }

  @Test("Bytes that aren't what their format says are refused with 400")
  func wrong() async throws {
    let gzip = Array(try text(2000).compressed(by: .gzip))
    let zlib = Array(try text(2000).compressed(by: .deflate))
    var (damaged, sum) = (gzip, gzip)
    damaged[100] ^= 0xFF
    sum[gzip.count - 6] ^= 1
    for (coding, bytes) in [
      ("gzip", damaged), ("gzip", sum), ("gzip", gzip + [0]), ("gzip", zlib), ("gzip", Array("hello".utf8)),
      ("gzip", Array(gzip.dropLast())), ("gzip", Array(gzip.prefix(1))), ("deflate", Array(zlib.prefix(1))),
      ("deflate", Array(zlib.dropLast())), ("deflate", zlib + [1]), ("deflate", [0xFF, 0xFF, 0xFF]),
      // It asks for a dictionary.
      ("deflate", [0x78, 0xBB, 0, 0, 0, 1]),
    ] as [(String, [UInt8])] {
      #expect(try await upload(coding, [Bytes(bytes)]).status == 400, "\(coding) \(bytes.prefix(4))")
    }
  }

  @Test(
    "A format that isn't known is refused with 415 when the body is asked for",
    arguments: ["br", "gzip, gzip", "zstd"])
  func unknown(coding: String) async throws {
    try await withServer { exchange throws(UVError) in
      await expectError(.notSupported, of: try exchange.decompressedBody(limit: 9))
    } client: { _, client, url in
      let answer = try await client.ask(url, [.contentEncoding: coding], "abc").value
      #expect(answer.status == .unsupportedMediaType)
    }
  }

  @Test("A reader that ceases to ask and asks again misses nothing")
  func asksAgain() async throws {
    try await withServer { exchange throws(UVError) in
      let body = try exchange.decompressedBody(limit: Self.limit)
      var whole = BytesBuilder()
      var number = 0
      while true {
        number += 1
        if number % 2 == 0 { body.next { _ in }.cancel() }
        do throws(UVError) {
          guard let part = try await body.next().timeout(after: .milliseconds(1)).value else { break }
          whole.append(part)
        } catch { #expect(error.code == .timedOut) }
      }
      try await exchange.respond(HTTPResponse(status: .ok), whole.takeBytes()).value
    } client: { loop, client, url in
      let bytes = try noise(20_000).compressed(by: .gzip)
      let source = CustomSource<Bytes>(loop, "body")
      let request = HTTPRequest(method: .post, url: url, headerFields: [.contentEncoding: "gzip"])!
      let sending = loop.spawn { () async throws(UVError) in
        for start in stride(from: 0, to: bytes.count, by: 4000) {
          source.send(Bytes(bytes[start..<min(start + 4000, bytes.count)]))
          try await loop.sleep(for: .milliseconds(3)).value
        }
        source.finish()
      }
      let answer = try await client.send(request, body: source).value
      #expect(try await answer.body.readToEnd(limit: Self.limit).value == noise(20_000))
      try await sending.value
    }
  }

  @Test("Each style reads a restored body")
  func styles() async throws {
    let compressed = try text(3000).compressed(by: .gzip)
    try await withServer { exchange throws(UVError) in
      let head = HTTPResponse(status: .ok, headerFields: [.contentEncoding: "gzip"])
      try await exchange.respond(head, compressed).value
    } client: { loop, client, url in
      let bodies = Log<Bytes>()
      func body() async throws -> HTTPBody { try await client.ask(url).value.decompressedBody(limit: 3000) }
      try await body().readToEnd(limit: 3000) { if case .success(let bytes) = $0 { bodies.append(bytes) } }
      try await body().readToEnd(limit: 3000).promise().done { bodies.append($0) }.cauterize()
      let subscription = try await body().publisher().reduce(0) { $0 + $1.count }.sink { _ in
      } receiveValue: {
        bodies.append(text($0))
      }
      bodies.append(try await body().readToEnd(limit: 3000).value)
      try await loop.until { bodies.values.count == 4 }
      subscription.cancel()
      #expect(bodies.values.allSatisfy { $0 == text(3000) })
    }
  }

  @Test(
    "Python's compressed upload is restored", .onTheMachine("python3"), arguments: ["gzip", "deflate", "raw"])
  func python(format: String) async throws {
    let script = """
      import gzip, http.client, sys, zlib
      text = b"line of it\\n" * 5000
      raw = zlib.compressobj(wbits=-15)
      data = {"gzip": gzip.compress(text), "deflate": zlib.compress(text), "raw": raw.compress(text) + raw.flush()}
      c = http.client.HTTPConnection(sys.argv[1].split("/")[2], timeout=20)
      coding = "gzip" if sys.argv[2] == "gzip" else "deflate"
      c.request("POST", "/", body=data[sys.argv[2]], headers={"Content-Encoding": coding})
      r = c.getresponse(); print(r.status, r.read() == text)
      """
    try await withServer { exchange throws(UVError) in
      let body = try await exchange.decompressedBody(limit: Self.limit).readToEnd(limit: Self.limit).value
      try await exchange.respond(HTTPResponse(status: .ok), body).value
    } client: { loop, _, url in
      let child = try loop.processes.spawn(
        "python3", ["-c", script, url, format], stdio: [.ignore, .pipe, .inherit])
      let output = try await #require(child.standardOutput).readToEnd(limit: 1000).value
      #expect(output == "200 True\n")
      _ = try await child.exit().value
    }
  }
}
#endif
