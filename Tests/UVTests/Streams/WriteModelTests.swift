import Testing
import UV
import UVTestSupport

/// Writes of all kinds, of which some are cancelled, to a peer that reads now and then. Each ends once, and the peer gets each
/// whole or not at all, in order.
@Suite struct WriteModelTests {
  /// A write, whose bytes are all its number.
  private final class Write {
    let number: UInt8
    let counts: [Int]
    var outcomes: [String] = []
    var isCancelled = false
    var pending = PendingRequest()

    init(_ number: Int, _ counts: [Int]) { (self.number, self.counts) = (UInt8(number), counts) }

    var count: Int { counts.reduce(0, +) }
    var buffers: [Bytes] { counts.map { Bytes(repeating: number, count: $0) } }

    /// Begins the write, now or when its task has its turn, and calls `begun` then.
    func begin(on stream: ByteStream, inTask isInTask: Bool, _ begun: @escaping (Write) -> Void) {
      let buffers = buffers
      if isInTask {
        let task = stream.loop.spawn { [self] in
          begun(self)
          let code = await code { () async throws(UVError) in
            if buffers.count == 1 {
              try await stream.write(buffers[0]).value
            } else {
              try await stream.write(buffers).value
            }
          }
          outcomes.append(code?.name ?? "ok")
        }
        pending = PendingRequest { task.cancel() }
      } else {
        begun(self)
        let done: Completion<Void> = { [self] in outcomes.append($0.error?.name ?? "ok") }
        pending = buffers.count == 1 ? stream.write(buffers[0], done) : stream.write(buffers, done)
      }
    }
  }

  /// The numbers that came, each with how often it came in a row.
  private func runs(_ bytes: [UInt8]) -> [(number: UInt8, count: Int)] {
    var runs: [(number: UInt8, count: Int)] = []
    for byte in bytes {
      if runs.last?.number == byte { runs[runs.count - 1].count += 1 } else { runs.append((byte, 1)) }
    }
    return runs
  }

  @Test(
    "Each write ends once, and comes whole and in order, or was cancelled and doesn't come", arguments: 1...10
  )
  func model(seed: UInt64) async throws {
    try await withStream { loop, server, client in
      let draws = Draws(seed)
      var (writes, order, received): ([Write], [Write], [UInt8]) = ([], [], [])
      for _ in 0..<12 {
        // Several in one turn are gathered.
        for _ in 0...draws.draw(5) {
          if draws.draw(3) == 0, let write = writes.last(where: { $0.outcomes.isEmpty && !$0.isCancelled }) {
            write.isCancelled = true
            write.pending.cancel()
          } else if draws.draw(4) == 0,
            let write = writes.first(where: { $0.outcomes.isEmpty && !$0.isCancelled })
          {
            write.isCancelled = true
            write.pending.cancel()
          } else {
            let counts = (0..<draws.draw(4)).map { _ in draws.one(of: [0, 1, 2, 5, 100, 20_000, 150_000]) }
            writes.append(Write(writes.count + 1, counts))
            writes.last!.begin(on: client, inTask: draws.draw(4) == 0) { order.append($0) }
          }
        }
        if draws.draw(3) == 0, let bytes = client.writeQueueSize > 0 ? try await server.next().value : nil {
          received += Array(bytes)
        }
        for _ in 0..<draws.draw(3) { try await loop.sleep(for: .zero).value }
      }
      // What was cancelled no longer counts.
      let reading = loop.spawn { () async throws(UVError) in try await server.readToEnd(limit: 1 << 30).value
      }
      try await client.drain().value
      #expect(client.writeQueueSize == 0 && !client.isAboveHighWaterMark)
      try await loop.until { writes.allSatisfy { !$0.outcomes.isEmpty } }
      try await client.shutdown().value
      received += Array(try await reading.value)
      var came = runs(received)[...]
      // A task that was cancelled before its turn hasn't begun.
      #expect(writes.allSatisfy { write in write.isCancelled || order.contains { $0 === write } })
      for write in order {
        #expect(write.outcomes.count == 1, "write \(write.number) of \(write.counts): \(write.outcomes)")
        let outcome = write.outcomes[0]
        #expect(
          outcome == "ok" || write.isCancelled && outcome == "ECANCELED", "write \(write.number): \(outcome)")
        if came.first?.number == write.number {
          #expect(
            came.removeFirst().count == write.count, "a part of write \(write.number) of \(write.counts)")
        } else {
          #expect(write.count == 0 || outcome == "ECANCELED", "write \(write.number) is lost")
        }
      }
      #expect(came.isEmpty)
    }
  }

  /// What a write that hasn't begun is behind.
  enum Obstacle: CaseIterable { case gathering, fullSocket }

  @Test(
    "A write that hasn't begun and is cancelled leaves nothing, however many buffers it has",
    arguments: Obstacle.allCases,
    [[], [""], ["b"], ["b", "c"], ["", "b", ""], ["b", ""], ["b", "c", "d"]] as [[Bytes]])
  func cancelled(obstacle: Obstacle, buffers: [Bytes]) async throws {
    for isInTask in [false, true] {
      try await withStream { loop, server, client in
        let log = Log<String>()
        let first = Bytes(repeating: 1, count: obstacle == .gathering ? 1 : 1 << 20)
        client.write(first) { log.append("first \($0.error?.name ?? "ok")") }
        let before = client.writeQueueSize
        let done: Completion<Void> = { log.append("cancelled \($0.error?.name ?? "ok")") }
        if isInTask {
          let task = loop.spawn {
            let code = await code { () async throws(UVError) in try await client.write(buffers).value }
            log.append("cancelled \(code?.name ?? "ok")")
          }
          // A task's write isn't gathered, so it has to wait for room.
          if obstacle == .fullSocket { for _ in 0..<3 { try await loop.sleep(for: .zero).value } }
          task.cancel()
        } else {
          let pending = buffers.count == 1 ? client.write(buffers[0], done) : client.write(buffers, done)
          pending.cancel()
          pending.cancel()
        }
        if obstacle == .fullSocket { #expect(client.writeQueueSize <= before) }
        client.write(["x", "y"]) { log.append("last \($0.error?.name ?? "ok")") }
        client.shutdown { log.append("shut down \($0.error?.name ?? "ok")") }
        let all = try await server.readToEnd(limit: 1 << 30).value
        try await loop.until { log.values.count == 4 }
        #expect(all.count == first.count + 2 && all.suffix(2).elementsEqual(Bytes("xy")))
        // Nothing is left of one without bytes that would have to wait.
        let isTaken = obstacle == .gathering && buffers.allSatisfy(\.isEmpty) && !isInTask
        let outcome = isTaken ? "ok" : "ECANCELED"
        #expect(
          log.values.sorted() == ["cancelled \(outcome)", "first ok", "last ok", "shut down ok"], "\(buffers)"
        )
        #expect(log.values.last == "shut down ok")
      }
    }
  }

  @Test("A shutdown that is cancelled ends the waiting only, however far it is", arguments: [0, 1, 1 << 20])
  func cancelledShutdown(count: Int) async throws {
    for turns in [0, 1, 3] {
      for isInTask in [false, true] {
        try await withStream { loop, server, client in
          let log = Log<String>()
          if count > 0 {
            client.write(Bytes(repeating: 1, count: count)) { log.append("write \($0.error?.name ?? "ok")") }
          }
          if count == 1 { client.write("2") { _ in } }
          if isInTask {
            let task = loop.spawn {
              let code = await code { () async throws(UVError) in try await client.shutdown().value }
              log.append("shutdown \(code?.name ?? "ok")")
            }
            // Before it runs, a task that is cancelled doesn't begin.
            for _ in 0..<max(turns, 1) { try await loop.sleep(for: .zero).value }
            task.cancel()
          } else {
            let pending = client.shutdown { log.append("shutdown \($0.error?.name ?? "ok")") }
            for _ in 0..<turns { try await loop.sleep(for: .zero).value }
            pending.cancel()
            pending.cancel()
          }
          try await loop.until { log.values.contains { $0.hasPrefix("shutdown") } }
          if turns == 0 && !isInTask || count > 1 { #expect(log.values.contains("shutdown ECANCELED")) }
          #expect(!client.isWritable)
          await expectError(.brokenPipe, of: try await client.write("more").value)
          await expectError(.notConnected, of: try await client.shutdown().value)
          let all = try await server.readToEnd(limit: 1 << 30).value
          #expect(all.count == count + (count == 1 ? 1 : 0))
          // The other direction goes on.
          try await server.write("answer").value
          #expect(try await client.next().value == "answer")
          #expect(log.values.filter { $0.hasPrefix("shutdown") }.count == 1)
        }
      }
    }
  }
}
