import Testing
import UV
import UVTestSupport

/// Lines that must end with CR LF, and skipping what was too long.
@Suite struct LineTests {
  @Test("Skipping goes on right after the delimiter, wherever the system's reads divide it")
  func dividedAnywhere() async throws {
    let message: Bytes = "too-\r-long-\r\r\nnext\r\n"
    for first in 0..<message.count {
      try await withLoop { loop in
        for second in first..<message.count {
          let (near, far) = try loop.pipes.socketPair()
          let reader = loop.spawn { () async throws(UVError) in
            await expectError(.messageTooLong, of: try await near.read(until: "\r\n", limit: 5).value)
            let count = try await near.skip(until: "\r\n", limit: 12).value
            return (count, try await near.readLine(limit: 4, onlyCRLF: true).value)
          }
          for part in [message[..<first], message[first..<second], message[second...]] {
            try await far.write(Bytes(part)).value
            // The reader sees each part alone.
            for _ in 0..<3 { try await loop.sleep(for: .zero).value }
          }
          far.close()
          let (count, line) = try await reader.value
          #expect(count == 12 && line == "next", "divided at \(first) and \(second)")
          near.close()
        }
      }
    }
  }

  @Test("Skipping takes as many bytes as the limit says, and refuses one more", arguments: [true, false])
  func limit(isAtOnce: Bool) async throws {
    try await withStream { loop, near, far in
      let text: Bytes = "12345\n123456\n"
      for byte in isAtOnce ? [text] : text.map({ Bytes([$0]) }) {
        far.write(byte) { _ in }
        if !isAtOnce { try await loop.sleep(for: .zero).value }
      }
      #expect(try await near.skip(until: "\n", limit: 5).value == 5)
      do throws(UVError) {
        _ = try await near.skip(until: "\n", limit: 5).value
        Issue.record("not refused")
      } catch {
        #expect(error.code == .messageTooLong)
        #expect(error.subject == "until \"\\n\" within 5 bytes")
      }
    }
  }

  @Test func `What is skipped takes no memory`() async throws {
    try await withStream { loop, near, far in
      let skipping = loop.spawn { () async throws(UVError) in
        try await near.skip(until: "\r\n", limit: .max).value
      }
      let part = Bytes(Array(repeating: UInt8(ascii: "\r"), count: 1_000_000))
      for _ in 0..<20 {
        try await far.write(part).value
        #expect(near.unreadByteCount <= 1)
      }
      try await far.write("\n+\r\n").value
      #expect(try await skipping.value == 20_000_000 - 1)
      #expect(try await near.readLine(limit: 1).value == "+")
    }
  }

  @Test("The end before the delimiter is an error once something was skipped, and nil before")
  func end() async throws {
    for parts in [[], ["ab"], ["ab", "\r"]] as [[Bytes]] {
      try await withStream { loop, near, far in
        let skipping = loop.spawn { () async throws(UVError) in
          try await near.skip(until: "\r\n", limit: 99).value
        }
        for part in parts {
          try await far.write(part).value
          for _ in 0..<3 { try await loop.sleep(for: .zero).value }
        }
        far.close()
        if parts.isEmpty {
          #expect(try await skipping.value == nil)
        } else {
          do throws(UVError) {
            _ = try await skipping.value
            Issue.record("no error")
          } catch {
            #expect(error.code == .endOfFile)
            #expect(error.subject == "until \"\\r\\n\", missing after \(parts.count + 1) bytes")
          }
        }
      }
    }
  }

  @Test("A skip that is cancelled has dropped what came, and another one finds the delimiter")
  func cancelling() async throws {
    try await withStream { loop, near, far in
      let first = loop.spawn { () async throws(UVError) in
        try await near.skip(until: "\r\n", limit: 4).value
      }
      try await far.write("1234\r").value
      try await loop.settle { near.unreadByteCount == 1 }
      first.cancel()
      await expectError(.cancelled, of: try await first.value)
      // The limit begins anew, too.
      try await far.write("\nline\r\n").value
      #expect(try await near.skip(until: "\r\n", limit: 0).value == 0)
      #expect(try await near.readLine(limit: 4, onlyCRLF: true).value == "line")
    }
  }

  @Test func `Readers in a line with callers that skip are answered in their order`() async throws {
    try await withStream { loop, near, far in
      let log = Log<String>()
      near.skip(until: "\n", limit: 9) { log.append("skip \(String(describing: $0.value ?? nil))") }
      near.readLine(limit: 9) { log.append("line \(String(describing: $0.value ?? nil))") }
      near.skip(until: "--", limit: 9) { log.append("skip \(String(describing: $0.value ?? nil))") }
      near.next { log.append("read \(String(describing: $0.value ?? nil))") }
      try await far.write("abc\nde\n----rest").value
      try await loop.settle { log.values.count == 4 }
      #expect(
        log.values == [
          "skip Optional(3)", "line Optional(de)", "skip Optional(0)", "read Optional(--rest)",
        ])
    }
  }

  @Test("A limit below 0 and no delimiter are refused, and so is a stream with a handler or without a life")
  func misuse() async throws {
    try await withStream { loop, near, far in
      for (delimiter, limit) in [("\n", -1), ("", 5)] as [(Bytes, Int)] {
        await expectError(.invalidArgument, of: try await near.skip(until: delimiter, limit: limit).value)
      }
      await expectError(.invalidArgument, of: try await near.readLine(limit: -1, onlyCRLF: true).value)
      near.start { _ in }
      await expectError(.sourceStarted, of: try await near.skip(until: "\n", limit: 9).value)
      far.close()
      await expectError(.badDescriptor, of: try await far.skip(until: "\n", limit: 9).value)
    }
  }

  @Test("A strict line ends with CR LF and has neither alone, however it comes", arguments: [true, false])
  func strictLines(isAtOnce: Bool) async throws {
    let lines: [(text: String, line: Bytes?)] = [
      ("12345\r\n", "12345"), ("\r\n", ""), ("a\n", nil), ("\n", nil), ("a\rb\r\n", nil), ("\r\r\n", nil),
      ("ab\r\n", "ab"),
    ]
    try await withStream { loop, near, far in
      let text = lines.map(\.text).joined()
      for byte in isAtOnce ? [Bytes(text)] : text.utf8.map({ Bytes([$0]) }) {
        far.write(byte) { _ in }
        if !isAtOnce { try await loop.sleep(for: .zero).value }
      }
      for (text, expected) in lines {
        do throws(UVError) {
          #expect(
            try await near.readLine(limit: 5, onlyCRLF: true).value == expected, "\(text.debugDescription)")
        } catch {
          #expect(expected == nil && error.code == .protocolError, "\(text.debugDescription): \(error)")
          _ = try await near.skip(until: "\n", limit: 5).value
        }
      }
    }
  }

  @Test("A strict line that comes in parts is refused as one that comes whole", arguments: [true, false])
  func strictLimits(isAtOnce: Bool) async throws {
    try await withStream { loop, near, far in
      let reader = loop.spawn { () async throws(UVError) in
        #expect(try await near.readLine(limit: 2, onlyCRLF: true).value == "ab")
        await expectError(.messageTooLong, of: try await near.readLine(limit: 2, onlyCRLF: true).value)
        _ = try await near.skip(until: "\r\n", limit: 9).value
        await expectError(.endOfFile, of: try await near.readLine(limit: 2, onlyCRLF: true).value)
      }
      let text: Bytes = "ab\r\nabc\r\nab\r"
      for part in isAtOnce ? [text] : text.map({ Bytes([$0]) }) {
        try await far.write(part).value
        for _ in 0..<3 { try await loop.sleep(for: .zero).value }
      }
      far.close()
      try await reader.value
    }
  }
}
