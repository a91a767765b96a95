#if Everything
import Testing
import UVTestSupport

@testable import UVHTTP

/// Connections that become another protocol's.
@Suite struct UpgradeTests {
  private static let upgrade = "GET / HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: echo\r\n\r\n"

  @Test("The stream is handed over with what the client has sent already")
  func handedOver() async throws {
    for (request, status) in [(Self.upgrade, 101), ("CONNECT a:1 HTTP/1.1\r\nHost: a:1\r\n\r\n", 200)] {
      try await withServer { exchange in
        var response = HTTPResponse(status: .init(code: status))
        if status == 101 { response.headerFields[.upgrade] = "echo" }
        let stream = try await exchange.upgrade(response).value
        #expect(stream.readTimeout == nil && stream.writeTimeout == nil)
        while let line = try await stream.readLine(limit: 100).value {
          try await stream.write([line, "!"]).value
        }
        stream.close()
      } client: { client in
        try await client.stream.write(Bytes("\(request)abc\nde")).value
        let head = try await client.stream.read(until: "\r\n\r\n", limit: 1000).value
        let text = "\(head ?? "")"
        #expect(text.hasPrefix("HTTP/1.1 \(status) "))
        #expect(text.contains("connection: upgrade") == (status == 101))
        #expect(!text.contains("content-length"))
        let first = try await client.stream.read(exactly: 4).value
        #expect(first == "abc!")
        try await client.stream.write("f\n").value
        let second = try await client.stream.read(exactly: 4).value
        #expect(second == "def!")
        try await client.stream.shutdown().value
        let end = try await client.stream.next().value
        #expect(end == nil)
      }
    }
  }

  @Test("It is handed over, too, if it comes while another request is worked on, whole or in parts")
  func behindAnother() async throws {
    let behind = Bytes("\(Self.upgrade)abc\n")
    for first in [
      "GET / HTTP/1.1\r\nHost: a\r\n\r\n", "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\n\r\nx",
    ] {
      for cut in [0, 1, 30, Self.upgrade.utf8.count, behind.count] {
        let (isThere, mayAnswer) = (Log<Bool>(), Log<Bool>())
        try await withServer { exchange in
          if exchange.request.headerFields[.upgrade] == nil {
            isThere.append(true)
            try await exchange.loop.until { !mayAnswer.values.isEmpty }
            return try await exchange.respond(HTTPResponse(status: .ok)).value
          }
          let response = HTTPResponse(status: .switchingProtocols, headerFields: [.upgrade: "echo"])
          let stream = try await exchange.upgrade(response).value
          for try await bytes in stream { try await stream.write(bytes).value }
          stream.close()
        } client: { client in
          try await client.stream.write(Bytes(first)).value
          try await client.stream.loop.until { !isThere.values.isEmpty }
          try await client.stream.write(Bytes(behind[..<cut])).value
          try await client.stream.loop.settle()
          mayAnswer.append(true)
          _ = try await client.stream.read(until: "\r\n\r\n", limit: 1000).value
          try await client.stream.write(Bytes(behind[cut...])).value
          let head = try await client.stream.read(until: "\r\n\r\n", limit: 1000).value
          #expect("\(head ?? "")".hasPrefix("HTTP/1.1 101 "))
          try await client.stream.write("de").value
          #expect(try await client.stream.read(exactly: 6).value == "abc\nde")
          try await client.stream.shutdown().value
          #expect(try await client.stream.next().value == nil)
        }
      }
    }
  }

  @Test("No answer with a body begins a tunnel, in whatever way it is given") func noTunnel() async throws {
    try await withServer { exchange in
      let refusal = UVError(.invalidArgument, operation: "respond")
      let file = try await exchange.loop.files.open("/dev/null", .readOnly).value
      await #expect(throws: refusal) { try await exchange.respond(HTTPResponse(status: .ok)).value }
      await #expect(throws: refusal) {
        try await exchange.respond(HTTPResponse(status: .ok), file: file, count: 0).value
      }
      #expect(throws: refusal) { try exchange.begin(HTTPResponse(status: .ok)) }
      try await file.close().value
      try await exchange.respond(HTTPResponse(status: .forbidden), "no").value
    } client: { client in
      let answer = try await client.exchange(
        "CONNECT a:1 HTTP/1.1\r\nHost: a:1\r\nConnection: close\r\n\r\n")
      #expect(answer.hasPrefix("HTTP/1.1 403 "))
      #expect(bodies(of: answer) == ["no"])
    }
  }

  @Test("What nobody has asked for is refused, and the request can be answered otherwise")
  func refused() async throws {
    try await withServer { exchange in
      await #expect(throws: UVError(.invalidArgument, operation: "respond")) {
        _ = try await exchange.upgrade(HTTPResponse(status: .switchingProtocols)).value
      }
      try await exchange.respond(HTTPResponse(status: .ok), "a").value
    } client: { client in
      let answer = try await client.exchange(
        "GET / HTTP/1.1\r\nHost: a\r\nUpgrade: echo\r\n\r\nGET / HTTP/1.0\r\n\r\n")
      #expect(bodies(of: answer) == ["a", "a"])
    }
  }
}
#endif
