#if Everything
import Foundation
import Testing
import UVTLS
import UVTestSupport

@testable import UVHTTP

/// Parts of files within answers that are written bit by bit.
@Suite struct FilePartTests {
  private static let content = Bytes((0..<300_000).map { UInt8(97 + $0 % 26) })

  /// Runs a server that has a file, over TCP or TLS, and a client.
  private func serve(
    secure: Bool = false, _ limits: HTTPLimits = HTTPLimits(),
    _ handler: nonisolated(nonsending) @escaping @Sendable (HTTPExchange, File) async throws -> Void,
    client: nonisolated(nonsending) @escaping @Sendable (ByteStream) async throws -> Void
  ) async throws {
    makeCertificates()
    let certificates = Certificates.shared.directory
    try await withTemporaryDirectory { directory in
      try await withLoop { loop in
        try await loop.files.writeFile("\(directory)/file", Self.content).value
        let file = try await loop.files.open("\(directory)/file").value
        let identity = try TLSIdentity(
          certificateChain: "\(certificates)/server.pem", privateKey: "\(certificates)/server.key")
        let listener = try loop.tcp.listen(host: "127.0.0.1", port: 0)
        let port = Int(try listener.localAddress().port)
        let tls = try loop.tls.listen(host: "127.0.0.1", port: 0, .server(identity))
        let tlsPort = Int(try tls.localAddress().port)
        let server =
          secure ? loop.http.serve(tls, limits: limits) : loop.http.serve(listener, limits: limits)
        let serving = loop.spawn { () async throws in
          for try await exchange in server {
            loop.spawn {
              do { try await handler(exchange, file) } catch { Issue.record(error) }
            }
          }
        }
        let context = try TLSContext.client(trust: .certificates("\(certificates)/root.pem"))
        let stream: ByteStream =
          secure
          ? try await loop.tls.connect(host: "127.0.0.1", port: tlsPort, context).value
          : try await loop.tcp.connect(host: "127.0.0.1", port: port).value
        try await client(stream)
        stream.close()
        server.close()
        (listener.close(), tls.close())
        try await serving.value
        try await file.close().value
      }
    }
  }

  /// The pool is late for longer than these allow a client to be silent.
  private static var impatient: HTTPLimits {
    var limits = HTTPLimits()
    limits.idleTimeout = .milliseconds(60)
    limits.minimumRate = 10_000_000
    return limits
  }

  private static func get(_ path: String, method: String = "GET") -> Bytes {
    Bytes("\(method) \(path) HTTP/1.1\r\nHost: a\r\n\r\n")
  }

  @Test(
    "A client gets a file that the pool is late to read, whatever silence it is allowed",
    arguments: [false, true])
  func slowFile(secure: Bool) async throws {
    try await serve(secure: secure, Self.impatient) { exchange, file in
      try await exchange.respond(HTTPResponse(status: .ok), file: file, count: 1000).value
    } client: { client in
      try await withBusyPool(of: client.loop) {
        try await client.write("GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n").value
        for _ in 0..<2 { try await client.loop.sleep(for: .milliseconds(150)).value }
      }
      let answer = try await client.readToEnd(limit: 10_000).value
      #expect(answer.suffix(1000).elementsEqual(Self.content.prefix(1000)))
    }
  }

  @Test(
    "So does one that has asked for two together, each of which the pool is late to read",
    arguments: [false, true])
  func slowFiles(secure: Bool) async throws {
    let asked = Log<String>()
    try await serve(secure: secure, Self.impatient) { exchange, file in
      let loop = exchange.loop
      asked.append(exchange.request.path ?? "")
      if exchange.request.path == "/last" {
        return try await exchange.respond(HTTPResponse(status: .ok), file: file, from: 1000, count: 1000)
          .value
      }
      exchange.respond(HTTPResponse(status: .ok), file: file, count: 1000) { result in
        #expect(result.error == nil)
        // The next answer begins right after this.
        let letGo = keepPoolBusy(of: loop)
        loop.sleep(for: .milliseconds(300)) { _ in letGo() }
      }
    } client: { client in
      try await withBusyPool(of: client.loop) {
        let last = Bytes("GET /last HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
        try await client.write([Self.get("/"), last]).value
        for _ in 0..<2 { try await client.loop.sleep(for: .milliseconds(150)).value }
        #expect(asked.values == ["/", "/last"])
      }
      for start in [0, 1000] {
        #expect(try await client.read(until: "\r\n\r\n", limit: 1000).value != nil)
        #expect(try await client.read(exactly: 1000).value == Bytes(Self.content[start..<(start + 1000)]))
      }
      #expect(try await client.next().value == nil)
    }
  }

  @Test(
    "Parts and bytes come in the order in which they were written, awaited or not, over TCP and TLS",
    arguments: [false, true])
  func parts(secure: Bool) async throws {
    func text(_ range: Range<Int>) -> String { String(decoding: Self.content[range], as: UTF8.self) }
    let expected = Bytes("a\(text(100_000..<300_000))b\(text(0..<5))c")
    try await serve(secure: secure) { exchange, file in
      let length = exchange.request.path == "/length" ? 200_008 : nil
      let writer = try exchange.begin(HTTPResponse(status: .ok), length: length)
      let isAwaited = exchange.request.path == "/awaited"
      if isAwaited {
        try await writer.write("a").value
        try await writer.write(file: file, from: 100_000, count: 200_000).value
        try await writer.write("b").value
        try await writer.write(file: file, count: 0).value
        try await writer.write(file: file, count: 5).value
        try await writer.write("c").value
        return try await writer.finish().value
      }
      var ends: [String] = []
      func note(_ name: String) -> Completion<Void> {
        { result in if case .success = result { ends.append(name) } }
      }
      writer.write("a", note("a"))
      writer.write(file: file, from: 100_000, count: 200_000, note("file"))
      writer.write("b", note("b"))
      writer.write(file: file, count: 5, note("five"))
      writer.write("c", note("c"))
      try await writer.finish().value
      #expect(ends == ["a", "file", "b", "five", "c"])
    } client: { stream in
      // They come together, so the later ones wait for their turn.
      for path in ["/awaited", "/length", "/chunks"] { try await stream.write(Self.get(path)).value }
      for path in ["/awaited", "/length", "/chunks"] {
        let head = try #require(try await stream.read(until: "\r\n\r\n", limit: 1000).value)
        #expect("\(head)".contains(path == "/length" ? "content-length: 200008" : "chunked"))
        if path == "/length" {
          #expect(try await stream.read(exactly: 200_008).value == expected)
          continue
        }
        var body = BytesBuilder()
        while let line = try await stream.read(until: "\r\n", limit: 20).value {
          let count = try #require(Int("\(line)", radix: 16))
          let chunk = try #require(try await stream.read(exactly: count + 2).value)
          if count == 0 { break }
          body.append(Bytes(chunk[..<count]))
        }
        #expect(body.takeBytes() == expected)
      }
    }
  }

  @Test("What the program writes when a part has ended follows what it has written before")
  func order() async throws {
    try await serve { exchange, file in
      let writer = try exchange.begin(HTTPResponse(status: .ok), length: 7)
      var hasEnded = false
      writer.write(file: file, count: 5) { _ in writer.write("2") { _ in hasEnded = true } }
      writer.write("1") { _ in }
      while !hasEnded { try await exchange.loop.sleep(for: .milliseconds(1)).value }
      try await writer.finish().value
    } client: { stream in
      try await stream.write(Self.get("/")).value
      _ = try await stream.read(until: "\r\n\r\n", limit: 1000).value
      #expect(try await stream.read(exactly: 7).value == "abcde12")
    }
  }

  @Test("HEAD gets none; wrong numbers, more than was promised, and writing after the end are refused")
  func refused() async throws {
    try await serve { exchange, file in
      let writer = try exchange.begin(HTTPResponse(status: .ok), length: 10)
      let wrong = UVError(.invalidArgument, operation: "respond")
      await #expect(throws: wrong) { try await writer.write(file: file, count: -1).value }
      await #expect(throws: wrong) { try await writer.write(file: file, from: -1, count: 1).value }
      await #expect(throws: wrong) { try await writer.write(file: file, count: 11).value }
      try await writer.write(file: file, count: 10).value
      try await writer.finish().value
      await #expect(throws: UVError(.alreadyInProgress, operation: "respond")) {
        try await writer.write(file: file, count: 1).value
      }
    } client: { stream in
      try await stream.write(Self.get("/", method: "HEAD")).value
      try await stream.write(Self.get("/")).value
      for body: Bytes in ["", Bytes(Self.content[..<10])] {
        let head = try #require(try await stream.read(until: "\r\n\r\n", limit: 1000).value)
        #expect("\(head)".contains("content-length: 10"))
        if !body.isEmpty { #expect(try await stream.read(exactly: 10).value == body) }
      }
    }
  }

  @Test("A file that is too short, and a part that is cancelled, break the connection off; nothing follows")
  func brokenOff() async throws {
    for isCancelled in [false, true] {
      try await serve { exchange, file in
        let writer = try exchange.begin(HTTPResponse(status: .ok), length: 100_000_000)
        var codes: [UVError.Code?] = []
        func note(_ result: Result<Void, UVError>) {
          if case .failure(let error) = result { codes.append(error.code) } else { codes.append(nil) }
        }
        let count = isCancelled ? 300_000 : 300_001
        if isCancelled { writer.write(Bytes(repeating: 1, count: 50_000_000), note) }
        let pending = writer.write(file: file, count: count, note)
        writer.write("after", note)
        if isCancelled { pending.cancel() }
        while codes.count < (isCancelled ? 3 : 2) {
          try await exchange.loop.sleep(for: .milliseconds(1)).value
        }
        #expect(!codes.contains(nil))
        #expect(codes.contains(isCancelled ? .cancelled : .endOfFile))
      } client: { stream in
        try await stream.write(Self.get("/")).value
        if isCancelled { try await stream.loop.sleep(for: .milliseconds(20)).value }
        let answer = try? await stream.readToEnd(limit: 100_000_000).value
        #expect(answer?.suffix(5).elementsEqual("after".utf8) != true)
      }
    }
  }

  @Test(
    "A client that goes within a part ends it and the answers that wait behind it, each once",
    arguments: [false, true], [false, true])
  func gone(secure: Bool, resets: Bool) async throws {
    let ends = Log<UVError.Code?>()
    try await serve(secure: secure) { exchange, file in
      let writer = try exchange.begin(HTTPResponse(status: .ok))
      // More than the system's buffers hold.
      for number in 0..<100 {
        writer.write(Bytes("begin \(number)")) { _ in }
        let part: Void? = try? await writer.write(file: file, count: 300_000).value
        if part == nil { break }
      }
      writer.write("more") { ends.append($0.error?.code) }
      writer.write(file: file, count: 10) { ends.append($0.error?.code) }
      writer.finish { ends.append($0.error?.code) }
    } client: { stream in
      for path in ["/a", "/b", "/c"] { try await stream.write(Self.get(path)).value }
      _ = try await stream.read(until: "\r\n\r\n", limit: 1000).value
      _ = try await stream.read(exactly: 400_000).value
      if resets, let stream = stream as? TCPConnection { stream.closeReset() } else { stream.close() }
      try await stream.loop.settle { ends.values.count == 9 }
      #expect(ends.values == Array(repeating: .brokenPipe, count: 9))
    }
  }

  @Test(
    "An answer whose client is lost while the file is read fails as other answers do",
    arguments: [false, true])
  func lostWhileReading(secure: Bool) async throws {
    let (isAsked, ends) = (Log<Bool>(), Log<UVError.Code?>())
    try await serve(secure: secure) { exchange, file in
      exchange.respond(HTTPResponse(status: .ok), file: file, count: 1000) { ends.append($0.error?.code) }
      isAsked.append(true)
    } client: { stream in
      try await withBusyPool(of: stream.loop) {
        try await stream.write(Self.get("/")).value
        try await stream.loop.until { !isAsked.values.isEmpty }
        if let stream = stream as? TCPConnection { stream.closeReset() }
        // TLS' sign of the end doesn't come.
        if secure { shutdown(try stream.fileDescriptor(), Int32(SHUT_RDWR)) }
        try await stream.loop.until { !ends.values.isEmpty }
      }
      #expect(ends.values == [.brokenPipe])
    }
  }

  @Test(
    "Parts within chunked answers to requests that came together come whole and in order, to a slow client",
    arguments: [false, true])
  func pipelined(secure: Bool) async throws {
    let count = 20
    try await serve(secure: secure) { exchange, file in
      let writer = try exchange.begin(HTTPResponse(status: .ok))
      for _ in 0..<count {
        writer.write(Bytes(repeating: 0x2d, count: 20_000)) { _ in }
        writer.write(file: file, count: 300_000) { _ in }
      }
      try await writer.finish().value
    } client: { stream in
      for path in ["/a", "/b", "/c"] { try await stream.write(Self.get(path)).value }
      for _ in 0..<3 {
        let head = try #require(try await stream.read(until: "\r\n\r\n", limit: 1000).value)
        #expect("\(head)".hasPrefix("HTTP/1.1 200 "))
        for _ in 0..<count {
          for part in [Bytes(repeating: 0x2d, count: 20_000), Self.content] {
            let size = try #require(try await stream.read(until: "\r\n", limit: 20).value)
            #expect("\(size)" == String(part.count, radix: 16))
            #expect(try await stream.read(exactly: part.count).value == part)
            #expect(try await stream.read(exactly: 2).value == "\r\n")
          }
          try await stream.loop.sleep(for: .zero).value
        }
        #expect(try await stream.read(exactly: 5).value == "0\r\n\r\n")
      }
    }
  }
}
#endif
