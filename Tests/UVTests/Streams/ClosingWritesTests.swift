import Foundation
import Testing
import UV
import UVTestSupport

/// What was written before a stream is closed is the system's, as far as the system takes it.
@Suite struct ClosingWritesTests {
  /// Everything that comes through a stream until its end, or its reset.
  private static func readToEnd(_ stream: ByteStream) async -> [UInt8] {
    var received: [UInt8] = []
    while let bytes = (try? await stream.next().value) ?? nil { bytes.withUnsafeBytes { received += $0 } }
    return received
  }

  private static let lines = (0..<32).map { "line \($0)\n" }

  @Test func whatWasWrittenBeforeACloseReachesThePeer() async throws {
    let ends = Log<UVError.Code?>()
    try await withPair { loop, client, server in
      for line in Self.lines { client.write(Bytes(line)) { ends.append($0.error?.code) } }
      try await client.close().value
      #expect(String(decoding: await Self.readToEnd(server), as: UTF8.self) == Self.lines.joined())
    }
    #expect(ends.values == Array(repeating: nil, count: 32))
  }

  @Test func whatWasWrittenReachesThePeerThoughTheLastReferenceGoes() async throws {
    try await withLoop { loop in
      let listener = try loop.tcp.listen(host: "127.0.0.1", port: 0)
      func send() async throws {
        let client = try await loop.tcp.connect(to: listener.localAddress()).value
        for line in Self.lines { client.write(Bytes(line)) { _ in } }
      }
      try await send()
      let server = try await listener.accept().value
      listener.close()
      #expect(String(decoding: await Self.readToEnd(server), as: UTF8.self) == Self.lines.joined())
      server.close()
    }
  }

  @Test(arguments: [false, true])
  func whatWasWrittenReachesThePeerThoughTheLoopIsStopped(shutsDown: Bool) async throws {
    let ends = Log<UVError.Code?>()
    try await withThread {
      let loop = try EventLoop()
      let server = try loop.run { loop in
        let (client, server) = try loop.pipes.socketPair()
        let duplicate = dup(try server.fileDescriptor())
        for line in Self.lines { client.write(Bytes(line)) { ends.append($0.error?.code) } }
        if shutsDown { client.shutdown { _ in } }
        loop.stop()
        return duplicate
      }
      loop.shutdown()
      var received = [UInt8](repeating: 0, count: 4096)
      let count = Foundation.read(server, &received, received.count)
      #expect(String(decoding: received.prefix(max(count, 0)), as: UTF8.self) == Self.lines.joined())
      Foundation.close(server)
    }
    #expect(ends.values == Array(repeating: nil, count: 32))
  }

  @Test func whatWasWrittenBeforeAShutdownAndACloseReachesThePeer() async throws {
    try await withPair { loop, client, server in
      for line in Self.lines { client.write(Bytes(line)) { _ in } }
      client.shutdown { _ in }
      client.close()
      #expect(String(decoding: await Self.readToEnd(server), as: UTF8.self) == Self.lines.joined())
    }
  }

  @Test(.onTheMachine("a terminal")) func whatWasWrittenToATerminalBeforeACloseIsShown() async throws {
    try await withLoop { loop in
      let (control, descriptor) = try openPseudoTerminal()
      let (terminal, screen) = (try loop.tty(descriptor), try loop.tty(control))
      terminal.write("header ") { _ in }
      terminal.write("body\n") { _ in }
      try await terminal.close().value
      var shown = ""
      while !shown.hasSuffix("\r\n") {
        shown += try await screen.next().value.map { String(decoding: $0, as: UTF8.self) } ?? "ended"
      }
      #expect(shown == "header body\r\n")
      screen.close()
      Foundation.close(descriptor)
      Foundation.close(control)
    }
  }

  @Test func whatWasSentToAPeerBeforeACloseArrives() async throws {
    try await withLoop { loop in
      let receiver = try loop.udp.bind(host: "127.0.0.1", port: 0)
      let sender = try loop.udp.connect(to: receiver.localAddress())
      for line in Self.lines { sender.send(Bytes(line)) { _ in } }
      sender.close()
      for line in Self.lines { #expect(try await receiver.next().value?.bytes == Bytes(line)) }
      receiver.close()
    }
  }

  @Test func handlesThatWereWrittenBeforeACloseArePassed() async throws {
    let ends = Log<UVError.Code?>()
    try await withLoop { loop in
      let (client, server) = try loop.pipes.socketPair(passesHandles: true)
      let (passed, other) = try loop.pipes.socketPair()
      client.write("a") { ends.append($0.error?.code) }
      client.write("b", passing: passed) { ends.append($0.error?.code) }
      client.write("c") { ends.append($0.error?.code) }
      other.close()
      client.write("d", passing: other) { ends.append($0.error?.code) }
      client.write("e") { ends.append($0.error?.code) }
      try await client.close().value
      #expect(ends.values == [nil, nil, nil, .badDescriptor, nil])
      var received: [UInt8] = []
      var handles = 0
      while let bytes = try await server.next().value {
        bytes.withUnsafeBytes { received += $0 }
        while server.pendingHandleCount > 0 {
          try server.acceptPipeConnection().close()
          handles += 1
        }
      }
      #expect(String(decoding: received, as: UTF8.self) == "abce")
      #expect(handles == 1)
      passed.close()
      server.close()
    }
  }

  @Test(.onTheMachine("buffers that grow"), arguments: [0, 1, 5])
  func eachWriteIsToldWhetherTheSystemHasTakenItWhenNobodyReads(turns: Int) async throws {
    let count = 10_000
    let ends = Log<UVError.Code?>()
    try await withPair { loop, client, server in
      for index in 0..<count {
        client.write(Bytes(repeating: UInt8(index & 255), count: 1024)) { ends.append($0.error?.code) }
      }
      for _ in 0..<turns { try await loop.sleep(for: .zero).value }
      try await client.close().value
      #expect(ends.values.count == count)
      let taken = ends.values.prefix { $0 == nil }.count
      #expect(taken > 100 && taken < count)
      #expect(ends.values.dropFirst(taken).allSatisfy { $0 == .cancelled })
      // The peer has what was reported as taken, and at most a part of the next.
      let received = await Self.readToEnd(server)
      #expect(received.count / 1024 == taken)
    }
  }

  @Test(arguments: [0, 1]) func manySmallWritesAreTakenWhole(turns: Int) async throws {
    let count = 5_000
    let ends = Log<UVError.Code?>()
    let client = Box<TCPConnection>(nil)
    try await withPair { loop, connection, server in
      client.value = connection
      for index in 0..<count { connection.write(Bytes("\(index)\n")) { ends.append($0.error?.code) } }
      // After the turn's end, and before the socket can have become writable again.
      if turns == 0 { connection.close() } else { loop.sleep(for: .zero) { _ in client.value!.close() } }
      let received = await Self.readToEnd(server)
      #expect(String(decoding: received, as: UTF8.self) == (0..<count).map { "\($0)\n" }.joined())
      client.value = nil
    }
    #expect(ends.values.count == count)
    #expect(ends.values.allSatisfy { $0 == nil })
  }

  @Test func aResetThrowsAwayWhatWaitsAndSaysSo() async throws {
    let ends = Log<UVError.Code?>()
    try await withPair { loop, client, server in
      for line in Self.lines { client.write(Bytes(line)) { ends.append($0.error?.code) } }
      try await client.closeReset().value
    }
    // The first left at once.
    #expect(ends.values == [nil] + Array(repeating: .cancelled, count: 31))
  }

  @Test func aDrainSucceedsIfTheCloseHandsEverythingOver() async throws {
    let log = Log<String>()
    try await withPair { loop, client, server in
      client.write("a") { _ in }
      client.write("b") { _ in }
      client.drain { log.append($0.error?.name ?? "ok") }
      try await client.close().value
      server.write(Bytes(repeating: 1, count: 16 << 20)) { _ in }
      server.drain { log.append($0.error?.name ?? "ok") }
      try await server.close().value
    }
    #expect(log.values.first == "ok")
    #expect(log.values.last != "ok")
  }

  @Test func theWriteQueueShrinksWhileALargeWriteDrains() async throws {
    try await withPair { loop, client, server in
      let size = 32 << 20
      var isWritten = false
      client.write(Bytes(repeating: 1, count: size)) { _ in isWritten = true }
      var left = client.writeQueueSize
      #expect(left > 0 && left < size)
      var received = 0
      var steps = 0
      while received < size {
        received += try #require(try await server.next().value).count
        let now = client.writeQueueSize
        #expect(now <= left)
        if now < left { steps += 1 }
        left = now
      }
      #expect(steps > 5)
      while !isWritten { try await loop.sleep(for: .zero).value }
      #expect(client.writeQueueSize == 0)
    }
  }

  @Test func `Of two writes in one turn to a stream that refuses them, both are refused`() async throws {
    let log = Log<String>()
    try await withPair { loop, client, server in
      func note(_ name: String) -> (Result<Void, UVError>) -> Void {
        { log.append("\(name) \($0.error?.name ?? "ok")") }
      }
      client.write("A", note("A"))
      client.write("B", note("B"))
      client.shutdown(note("shutdown"))
      client.write("C", note("C"))
      client.write("D", note("D"))
      var bytes: [UInt8] = []
      while let part = try await server.next().value { bytes += part }
      #expect(bytes == Array("AB".utf8))
      try await client.close().value
      client.write("E", note("E"))
      client.write("F", note("F"))
      try await loop.sleep(for: .zero).value
    }
    #expect(
      log.values.sorted() == [
        "A ok", "B ok", "C EPIPE", "D EPIPE", "E EBADF", "F EBADF", "shutdown ok",
      ])
  }

  @Test func `Waiting for a stream to drain, or to shut down, can be cancelled`() async throws {
    let log = Log<String>()
    try await withPair { loop, client, _ in
      client.write(Bytes(repeating: 0, count: 16 << 20)) { _ in }
      let drain = loop.spawn { () async throws(UVError) in try await client.drain().value }
      let shutdown = loop.spawn { () async throws(UVError) in try await client.shutdown().value }
      try await loop.sleep(for: .zero).value
      for task in [drain, shutdown] {
        task.cancel()
        do throws(UVError) { try await task.value } catch { log.append(error.name) }
      }
    }
    #expect(log.values == ["ECANCELED", "ECANCELED"])
  }

  @Test func `A stream whose last write was cancelled is shut down once`() async throws {
    let log = Log<String>()
    try await withPair { loop, client, server in
      client.write("A") { _ in }
      let pending = client.write("B") { log.append("B \($0.error?.name ?? "ok")") }
      pending.cancel()
      client.shutdown { log.append("shutdown \($0.error?.name ?? "ok")") }
      #expect(try await server.next().value == "A")
      #expect(try await server.next().value == nil)
      try await client.close().value
    }
    #expect(log.values == ["B ECANCELED", "shutdown ok"])
  }
}
