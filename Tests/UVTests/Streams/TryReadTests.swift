import Testing
import UV
import UVTestSupport

/// Frames that have come already, for readers that don't wait.
@Suite struct TryReadTests {
  @Test("Frames that came in one read are taken without waiting, and what isn't complete stays")
  func frames() async throws {
    try await withStream { loop, near, far in
      try await far.write("one\r\n\r\ntwo\nabcdefgh").value
      #expect(try near.tryReadLine(limit: 100) == nil, "nothing has been read yet")
      #expect(try await near.peek(exactly: 19).value?.count == 19)
      #expect(try near.tryRead(until: "\r\n\r\n", limit: 3) == "one")
      #expect(try near.tryReadLine(limit: 3) == "two")
      #expect(try near.tryRead(exactly: 3) == "abc")
      #expect(try near.tryRead(exactly: 6) == nil)
      #expect(try near.tryReadLine(limit: 100) == nil)
      #expect(near.unreadByteCount == 5)
      try await far.write("\n").value
      #expect(try await near.readLine(limit: 100).value == "defgh")
      try await far.shutdown().value
      #expect(try await near.readLine(limit: 100).value == nil)
      #expect(try near.tryReadLine(limit: 100) == nil, "a read reports the end")
    }
  }

  @Test("A frame within the bytes that have come and beyond its limit is an error, and stays")
  func limits() async throws {
    try await withStream { loop, near, far in
      try await far.write("abcdef\n").value
      #expect(try await near.peek(exactly: 7).value?.count == 7)
      expectError(.messageTooLong) { try near.tryReadLine(limit: 5) }
      expectError(.messageTooLong) { try near.tryRead(until: "\n", limit: 5) }
      expectError(.invalidArgument) { try near.tryRead(exactly: -1) }
      expectError(.invalidArgument) { try far.tryRead(until: "", limit: 1) }
      #expect(try near.tryReadLine(limit: 6) == "abcdef")
    }
  }

  @Test func `Nobody overtakes a reader that waits, and a handler gets all bytes`() async throws {
    try await withStream { loop, near, far in
      try await far.write("abc").value
      #expect(try await near.peek(exactly: 3).value == "abc")
      let first = loop.spawn { () async throws(UVError) in try await near.read(exactly: 4).value }
      try await loop.sleep(for: .zero).value
      #expect(try near.tryRead(exactly: 1) == nil)
      try await far.write("de").value
      #expect(try await first.value == "abcd")
      #expect(try near.tryRead(exactly: 1) == "e")
      near.start { _ in }
      #expect(try near.tryRead(exactly: 1) == nil)
      near.stop()
      near.close()
      #expect(try near.tryRead(exactly: 1) == nil)
    }
  }

  private func expectError(_ code: UVError.Code, _ body: () throws -> Bytes?) {
    do {
      let bytes = try body()
      Issue.record("no error, but \(String(describing: bytes))")
    } catch { #expect((error as? UVError)?.code == code) }
  }
}
