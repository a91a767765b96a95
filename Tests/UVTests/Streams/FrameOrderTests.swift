import Testing
import UV
import UVTestSupport

/// Readers of several kinds on one stream.
@Suite struct FrameOrderTests {
  @Test func `Readers of every kind are answered in the order in which they asked`() async throws {
    for isAtOnce in [true, false] {
      try await withStream { loop, near, far in
        let log = Log<String>()
        func note(_ name: String) -> Completion<Bytes?> {
          { result in log.append("\(name) \((try? result.get())?.description ?? "-")") }
        }
        if isAtOnce { try await far.write("abcdef\nghij").value }
        near.next(note("chunk"))
        near.read(exactly: 2, note("two"))
        near.readLine(limit: 9, note("line"))
        near.next(note("chunk"))
        near.peek(exactly: 1, note("peek"))
        near.read(exactly: 2, note("two"))
        near.next(note("chunk"))
        #expect(log.values.isEmpty)
        if isAtOnce {
          far.close()
          try await loop.settle { log.values.count == 7 }
          #expect(
            log.values == ["chunk abcdef\nghij", "two -", "line -", "chunk -", "peek -", "two -", "chunk -"])
        } else {
          for part in ["a", "bcde", "f\nghij"] as [Bytes] {
            try await far.write(part).value
            for _ in 0..<3 { try await loop.sleep(for: .zero).value }
          }
          far.close()
          try await loop.settle { log.values.count == 7 }
          #expect(
            log.values == ["chunk a", "two bc", "line def", "chunk ghij", "peek -", "two -", "chunk -"])
        }
      }
    }
  }

  @Test func `A loop over a stream begins with what frames have left`() async throws {
    try await withStream { loop, near, far in
      try await far.write("header\nbody, ").value
      #expect(try await near.readLine(limit: 10).value == "header")
      loop.spawn {
        try? await far.write("more").value
        far.close()
      }
      var body = BytesBuilder()
      for try await chunk in near { body.append(chunk) }
      #expect(Bytes(body) == "body, more")
    }
  }

  @Test func `A handler that comes after the end begins with what frames have left`() async throws {
    try await withStream { loop, near, far in
      try await far.write("12345").value
      far.close()
      await expectError(.endOfFile, of: try await near.read(exactly: 6).value)
      let log = Log<String>()
      near.start { log.append("\($0.value.flatMap { $0 } ?? "end")") }
      near.start { log.append($0.error?.name ?? "-") }
      #expect(log.values.isEmpty)
      try await loop.settle { log.values.count == 3 }
      #expect(
        log.values == ["ESOURCESTARTED", "12345", "end"] || log.values == ["12345", "end", "ESOURCESTARTED"])
      // A handler that stops after the bytes isn't notified of the end; the next one is.
      near.start { log.append("\($0.value.flatMap { $0 } ?? "end")") }
      try await loop.settle { log.values.count == 4 }
      #expect(log.values.last == "end")
    }
  }

  @Test func `Frames follow a loop over a stream that was left`() async throws {
    try await withStream { loop, near, far in
      try await far.write("chunk").value
      for try await chunk in near {
        #expect(chunk == "chunk")
        break
      }
      try await far.write("line\nrest").value
      #expect(try await near.readLine(limit: 10).value == "line")
      var iterator = near.makeAsyncIterator()
      #expect(try await iterator.next() == "rest")
      far.close()
      #expect(try await iterator.next() == nil)
    }
  }

  @Test func `A handler gets first what frames have left, and then what comes`() async throws {
    try await withStream { loop, near, far in
      try await far.write("header\nbody, ").value
      #expect(try await near.readLine(limit: 10).value == "header")
      let log = Log<Bytes?>()
      near.start { log.append(try? $0.get()) }
      #expect(log.values.isEmpty)
      try await far.write("more").value
      far.close()
      try await loop.settle { log.values.last == .some(nil) }
      #expect(log.values == ["body, ", "more", nil])
    }
  }

  @Test func `What a handler leaves when it stops stays for the next reader`() async throws {
    try await withStream { loop, near, far in
      try await far.write("1\n2\n3\n4\n").value
      #expect(try await near.readLine(limit: 10).value == "1")
      let log = Log<Bytes?>()
      near.start { result in
        log.append(try? result.get())
        near.stop()
      }
      near.stop()
      #expect(try await near.readLine(limit: 10).value == "2")
      #expect(log.values.isEmpty)
      try await far.write("5\n").value
      near.start { result in
        log.append(try? result.get())
        near.stop()
      }
      try await loop.settle { !log.values.isEmpty }
      #expect(log.values == ["3\n4\n"])
      #expect(try await near.readLine(limit: 10).value == "5")
    }
  }

  @Test func `A handler and a reader of frames refuse one another with a sentence`() async throws {
    try await withStream { loop, near, far in
      let log = Log<UVError.Code?>()
      let reader = near.readLine(limit: 10) { log.append($0.error?.code) }
      near.start { log.append($0.error?.code) }
      try await loop.settle { !log.values.isEmpty }
      #expect(log.values == [.sourceStarted])
      reader.cancel()
      try await loop.settle { log.values.count == 2 }
      #expect(log.values == [.sourceStarted, .cancelled])
      near.start { _ in }
      await expectError(.sourceStarted, of: try await near.readLine(limit: 10).value)
      near.stop()
      try await far.write("line\n").value
      #expect(try await near.readLine(limit: 10).value == "line")
    }
  }

  @Test func `A stream without readers reads nothing more`() async throws {
    try await withStream { loop, near, far in
      try await far.write("line\n").value
      #expect(try await near.readLine(limit: 10).value == "line")
      for _ in 0..<100 { far.write(Bytes(repeating: 1, count: 100_000)) { _ in } }
      for _ in 0..<10 { try await loop.sleep(for: .milliseconds(1)).value }
      let stuck = far.writeQueueSize
      #expect(stuck > 5_000_000)
      for _ in 0..<10 { try await loop.sleep(for: .milliseconds(1)).value }
      #expect(far.writeQueueSize == stuck)
      #expect(!near.isActive)
      // A reader who wants a part of it has only that much read, and what came with it.
      _ = try await near.read(exactly: 200_000).value
      for _ in 0..<10 { try await loop.sleep(for: .milliseconds(1)).value }
      #expect(far.writeQueueSize > stuck - 1_000_000)
    }
  }

  @Test func `Bytes go to memory of the caller`() async throws {
    try await withStream { loop, near, far in
      let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: 100, alignment: 1)
      defer { memory.deallocate() }
      func text(_ count: Int) -> String { String(decoding: memory.prefix(count), as: UTF8.self) }
      try await far.write("line\nrest").value
      #expect(try await near.readLine(limit: 10).value == "line")
      #expect(try await near.read(into: UnsafeMutableRawBufferPointer(rebasing: memory[..<3])).value == 3)
      #expect(text(3) == "res")
      #expect(try await near.read(into: memory).value == 1)
      #expect(text(3) == "tes")
      let pending = near.read(into: memory) { #expect($0.error?.code == .cancelled) }
      pending.cancel()
      let reader = loop.spawn { () async throws(UVError) in try await near.read(into: memory).value }
      try await loop.sleep(for: .zero).value
      try await far.write("directly").value
      #expect(try await reader.value == 8)
      #expect(text(8) == "directly")
      far.close()
      #expect(try await near.read(into: memory).value == 0)
      await expectError(
        .invalidArgument,
        of: try await near.read(into: UnsafeMutableRawBufferPointer(start: nil, count: 0)).value)
    }
  }
}
