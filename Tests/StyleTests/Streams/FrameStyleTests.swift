#if Everything
import Testing
import UV
import UVTestSupport

/// Frames end once, and in the same way, in every style.
@Suite struct FrameStyleTests {
  @Test("Frames are requests in every style", arguments: Style.allCases)
  func frames(style: Style) async throws {
    try await withPair { loop, client, server in
      try await client.write("1234header\r\nline\nlong line\nrest").value
      client.close()
      try await loop.expectEnd(nil, style, server.peek(exactly: 4).map { #expect($0 == "1234") })
      try await loop.expectEnd(nil, style, server.read(exactly: 4).map { #expect($0 == "1234") })
      try await loop.expectEnd(
        nil, style, server.read(until: "\r\n", limit: 9).map { #expect($0 == "header") })
      try await loop.expectEnd(nil, style, server.readLine(limit: 9))
      try await loop.expectEnd(.messageTooLong, style, server.readLine(limit: 8))
      try await loop.expectEnd(nil, style, server.readLine(limit: 9))
      try await loop.expectEnd(.endOfFile, style, server.read(exactly: 5))
      try await loop.expectEnd(.endOfFile, style, server.readLine(limit: 9, onlyCRLF: true))
      try await loop.expectEnd(.messageTooLong, style, server.skip(until: "\n", limit: 3))
      try await loop.expectEnd(.invalidArgument, style, server.read(exactly: -1))
      try await loop.expectEnd(nil, style, server.readToEnd(limit: 9).map { #expect($0 == "rest") })
      try await loop.expectEnd(nil, style, server.read(exactly: 5).map { #expect($0 == nil) })
    }
  }

  @Test(
    "A frame that is waited for is cancelled in every style, and its bytes stay", arguments: Style.allCases)
  func cancelling(style: Style) async throws {
    try await withPair { loop, client, server in
      try await client.write("half").value
      let log = Log<UVError.Code?>()
      let cancel = style.start(server.readLine(limit: 9), on: loop, log)
      try await loop.settle()
      cancel()
      try await loop.settle()
      // A subscriber that goes hears nothing.
      #expect(log.values == (style == .publisher || style == .future ? [] : [.cancelled]))
      try await client.write("+\n").value
      #expect(try await server.readLine(limit: 9).value == "half+")
    }
  }
}
#endif
