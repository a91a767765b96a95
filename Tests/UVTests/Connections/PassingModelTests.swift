import Testing
import UV
import UVTestSupport

/// Writes with handles and without, of which some are cancelled, through a channel that has no room in the beginning. The bytes and the
/// handles of those that weren't cancelled come in order.
@Suite struct PassingModelTests {
  private final class Write {
    let number: UInt8
    let count: Int
    let port: UInt16?
    var outcomes: [String] = []
    var isCancelled = false
    var pending = PendingRequest()

    init(_ number: Int, _ count: Int, _ port: UInt16?) {
      (self.number, self.count, self.port) = (UInt8(number), count, port)
    }
  }

  @Test("What isn't cancelled comes with its handles, in order", arguments: 1...10, [false, true])
  func model(seed: UInt64, isFull: Bool) async throws {
    try await withLoop { loop in
      let (near, far) = try loop.pipes.socketPair(passesHandles: true)
      let draws = Draws(seed)
      let much = isFull ? 1 << 20 : 0
      if isFull { near.write(Bytes(repeating: 0, count: much)) { _ in } }
      var sockets: [UDPSocket] = []
      var writes: [Write] = []
      for number in 1...20 {
        let passes = draws.draw(2) == 0
        let bytes = draws.one(of: passes ? [1, 3, 100] : [0, 1, 3, 100])
        if passes { sockets.append(try loop.udp.bind(host: "127.0.0.1", port: 0)) }
        let write = Write(number, bytes, passes ? try sockets.last!.localAddress().port : nil)
        writes.append(write)
        let content = Bytes(repeating: write.number, count: bytes)
        let done: Completion<Void> = { write.outcomes.append($0.error?.name ?? "ok") }
        write.pending = passes ? near.write(content, passing: sockets.last!, done) : near.write(content, done)
        if draws.draw(3) == 0 {
          let waiting = writes.filter { $0.outcomes.isEmpty && !$0.isCancelled }
          if !waiting.isEmpty {
            let other = draws.one(of: waiting)
            other.isCancelled = true
            other.pending.cancel()
          }
        }
        // Without it, all are gathered in one turn.
        if draws.draw(4) == 0 { try await loop.sleep(for: .zero).value }
      }
      near.write("!") { _ in }
      #expect(try await far.read(exactly: much).value?.count == much)
      var (bytes, ports): ([UInt8], [UInt16]) = ([], [])
      while bytes.last != UInt8(ascii: "!") {
        bytes += Array(try #require(try await far.next().value))
        while far.pendingHandleCount > 0 {
          let socket = try far.acceptUDPSocket()
          ports.append(try socket.localAddress().port)
          socket.close()
        }
      }
      try await near.drain().value
      #expect(near.writeQueueSize == 0)
      try await loop.until { writes.allSatisfy { !$0.outcomes.isEmpty } }
      bytes.removeLast()
      var expected: [UInt16] = []
      for write in writes {
        #expect(write.outcomes == ["ok"] || write.isCancelled && write.outcomes == ["ECANCELED"])
        let count = bytes.prefix { $0 == write.number }.count
        bytes.removeFirst(count)
        // One that had begun goes on.
        #expect(count == write.count || count == 0 && write.isCancelled, "write \(write.number)")
        if let port = write.port, count > 0 { expected.append(port) }
      }
      #expect(bytes.isEmpty)
      #expect(ports == expected)
      for socket in sockets { socket.close() }
      near.close()
      far.close()
    }
  }
}
