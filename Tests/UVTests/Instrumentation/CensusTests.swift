import Testing
import UV
import UVTestSupport

/// What a loop's census counts: each connection once, in its state, and each task at its place.
@Suite struct CensusTests {
  @Test(arguments: [false, true])
  func `Each connection is counted once, by where it came from and what it does`(isPipe: Bool) async throws {
    try await withLoop { loop in
      try await withTemporaryDirectory { folder in
        let path = "\(folder)/socket"
        var clients: [ByteStream] = []
        var servers: [ByteStream] = []
        let close: () -> Void
        if isPipe {
          let listener = try loop.pipes.listen(path: path)
          for _ in 0..<4 {
            clients.append(try await loop.pipes.connect(path: path).value)
            servers.append(try await listener.accept().value)
          }
          close = { listener.close() }
        } else {
          let listener = try loop.tcp.listen(host: "127.0.0.1", port: 0)
          for _ in 0..<4 {
            clients.append(try await loop.tcp.connect(to: listener.localAddress()).value)
            servers.append(try await listener.accept().value)
          }
          close = { listener.close() }
        }
        // One of each end reads, one writes what nobody takes, one closes, and one does nothing.
        func occupy(_ streams: [ByteStream]) {
          streams[0].next { _ in }
          streams[1].write(Bytes(repeating: 1, count: 1 << 24)) { _ in }
          streams[2].close()
        }
        for streams in [clients, servers] { occupy(streams) }
        let census = loop.census()
        let each: [LoopCensus.ConnectionState: Int] = [.reading: 1, .writing: 1, .closing: 1, .idle: 1]
        #expect(census.opened == each && census.accepted == each && census.listeners == 1)
        // What isn't a connection is not counted.
        let others: [Handle] = [try loop.udp.bind(host: "127.0.0.1", port: 0), try loop.signals(.user2)]
        close()
        for stream in clients + servers { stream.close() }
        let closed = loop.census()
        #expect(
          closed.listeners == 0 && closed.opened == [.closing: 5]
            && closed.accepted == [.closing: 4])
        for handle in others { handle.close() }
      }
    }
  }

  @Test func `Each task is counted at its place, the places with the most first`() async throws {
    try await withLoop { loop in
      let line = #line + 1
      let waiting = (0..<5).map { _ in loop.spawn { try? await loop.sleep(for: .untilCancelled).value } }
      try await loop.sleep(for: .milliseconds(20)).value
      let ready = (0..<3).map { _ in loop.spawn {} }
      let tasks = loop.census().tasks
      // The body of the run is one, too.
      #expect(tasks.map(\.count) == [5, 3, 1] && tasks.map(\.waiting) == [5, 0, 0])
      #expect(tasks.first?.place == "UVTests/CensusTests.swift:\(line)")
      #expect(tasks.first.map { $0.oldest >= .milliseconds(15) } == true)
      for task in waiting { task.cancel() }
      for task in ready { await task.value }
    }
  }

  @Test func `Places are as many as there are lines and files, however many there are`() async throws {
    try await withLoop { loop in
      var tasks: [LoopTask<Void, Never>] = []
      for line in UInt(1)...200 {
        for _ in 0..<line % 3 + 1 {
          tasks.append(
            loop.spawn(file: "Server/main.swift", line: line) {
              try? await loop.sleep(for: .untilCancelled).value
            })
        }
        if line % 10 == 0 {
          tasks.append(
            loop.spawn(file: "Server/other.swift", line: line) {
              try? await loop.sleep(for: .untilCancelled).value
            })
        }
      }
      let counts = loop.census().tasks.reduce(into: [:]) { $0[$1.place, default: 0] += $1.count }
      #expect(loop.census().tasks.count == 221 && counts.count == 221)
      for line in 1...200 {
        #expect(counts["Server/main.swift:\(line)"] == line % 3 + 1)
        #expect(counts["Server/other.swift:\(line)"] == (line % 10 == 0 ? 1 : nil))
      }
      for task in tasks { task.cancel() }
      for task in tasks { await task.value }
    }
  }
}
