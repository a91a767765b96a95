import Testing
import UV
import UVTestSupport

/// Two ends of a stream on one loop, closed after `body`. What is written to the second is read from the
/// first.
func withStream(
  sourceLocation: SourceLocation = #_sourceLocation,
  _ body:
    nonisolated(nonsending) @escaping @Sendable (EventLoop, PipeConnection, PipeConnection) async throws ->
    Void
) async throws {
  try await withLoop(sourceLocation: sourceLocation) { loop in
    let (near, far) = try loop.pipes.socketPair()
    try await body(loop, near, far)
    near.close()
    far.close()
  }
}

@Suite struct FrameTests {
  @Test func `Frames of every kind follow one another, and what is left over stays`() async throws {
    try await withStream { loop, near, far in
      try await far.write("1234length:5\r\nhellofirst\nsecond\r\nthe rest").value
      far.close()
      #expect(try await near.peek(exactly: 2).value == "12")
      #expect(try await near.read(exactly: 4).value == "1234")
      #expect(try await near.read(until: ":", limit: 10).value == "length")
      #expect(try await near.read(until: "\r\n", limit: 10).value == "5")
      #expect(try await near.read(exactly: 0).value == "")
      #expect(try await near.read(exactly: 5).value == "hello")
      #expect(try await near.readLine(limit: 10).value == "first")
      #expect(try await near.readLine(limit: 6).value == "second")
      #expect(try await near.readToEnd(limit: 8).value == "the rest")
      #expect(try await near.readLine(limit: 6).value == nil)
      #expect(try await near.read(exactly: 1).value == nil)
      #expect(try await near.peek(exactly: 1).value == nil)
      #expect(try await near.readToEnd(limit: 0).value == "")
      #expect(try await near.next().value == nil)
    }
  }

  /// What is read by all the kinds, and what it should be.
  static let message: Bytes = "ab--\r\n-\r\n--\r\nlast\r\nwordxyz\nend"

  nonisolated(nonsending) static func readMessage(_ stream: ByteStream) async throws(UVError) -> [Bytes?] {
    var frames: [Bytes?] = []
    frames.append(try await stream.peek(exactly: 3).value)
    frames.append(try await stream.read(exactly: 1).value)
    frames.append(try await stream.read(until: "--\r\n", limit: 6).value)
    frames.append(try await stream.peek(exactly: 7).value)
    frames.append(try await stream.read(until: "\r\n--\r\n", limit: 6).value)
    frames.append(try await stream.readLine(limit: 4).value)
    frames.append(try await stream.read(exactly: 4).value)
    frames.append(try await stream.readLine(limit: 3).value)
    frames.append(try await stream.readToEnd(limit: 3).value)
    return frames
  }

  static let frames: [Bytes?] = ["ab-", "a", "b", "-\r\n--\r\n", "-", "last", "word", "xyz", "end"]

  @Test func `A frame is the same wherever the system's reads divide it`() async throws {
    for first in 0..<Self.message.count {
      try await withLoop { loop in
        for second in first..<Self.message.count {
          let (near, far) = try loop.pipes.socketPair()
          let reader = loop.spawn { () async throws(UVError) in try await Self.readMessage(near) }
          for part in [Self.message[..<first], Self.message[first..<second], Self.message[second...]] {
            try await far.write(Bytes(part)).value
            // The reader sees each part alone.
            for _ in 0..<3 { try await loop.sleep(for: .zero).value }
          }
          far.close()
          let frames = try await reader.value
          #expect(frames == Self.frames, "divided at \(first) and \(second)")
          near.close()
        }
      }
    }
  }

  @Test func `A large frame comes whole, whatever came before it and comes after`() async throws {
    try await withStream { loop, near, far in
      let large = Bytes((0..<1_000_000).map { UInt8(truncatingIfNeeded: $0 &* 7) })
      let writer = loop.spawn { () async throws(UVError) in
        for _ in 0..<3 { try await far.write([Bytes("head"), large, Bytes("tail\n")]).value }
        try await far.write(large).value
        far.close()
      }
      for _ in 0..<3 {
        #expect(try await near.read(exactly: 4).value == "head")
        let isWhole = try await near.read(exactly: large.count).value == large
        #expect(isWhole)
        #expect(try await near.readLine(limit: 4).value == "tail")
      }
      let isWhole = try await near.readToEnd(limit: large.count).value == large
      #expect(isWhole)
      try await writer.value
    }
  }

  @Test("A line that is as long as its limit is read, and a longer one is an error that names the limit")
  func limits() async throws {
    for isAtOnce in [true, false] {
      try await withStream { loop, near, far in
        for byte in isAtOnce ? [Bytes("12345\r\n123456\n")] : "12345\r\n123456\n".utf8.map({ Bytes([$0]) }) {
          far.write(byte) { _ in }
          if !isAtOnce { try await loop.sleep(for: .zero).value }
        }
        let request = near.readLine(limit: 5)
        #expect(try await request.value == "12345")
        for _ in 0..<2 {
          do throws(UVError) {
            _ = try await near.readLine(limit: 5).value
            Issue.record("not refused")
          } catch {
            #expect(error.code == .messageTooLong)
            #expect(error.subject == "until the end of a line within 5 bytes")
          }
        }
        do throws(UVError) {
          _ = try await near.read(until: "56\n", limit: 3).value
          Issue.record("not refused")
        } catch {
          #expect(error.subject == #"until "56\n" within 3 bytes"#)
        }
        // Nothing is lost.
        #expect(try await near.read(until: "56\n", limit: 4).value == "1234")
        try await far.write("123").value
        await expectError(.messageTooLong, of: try await near.readToEnd(limit: 2).value)
        far.close()
        #expect(try await near.readToEnd(limit: 3).value == "123")
      }
    }
  }

  @Test("The end in the middle of a frame is an error that says how many bytes are missing, and loses none")
  func cutShort() async throws {
    try await withStream { loop, near, far in
      try await far.write("1234567").value
      far.close()
      do throws(UVError) {
        _ = try await near.read(exactly: 10).value
        Issue.record("not cut short")
      } catch {
        #expect("\(error)" == "read 10 bytes, 3 of them missing: end of file (EOF)")
      }
      do throws(UVError) {
        _ = try await near.read(until: "\r\n", limit: 10).value
        Issue.record("not cut short")
      } catch {
        #expect("\(error)" == #"read until "\r\n", missing after 7 bytes: end of file (EOF)"#)
      }
      await expectError(.endOfFile, of: try await near.readLine(limit: 10).value)
      await expectError(.endOfFile, of: try await near.peek(exactly: 8).value)
      #expect(try await near.readToEnd(limit: 7).value == "1234567")
      #expect(try await near.read(exactly: 10).value == nil)
    }
  }

  @Test func `An error of the stream ends a frame, after the frames that have come`() async throws {
    try await withPair { loop, client, server in
      try await client.write("one\ntw").value
      #expect(try await server.peek(exactly: 6).value == "one\ntw")
      client.closeReset()
      #expect(try await server.readLine(limit: 10).value == "one")
      for _ in 0..<2 {
        await expectError(.connectionReset, of: try await server.readLine(limit: 10).value)
      }
      #expect(try await server.read(exactly: 2).value == "tw")
    }
  }

  @Test("Numbers out of range are refused", arguments: [-1, .min, 1 << 30 + 1, .max])
  func outOfRange(count: Int) async throws {
    try await withStream { loop, near, far in
      try await far.write("text\n").value
      await expectError(.invalidArgument, of: try await near.read(exactly: count).value)
      await expectError(.invalidArgument, of: try await near.peek(exactly: count).value)
      await expectError(.invalidArgument, of: try await near.read(until: "", limit: 1).value)
      guard count < 0 else {
        #expect(try await near.readLine(limit: count).value == "text")
        return
      }
      await expectError(.invalidArgument, of: try await near.readLine(limit: count).value)
      await expectError(.invalidArgument, of: try await near.read(until: "x", limit: count).value)
      await expectError(.invalidArgument, of: try await near.readToEnd(limit: count).value)
      #expect(try await near.readLine(limit: 4).value == "text")
    }
  }

  @Test func `A closed stream has no frames, even if some had come`() async throws {
    try await withStream { loop, near, far in
      try await far.write("one\ntwo\n").value
      #expect(try await near.readLine(limit: 10).value == "one")
      let waiting = Log<UVError.Code?>()
      near.read(exactly: 100) { waiting.append($0.error?.code) }
      near.close()
      await expectError(.badDescriptor, .cancelled, of: try await near.readLine(limit: 10).value)
      try await near.close().value
      #expect(waiting.values == [.cancelled])
    }
  }
}
