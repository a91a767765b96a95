#if Everything
import Foundation
import Testing
import UVTLS
import UVTestSupport

@testable import UVHTTP

/// Clients that go, or send on, while the program works on their request.
@Suite struct LostClientTests {
  struct Way: CustomTestStringConvertible, Sendable {
    let isSecure, isTask, readsBody: Bool

    static let all = [false, true].flatMap { secure in
      [(false, false), (false, true), (true, false), (true, true)].map {
        Way(isSecure: secure, isTask: $0.0, readsBody: $0.1)
      }
    }
    var testDescription: String {
      "\(isSecure ? "TLS" : "TCP"), \(isTask ? "task" : "callback"), body \(readsBody ? "" : "not ")read"
    }
  }

  private static let ok = HTTPResponse(status: .ok)
  private static let post = "POST /1 HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nabc"
  private static let requests = [
    post, "POST / HTTP/1.1\r\nHost: a\r\n\r\n", "GET / HTTP/1.0\r\n\r\n",
    "GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n",
    "GET / HTTP/1.1\r\nHost: a\r\n\r\nPOST / HTTP/1.1\r\nHost: a\r\n\r\n",
  ]
  private static let expecting =
    "POST / HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 3\r\n\r\n"
  private static let chunked =
    "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n0\r\n\r\n"

  /// Ends a connection as a client does that crashes, or is cut off.
  private static func cut(_ stream: ByteStream) throws(UVError) {
    if let stream = stream as? TCPConnection { return _ = stream.closeReset() }
    // TLS' sign of the end doesn't come.
    shutdown(try stream.fileDescriptor(), Int32(SHUT_RDWR))
    stream.close()
  }

  /// Works on a request until its client has gone, and says so; then answers.
  private nonisolated(nonsending) static func work(
    _ exchange: HTTPExchange, _ way: Way, _ isThere: Log<Bool>, _ ends: Log<UVError.Code?>
  ) async {
    if way.isTask {
      let isLost = Log<Bool>()
      exchange.whenLost { _ in isLost.append(true) }
      if way.readsBody { _ = try? await exchange.body.readToEnd(limit: 10).value }
      isThere.append(true)
      try? await exchange.loop.until { !isLost.values.isEmpty }
      ends.append(await failure { try await exchange.respond(ok).value }?.code)
      return
    }
    exchange.whenLost { _ in exchange.respond(ok) { ends.append($0.error?.code) } }
    if !way.readsBody { return isThere.append(true) }
    exchange.body.readToEnd(limit: 10) { _ in isThere.append(true) }
  }

  @Test(
    "A client that goes is noticed while the program works, whatever it has asked for", arguments: Way.all)
  func noticed(way: Way) async throws {
    for request in Self.requests + [way.readsBody ? Self.chunked : Self.expecting] {
      let (isThere, ends) = (Log<Bool>(), Log<UVError.Code?>())
      try await serveEach(secure: way.isSecure) { exchange in
        await Self.work(exchange, way, isThere, ends)
      } client: { loop, connect in
        let stream = try await connect()
        try await stream.write(Bytes(request)).value
        try await loop.until { !isThere.values.isEmpty }
        try Self.cut(stream)
        try await loop.until { !ends.values.isEmpty }
        #expect(ends.values == [.brokenPipe], "\(request)")
        stream.close()
      }
    }
  }

  @Test(
    "A client that has ended its half gets its answer, and so do requests that came behind",
    arguments: Way.all)
  func halfClosed(way: Way) async throws {
    let rest = "GET /2 HTTP/1.1\r\nHost: a\r\n\r\nPOST /3 HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\n\r\nx"
    for (cut, ends) in [(0, 1), (0, 3), (rest.utf8.count, 3), (rest.utf8.count - 1, 3), (9, 3)] {
      let (isThere, mayAnswer) = (Log<Bool>(), Log<Bool>())
      try await serveEach(secure: way.isSecure) { exchange in
        if way.readsBody { _ = try? await exchange.body.readToEnd(limit: 10).value }
        isThere.append(true)
        try? await exchange.loop.until { !mayAnswer.values.isEmpty }
        let path = Bytes(exchange.request.path ?? "")
        if way.isTask {
          try? await exchange.respond(Self.ok, path).value
        } else {
          exchange.respond(Self.ok, path) { _ in }
        }
      } client: { loop, connect in
        let stream = try await connect()
        let first = Bytes(rest).prefix(cut)
        try await stream.write([Bytes(Self.post), Bytes(first)]).value
        try await loop.until { !isThere.values.isEmpty }
        if ends == 3 { try await stream.write(Bytes(Bytes(rest)[cut...])).value }
        try await stream.shutdown().value
        try await loop.settle()
        mayAnswer.append(true)
        let answers = try await stream.readToEnd(limit: 10_000).value
        #expect(bodies(of: "\(answers)") == ["/1", "/2", "/3"].prefix(ends).map { $0 }, "cut at \(cut)")
        stream.close()
      }
    }
  }

  @Test("What is sent behind a request is read once, and the rest when that is answered", arguments: Way.all)
  func flood(way: Way) async throws {
    let flood = (0..<8000).map { "GET /\($0) HTTP/1.1\r\nHost: a\r\n\r\n" }.joined()
    let (isThere, mayAnswer) = (Log<Bool>(), Log<Bool>())
    try await serveEach(secure: way.isSecure) { exchange in
      if way.readsBody { _ = try? await exchange.body.readToEnd(limit: 10).value }
      if isThere.values.isEmpty {
        isThere.append(true)
        try? await exchange.loop.until { !mayAnswer.values.isEmpty }
      }
      if way.isTask { try? await exchange.respond(Self.ok).value } else { exchange.respond(Self.ok) { _ in } }
    } client: { loop, connect in
      let stream = try await connect()
      try await stream.write(Bytes(Self.post)).value
      try await loop.until { !isThere.values.isEmpty }
      let before = loop.statistics.bytesRead
      var hasWritten = false
      stream.write(Bytes(flood)) { if case .success = $0 { hasWritten = true } }
      try await loop.settle { loop.statistics.bytesRead > before }
      #expect(loop.statistics.bytesRead - before < 100_000)
      mayAnswer.append(true)
      var count = 0
      while count < 8001, let part = try await stream.read(until: "\r\n\r\n", limit: 1000).value {
        #expect(part.starts(with: Bytes("HTTP/1.1 200 ")))
        count += 1
      }
      #expect(count == 8001 && hasWritten)
      stream.close()
    }
  }

  @Test("A client that ends its half while the end of the last answer has no room gets that end")
  func endWithoutRoom() async throws {
    let directory = Certificates.shared.directory
    let identity = try TLSIdentity(
      certificateChain: "\(directory)/server.pem", privateKey: "\(directory)/server.key")
    let client = try TLSContext.client(trust: .certificates("\(directory)/root.pem"))
    let server = try TLSContext.server(identity)
    try await withLoop { loop in
      for size in stride(from: 150_000, to: 280_000, by: 5000) {
        let (near, far) = try loop.pipes.socketPair()
        let securing = loop.spawn { () async throws(UVError) in try await loop.tls.secure(near, server).value
        }
        let stream = try await loop.tls.secure(far, client, host: "localhost").value
        let exchanges = loop.http.serve(try await securing.value)
        try await stream.write("GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n").value
        let exchange = try await exchanges.next().value
        exchange?.respond(Self.ok, Bytes(repeating: 0x78, count: size)) { _ in }
        try await loop.settle()
        stream.shutdown { _ in }
        try await loop.settle()
        let error = await failure { _ = try await stream.readToEnd(limit: 300_000).value }
        #expect(error == nil, "\(size) bytes")
        stream.close()
        _ = try await exchanges.next().value
      }
    }
  }
}
#endif
