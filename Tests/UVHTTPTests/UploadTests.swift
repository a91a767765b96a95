#if Everything
import Foundation
import Testing
import UVTestSupport

@testable import UVHTTP

/// Bodies that come slowly, while their answers leave already.
@Suite struct UploadTests {
  private static let ok = HTTPResponse(status: .ok)
  private static let page = Bytes(repeating: 0x78, count: 65536)
  private static let head: Bytes =
    "POST / HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Length: 4\r\n\r\nab"

  /// How a part of the answer is written.
  enum Part: CaseIterable {
    /// As much as the client takes, so that it waits for the client.
    case long
    /// A line now and then, which the system takes at once.
    case short
    /// From a file.
    case file
  }

  /// What becomes of a body during its answer.
  enum Reading: CaseIterable {
    case none, waits, complete
  }

  /// Answers by parts until the body has come, and notes how that has ended.
  private nonisolated(nonsending) static func answer(
    _ exchange: HTTPExchange, by part: Part, file: File, _ ends: Log<Result<Bytes, UVError>>
  ) async throws(UVError) {
    let writer = try exchange.begin(ok)
    exchange.body.readToEnd(limit: 100) { ends.append($0) }
    while ends.values.isEmpty {
      switch part {
      case .long: try await writer.write(page).value
      case .short:
        try await writer.write(Bytes(page[..<100])).value
        try await exchange.loop.sleep(for: .milliseconds(2)).value
      case .file: try await writer.write(file: file, count: page.count).value
      }
    }
    try await writer.finish().value
  }

  /// Runs a server that answers by parts while it reads the body, and a client that has sent a half of that.
  private func serve(
    _ limits: HTTPLimits, secure: Bool, by part: Part,
    _ bodies: Log<Result<Bytes, UVError>>,
    _ answers: Log<UVError.Code?>,
    client: nonisolated(nonsending) @escaping @Sendable (ByteStream) async throws -> Void
  ) async throws {
    try await withTemporaryDirectory { directory in
      try await serveEach(limits, secure: secure) { exchange in
        do throws(UVError) {
          try await exchange.loop.files.writeFile("\(directory)/file", Self.page).value
          let file = try await exchange.loop.files.open("\(directory)/file").value
          let outcome = await failure { try await Self.answer(exchange, by: part, file: file, bodies) }
          answers.append(outcome?.code)
          try await file.close().value
        } catch { Issue.record(error) }
      } client: { loop, connect in
        let stream = try await connect()
        try await stream.write(Self.head).value
        try await client(stream)
        stream.close()
        try await loop.settle { answers.values.count == 1 && bodies.values.count == 1 }
      }
    }
  }

  @Test(
    "A client that takes its answer isn't silent, though it sends nothing of the body meanwhile",
    arguments: Part.allCases, [false, true])
  func takes(part: Part, secure: Bool) async throws {
    var limits = HTTPLimits()
    (limits.idleTimeout, limits.minimumRate) = (.milliseconds(500), 1000)
    try await takes(limits, part, secure, serviceEnds: false)
  }

  @Test(
    "Nor is it silent at the end of the service, which waits for its body", arguments: Part.allCases,
    [false, true])
  func takesLast(part: Part, secure: Bool) async throws {
    var limits = HTTPLimits()
    (limits.lastSilence, limits.minimumRate) = (.milliseconds(500), 1000)
    try await takes(limits, part, secure, serviceEnds: true)
  }

  private func takes(_ limits: HTTPLimits, _ part: Part, _ secure: Bool, serviceEnds: Bool) async throws {
    let (bodies, answers) = (Log<Result<Bytes, UVError>>(), Log<UVError.Code?>())
    try await serve(limits, secure: secure, by: part, bodies, answers) { stream in
      _ = try await stream.read(until: "\r\n\r\n", limit: 1000).value
      if serviceEnds { stream.loop.shutdownGracefully(within: .seconds(60)) { _ in } }
      let clock = stream.loop.clock
      // More than twice the limit, which is long enough for a busy machine.
      let end = clock.now.advanced(by: .milliseconds(1100))
      while clock.now < end { try #require(try await stream.next().value != nil) }
      try await stream.write("cd").value
      var last = Bytes()
      while let bytes = try await stream.next().value {
        #expect(!"\(bytes)".contains("HTTP/1.1"))
        last = Bytes(last.followed(by: bytes).suffix(5))
      }
      #expect(last == "0\r\n\r\n")
    }
    #expect(bodies.values.map(\.value) == ["abcd"])
    #expect(answers.values == [nil])
  }

  @Test(
    "A client that takes its answer too slowly as a whole is given up, though its body isn't complete",
    arguments: [Part.long, .file], Reading.allCases)
  func trickles(part: Part, reading: Reading) async throws {
    var limits = HTTPLimits()
    (limits.idleTimeout, limits.minimumRate) = (.milliseconds(200), 1_000_000_000)
    let (count, answers) = (32 << 20, Log<UVError.Code?>())
    try await withTemporaryDirectory { directory in
      try await serveEach(limits) { exchange in
        do throws(UVError) {
          let page = Bytes(repeating: 0x78, count: count)
          try await exchange.loop.files.writeFile("\(directory)/file", page).value
          let file = try await exchange.loop.files.open("\(directory)/file").value
          let body = exchange.body
          if reading != .none { body.readToEnd(limit: 100) { _ in } }
          let error = await failure {
            switch part {
            case .file: try await exchange.respond(Self.ok, file: file, count: count).value
            default: try await exchange.begin(Self.ok, length: count).write(page).value
            }
          }
          answers.append(error?.code)
          try await file.close().value
        } catch { Issue.record(error) }
      } client: { loop, connect in
        let stream = try await connect()
        try await stream.write(Self.head).value
        _ = try await stream.read(until: "\r\n\r\n", limit: 1000).value
        if reading == .complete { try await stream.write("cd").value }
        var rest = count
        _ = await failure {
          while let bytes = try await stream.next().value {
            rest -= bytes.count
            try await loop.sleep(for: .milliseconds(1)).value
          }
        }
        #expect(rest > 0)
        stream.close()
        try await loop.settle { !answers.values.isEmpty }
      }
    }
    #expect(answers.values.count == 1 && answers.values != [nil])
  }

  @Test(
    "A body that takes too long as a whole adds nothing to an answer that leaves meanwhile",
    arguments: [false, true])
  func tooLong(secure: Bool) async throws {
    var limits = HTTPLimits()
    (limits.idleTimeout, limits.minimumRate) = (.milliseconds(100), 1_000_000_000)
    let (bodies, answers) = (Log<Result<Bytes, UVError>>(), Log<UVError.Code?>())
    try await serve(limits, secure: secure, by: .short, bodies, answers) { stream in
      let answer = "\(try await stream.readToEnd(limit: 1 << 20).value)"
      #expect(answer.hasPrefix("HTTP/1.1 200 ") && answer.hasSuffix("\r\n0\r\n\r\n"))
      #expect(answer.components(separatedBy: "HTTP/1.1").count == 2)
    }
    #expect(bodies.values.map(\.error?.code) == [.timedOut])
    #expect(answers.values == [nil])
  }

  @Test(
    "A silent body's reader fails, and the begun answer ends, breaks off, or has its first bytes then",
    arguments: ["finish", "drop", "write"])
  func silent(next: String) async throws {
    var limits = HTTPLimits()
    limits.idleTimeout = .milliseconds(50)
    try await serveEach(limits) { exchange in
      do throws(UVError) {
        let writer = try exchange.begin(Self.ok)
        if next != "write" { try await writer.write("abc").value }
        let error = await failure { _ = try await exchange.body.readToEnd(limit: 100).value }
        #expect(error?.code == .timedOut)
        if next == "drop" { return }
        if next == "write" { try await writer.write("abc").value }
        try await writer.finish().value
      } catch { Issue.record(error) }
    } client: { _, connect in
      let stream = try await connect()
      let head = "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\n\r\nab"
      try await stream.write(Bytes(head)).value
      let answer = "\(try await stream.readToEnd(limit: 1000).value)"
      #expect(answer.hasPrefix("HTTP/1.1 200 "))
      #expect(answer.hasSuffix("\r\n\r\n3\r\nabc\r\n" + (next == "drop" ? "" : "0\r\n\r\n")))
      #expect(answer.contains("connection: close") == (next == "write"))
      stream.close()
    }
  }

  @Test(
    "A server that has begun to answer may be silent while it takes the body, and no longer",
    arguments: [false, true])
  func client(isChunked: Bool) async throws {
    try await withLoop { loop in
      let server = try loop.http.listen(host: "127.0.0.1", port: 0)
      let url = "http://127.0.0.1:\(try server.localAddress().port)/"
      let isOver = Log<Bool>()
      let serving = loop.spawn { () async throws in
        for try await exchange in server {
          let writer = try exchange.begin(Self.ok)
          try await writer.write("begin").value
          _ = try await exchange.body.readToEnd(limit: 1000).value
          if exchange.request.path == "/" { try await writer.finish().value }
          try await loop.until { !isOver.values.isEmpty || exchange.request.path == "/" }
        }
      }
      var options = HTTPClientOptions()
      options.idleTimeout = .milliseconds(50)
      let client = HTTPClient(loop, options: options)
      for path in ["", "silent"] {
        let source = CustomSource<Bytes>(loop, "body") { _ in }
        let request = try #require(HTTPRequest(method: .post, url: url + path))
        let sending = loop.spawn { () async throws(UVError) in
          for _ in 0..<10 {
            try await loop.sleep(for: .milliseconds(20)).value
            source.send("0123456789")
          }
          source.finish()
        }
        let answer = try await client.send(request, body: source, length: isChunked ? nil : 100).value
        var body = Bytes()
        let error = await failure { body = try await answer.body.readToEnd(limit: 100).value }
        #expect(error?.code == (path.isEmpty ? nil : .timedOut))
        #expect(body == (path.isEmpty ? "begin" : ""))
        try await sending.value
      }
      isOver.append(true)
      server.close()
      try await client.close().value
      try await serving.value
    }
  }
}
#endif
