import Foundation
import Testing
import UV
import UVTestSupport

@Suite struct HandlePassingTests {
  /// Both ends of a channel, and of a TCP connection.
  private func withChannel(
    sourceLocation: SourceLocation = #_sourceLocation,
    _ body:
      nonisolated(nonsending) @escaping @Sendable (
        EventLoop, (PipeConnection, PipeConnection), (TCPConnection, TCPConnection)
      ) async throws -> Void
  ) async throws {
    try await withPair(sourceLocation: sourceLocation) { loop, client, server in
      let channel = try loop.pipes.socketPair(passesHandles: true)
      try await body(loop, channel, (client, server))
      channel.0.close()
      channel.1.close()
    }
  }

  @Test func aConnection() async throws {
    try await withChannel { loop, channel, tcp in
      try await channel.0.write("take it", passing: tcp.1).value
      tcp.1.close()
      #expect(try await channel.1.next().value == "take it")
      #expect(channel.1.pendingHandleCount == 1)
      #expect(channel.1.pendingHandleType == .tcp)
      let taken = try channel.1.acceptTCPConnection()
      #expect(channel.1.pendingHandleCount == 0)
      #expect(channel.1.pendingHandleType == nil)
      #expect(try taken.peerAddress() == tcp.0.localAddress())
      try await tcp.0.write("hello").value
      #expect(try await taken.next().value == "hello")
      taken.close()
      #expect(try await tcp.0.next().value == nil)
    }
  }

  @Test func aListener() async throws {
    try await withChannel { loop, channel, _ in
      let listener = try loop.tcp.listen(host: "127.0.0.1", port: 0)
      let address = try listener.localAddress()
      try await channel.0.write("listen", passing: listener).value
      try await listener.close().value
      #expect(try await channel.1.next().value == "listen")
      let taken = try channel.1.acceptTCPListener()
      #expect(try taken.localAddress() == address)
      let client = try await loop.tcp.connect(to: address).value
      let server = try await taken.accept().value
      #expect(try server.peerAddress() == client.localAddress())
      for handle in [client, server] { handle.close() }
      taken.close()
    }
  }

  @Test func pipesAndUnixSockets() async throws {
    try await withTemporaryDirectory { directory in
      try await withChannel { loop, channel, _ in
        let (reading, writing) = try loop.pipes.pair()
        let listener = try loop.pipes.listen(path: directory + "/passed")
        try await channel.0.write("reader", passing: reading).value
        try await channel.0.write("listener", passing: listener).value
        reading.close()
        var bytes: [UInt8] = []
        while channel.1.pendingHandleCount < 2 { bytes += try await channel.1.next().value ?? [] }
        #expect(Bytes(bytes) == "readerlistener")
        let reader = try channel.1.acceptPipeConnection()
        try await writing.write("through").value
        #expect(try await reader.next().value == "through")
        // Both listen on the same socket now: libuv holds the first connection for the one, and the other has
        // the next.
        let first = try await loop.pipes.connect(path: directory + "/passed").value
        for _ in 0..<5 { try await loop.sleep(for: .zero).value }
        let taken = try channel.1.acceptPipeListener()
        let second = try await loop.pipes.connect(path: directory + "/passed").value
        let server = try await taken.accept().value
        #expect(try server.localPath() == FilePath(directory + "/passed"))
        for pipe in [writing, reader, first, second, server] { pipe.close() }
        taken.close()
        listener.close()
      }
    }
  }

  @Test func aUDPSocket() async throws {
    try await withChannel { loop, channel, _ in
      let socket = try loop.udp.bind(host: "127.0.0.1", port: 0)
      let address = try socket.localAddress()
      try await channel.0.write("receive", passing: socket).value
      try await socket.close().value
      _ = try await channel.1.next().value
      #expect(channel.1.pendingHandleType == .udp)
      let taken = try channel.1.acceptUDPSocket()
      #expect(try taken.localAddress() == address)
      let sender = try loop.udp.connect(to: address)
      try await sender.send("datagram").value
      #expect(try await taken.next().value?.bytes == "datagram")
      sender.close()
      taken.close()
    }
  }

  @Test func aDescriptorOfAnyKind() async throws {
    try await withChannel { loop, channel, tcp in
      try await channel.0.write("x", passing: tcp.1).value
      _ = try await channel.1.next().value
      let descriptor = try channel.1.acceptFileDescriptor()
      #expect(HandleType(guessing: descriptor) == .tcp)
      #expect(fcntl(descriptor, F_GETFD) & FD_CLOEXEC != 0)
      Foundation.close(descriptor)
    }
  }

  @Test func onesThatNobodyTakesAreClosedWithTheConnection() async throws {
    try await withChannel { loop, channel, tcp in
      for _ in 0..<20 { try await channel.0.write("x", passing: tcp.1).value }
      tcp.1.close()
      while channel.1.pendingHandleCount < 20 { _ = try await channel.1.next().value }
      // Not read at all.
      try await channel.0.write("x", passing: tcp.0).value
      channel.1.close()
      #expect(channel.1.pendingHandleCount == 0)
      // The last descriptor of the other end has gone, so this is the end.
      #expect(try await tcp.0.next().value == nil)
    }
  }

  @Test func oneOfAnotherKindGoesOnWaiting() async throws {
    try await withChannel { loop, channel, tcp in
      await expectError(.wouldBlock, of: try channel.1.acceptTCPConnection())
      try await channel.0.write("x", passing: tcp.1).value
      _ = try await channel.1.next().value
      await expectError(.invalidArgument, of: try channel.1.acceptUDPSocket())
      await expectError(.invalidArgument, of: try channel.1.acceptPipeConnection())
      #expect(channel.1.pendingHandleCount == 1)
      // A connection cannot listen; it has been taken, and is closed.
      await expectError(.invalidArgument, of: try channel.1.acceptTCPListener())
      #expect(channel.1.pendingHandleCount == 0)
      channel.1.close()
      await expectError(.badDescriptor, of: try channel.1.acceptTCPConnection())
    }
  }

  @Test func whatCannotBePassedFailsAloneAndTheRestFollows() async throws {
    try await withChannel { loop, channel, tcp in
      let log = Log<String>()
      let closed = try loop.tcp.listen(host: "127.0.0.1", port: 0)
      try await closed.close().value
      channel.0.write("one ") { log.append("one \($0.error?.name ?? "ok")") }
      channel.0.write("lost", passing: closed) { log.append("closed \($0.error?.name ?? "ok")") }
      channel.0.write("", passing: tcp.1) { log.append("empty \($0.error?.name ?? "ok")") }
      channel.0.write("two ", passing: tcp.1) { log.append("two \($0.error?.name ?? "ok")") }
      try await channel.0.write("three").value
      var bytes: [UInt8] = []
      while bytes.count < 13 { bytes += try await channel.1.next().value ?? [] }
      #expect(Bytes(bytes) == "one two three")
      #expect(channel.1.pendingHandleCount == 1)
      #expect(log.values.sorted() == ["closed EBADF", "empty EINVAL", "one ok", "two ok"])
      let plain = try loop.pipes.socketPair()
      await expectError(.invalidArgument, of: try await plain.0.write("x", passing: tcp.1).value)
      plain.0.close()
      plain.1.close()
    }
  }

  @Test func handlesKeepTheirPlaceAmongTheBytes() async throws {
    try await withChannel { loop, channel, tcp in
      let big = Bytes(repeating: 1, count: 300_000)
      let log = Log<Int>()
      for round in 0..<4 {
        channel.0.write(big) { _ in log.append(round * 3) }
        channel.0.write([2, 2], passing: tcp.1) { _ in log.append(round * 3 + 1) }
        channel.0.write(big) { _ in log.append(round * 3 + 2) }
      }
      let cancelled = channel.0.write([9], passing: tcp.1) {
        log.append($0.error?.code == .cancelled ? -1 : -2)
      }
      cancelled.cancel()
      channel.0.shutdown { _ in }
      #expect(channel.0.writeQueueSize > 0)
      var (count, marks, taken) = (0, [Int](), 0)
      for try await chunk in channel.1 {
        for byte in chunk {
          if byte == 2 { marks.append(count) }
          count += 1
        }
        while channel.1.pendingHandleCount > 0 {
          try channel.1.acceptTCPConnection().close()
          taken += 1
          // It came with its bytes, or before them.
          #expect(marks.count <= taken * 2)
        }
      }
      #expect(count == 8 * big.count + 8)
      let places = (0..<4).map { round in round * (2 * big.count + 2) + big.count }
      #expect(marks == places.flatMap { [$0, $0 + 1] })
      #expect(taken == 4)
      #expect(log.values == [-1] + Array(0..<12))
    }
  }

  #if os(Linux)
  /// libuv polls a pipe again after an accept, even where nobody reads: the loop would go round for ever.
  @Test(.onTheMachine("/proc")) func anAcceptDoesNotHaveTheLoopPollForNobody() async throws {
    try await withChannel { loop, channel, tcp in
      try await channel.0.write("x", passing: tcp.1).value
      _ = try await channel.1.next().value
      try channel.1.acceptTCPConnection().close()
      try await channel.0.write("nobody reads this").value
      for _ in 0..<10 { try await loop.sleep(for: .zero).value }
      #expect(try Self.isPolled(channel.1.fileDescriptor()) == false)
      #expect(try await channel.1.next().value == "nobody reads this")
    }
  }

  /// Whether any of the process's epoll instances has the descriptor.
  private static func isPolled(_ descriptor: Int32) throws -> Bool {
    try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fdinfo").contains { name in
      let lines = (try? String(contentsOfFile: "/proc/self/fdinfo/\(name)", encoding: .utf8)) ?? ""
      return lines.split(separator: "\n").contains { line in
        let words = line.split(separator: " ")
        return words.count > 1 && words[0] == "tfd:" && words[1] == "\(descriptor)"
      }
    }
  }
  #endif
}

/// A channel whose reader takes a handle and rests.
@Suite struct HandleRestTests {
  @Test("A loop rests after it has accepted a handle, though more has come that nobody asks for")
  func rest() async throws {
    try await withLoop { loop in
      let channel = try loop.pipes.socketPair(passesHandles: true)
      let passed = try loop.pipes.socketPair()
      for count in 1...3 {
        channel.0.write("take it", passing: passed.0) { _ in }
        #expect(try await channel.1.read(exactly: 7).value == "take it")
        try await channel.0.write("more").value
        // The reader has had its bytes, and asks for nothing.
        try await loop.settle()
        let taken = try channel.1.acceptPipeConnection()
        // The bytes that have come wait in the system, and wake nobody.
        let turns = try await loop.turns(in: .milliseconds(20))
        #expect(turns < 20, "after handle \(count)")
        #expect(try await channel.1.read(exactly: 4).value == "more")
        try await taken.write("through").value
        #expect(try await passed.1.read(exactly: 7).value == "through")
        taken.close()
      }
      for stream in [channel.0, channel.1, passed.0, passed.1] { stream.close() }
    }
  }
}
