import Testing
import UV
import UVTestSupport

/// A request for a frame that is cancelled leaves the bytes that came for it.
@Suite struct FrameCancellationTests {
  @Test func `A cancelled request loses no byte, however far it has come`() async throws {
    try await withStream { loop, near, far in
      for kind in 0..<5 {
        let log = Log<UVError.Code?>()
        let ask: () -> PendingRequest = {
          switch kind {
          case 0: near.read(exactly: 100_000) { log.append($0.error?.code) }
          case 1: near.read(until: "\r\n", limit: 100) { log.append($0.error?.code) }
          case 2: near.readLine(limit: 100) { log.append($0.error?.code) }
          case 3: near.readToEnd(limit: 100_000) { log.append($0.error?.code) }
          default: near.peek(exactly: 50) { log.append($0.error?.code) }
          }
        }
        ask().cancel()
        let second = ask()
        try await far.write("abc").value
        try await loop.settle()
        second.cancel()
        try await loop.settle()
        let third = ask()
        try await far.write("def\r").value
        try await loop.settle()
        third.cancel()
        try await far.write("\n").value
        #expect(try await near.readLine(limit: 6).value == "abcdef")
        #expect(log.values == [.cancelled, .cancelled, .cancelled])
      }
    }
  }

  @Test func `A large frame that is cancelled half-way leaves its first half`() async throws {
    try await withStream { loop, near, far in
      let half = Bytes(repeating: 7, count: 100_000)
      let task = loop.spawn { () async throws(UVError) in try await near.read(exactly: 200_000).value }
      try await far.write(half).value
      try await loop.settle()
      task.cancel()
      await expectError(.cancelled, of: try await task.value)
      try await far.write("tail\n").value
      #expect(try await near.read(exactly: 100_000).value == half)
      #expect(try await near.readLine(limit: 5).value == "tail")
    }
  }

  @Test func `A frame that has come isn't lost if its reader is cancelled before it hears`() async throws {
    try await withStream { loop, near, far in
      try await far.write("one\ntwo\nthree\n").value
      #expect(try await near.readLine(limit: 5).value == "one")
      let log = Log<String>()
      let pending = near.readLine(limit: 5) { log.append("\($0.value.flatMap { $0 } ?? "-")") }
      near.readLine(limit: 5) { log.append("\($0.value.flatMap { $0 } ?? "-")") }
      pending.cancel()
      try await loop.settle()
      #expect(log.values.sorted() == ["-", "two"])
      #expect(try await near.readLine(limit: 5).value == "three")
    }
  }

  @Test func `A time limit leaves the bytes for the next try`() async throws {
    try await withStream { loop, near, far in
      try await far.write("half a ").value
      await expectError(
        .timedOut, of: try await near.readLine(limit: 100).timeout(after: .milliseconds(5)).value)
      try await far.write("line\n").value
      #expect(try await near.readLine(limit: 100).timeout(after: .seconds(10)).value == "half a line")
    }
  }

  @Test func `A cancelled task gets no frame, though it has come`() async throws {
    try await withStream { loop, near, far in
      try await far.write("one\ntwo\n").value
      #expect(try await near.readLine(limit: 5).value == "one")
      let task = loop.spawn { () async throws(UVError) in
        while true {
          do throws(UVError) { try await loop.sleep(for: .seconds(60)).value } catch { break }
        }
        return try await near.readLine(limit: 5).value
      }
      try await loop.settle()
      task.cancel()
      await expectError(.cancelled, of: try await task.value)
      #expect(try await near.readLine(limit: 5).value == "two")
    }
  }

  @Test func `Tasks of other executors read frames too, and are cancelled`() async throws {
    try await withStream { loop, near, far in
      try await far.write("one\ntwo\n").value
      let lines = try await withThrowingTaskGroup(of: Void.self) { _ in
        [try await near.readLine(limit: 5).value, try await near.readLine(limit: 5).value]
      }
      #expect(lines == ["one", "two"])
    }
  }

  @Test("A reader of frames that waits when its loop ends hears it, and what asks again ends with the loop")
  func loopEnds() async throws {
    let codes = try await withThread {
      let log = Log<UVError.Code?>()
      try EventLoop.runCallbacks { loop in
        let (near, far) = try loop.pipes.socketPair()
        func readAgain() {
          near.readLine(limit: 10) { result in
            log.append(result.error?.code)
            readAgain()
            // It stays open.
            _ = far.isClosing
          }
        }
        readAgain()
        far.write("one\ntwo\nthr") { _ in }
        loop.spawn {
          try? await loop.settle { log.values.count == 2 }
          loop.stop()
        }
      }
      return log.values
    }
    #expect(codes == [nil, nil, .cancelled])
  }

  @Test func `A loop whose readers ask for nothing again and again can be stopped`() async throws {
    try await withThread {
      try EventLoop.runCallbacks { loop in
        let (near, far) = try loop.pipes.socketPair()
        far.write("x") { _ in }
        func peekAgain() { near.peek(exactly: 1) { _ in peekAgain() } }
        func readNothingAgain() { near.read(exactly: 0) { _ in readNothingAgain() } }
        peekAgain()
        readNothingAgain()
        loop.sleep(for: .milliseconds(4)) { _ in loop.stop() }
      }
    }
  }
}
