import Testing
import UV
import UVTestSupport

/// A peer that does its part in each turn of the loop, also in the last chance that it has when a time has passed: it is never
/// silent, and all the same it has no more than the whole time.
@Suite struct SteadyPeerTests {
  /// How the program reads. Two of them wait for a frame that never comes.
  enum Reader: CaseIterable {
    case handler, requests, exactly, into, line, skip, iteration, longLine, rest

    /// Reads until something fails.
    func begin(_ server: ByteStream, _ failed: @escaping (UVError) -> Void) {
      let again: (UVError?) -> Void = { error in
        if let error { failed(error) } else { begin(server, failed) }
      }
      switch self {
      case .handler: server.start { if let error = $0.error { failed(error) } }
      case .requests: server.next { again($0.error) }
      case .exactly: server.read(exactly: 3) { again($0.error) }
      case .into:
        let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: 1, alignment: 1)
        server.read(into: memory) {
          memory.deallocate()
          again($0.error)
        }
      case .line: server.readLine(limit: 100) { again($0.error) }
      case .skip: server.skip(until: "\n", limit: 100) { again($0.error) }
      case .iteration:
        server.loop.spawn {
          do throws(UVError) { for try await _ in server {} } catch { failed(error) }
        }
      case .longLine: server.read(until: "!", limit: 1 << 20) { again($0.error) }
      case .rest: server.readToEnd(limit: 1 << 20) { again($0.error) }
      }
    }
  }

  /// The timeouts that a stream has. The short ones may pass.
  enum Limits: CaseIterable {
    case total, totalWithRead, totalWithIdle, totalWithShortOnes, read, idle, write

    var hasTotal: Bool { ![.read, .idle, .write].contains(self) }

    func set(on stream: ByteStream) {
      let (short, long) = (Duration.milliseconds(10), Duration.seconds(1000))
      switch self {
      case .total: break
      case .totalWithRead: stream.readTimeout = long
      case .totalWithIdle: stream.idleTimeout = long
      case .totalWithShortOnes:
        stream.readTimeout = short
        stream.writeTimeout = short
        stream.idleTimeout = short
      case .read: stream.readTimeout = short
      case .idle: stream.idleTimeout = short
      case .write: stream.writeTimeout = short
      }
      if hasTotal { stream.totalTimeout = .milliseconds(15) }
    }
  }

  /// Does something in each turn of a loop, as long as it says so.
  private func eachTurn(_ loop: EventLoop, _ step: @escaping () -> Bool) {
    guard step() else { return }
    loop.sleep(for: .zero) { _ in eachTurn(loop, step) }
  }

  @Test(
    "A peer that sends in each turn is read until the total has passed, and isn't silent before",
    arguments: Limits.allCases.filter { $0 != .write })
  func sends(limits: Limits) async throws {
    for reader in Reader.allCases {
      try await withPair { loop, client, server in
        var error: UVError?
        var isOver = false
        limits.set(on: server)
        reader.begin(server) { if error == nil { error = $0 } }
        self.eachTurn(loop) {
          if !isOver { client.write("x\n") { _ in } }
          return !isOver
        }
        if limits.hasTotal {
          try await loop.until { error != nil }
          #expect(
            error?.code == .timedOut && error?.subject?.contains("totalTimeout") == true,
            "\(limits), \(reader)")
        } else {
          // Twice as long as it may be silent.
          try await loop.sleep(for: .milliseconds(20)).value
          #expect(error == nil, "\(reader)")
        }
        isOver = true
        #expect(!server.isClosing)
      }
    }
  }

  @Test(
    "A peer that takes something in each turn is written to until the total has passed, and is no longer silent",
    arguments: Limits.allCases.filter { $0 != .read })
  func takes(limits: Limits) async throws {
    try await withPair { loop, client, server in
      var error: UVError?
      var isOver = false
      try server.setSendBufferSize(32768)
      try client.setReceiveBufferSize(32768)
      let much = Bytes(repeating: 1, count: 16 << 20)
      func write() {
        server.write(much) { if let failure = $0.error { error = failure } else { write() } }
      }
      write()
      limits.set(on: server)
      self.eachTurn(loop) {
        if !isOver { client.next { _ in } }
        return !isOver
      }
      if limits.hasTotal {
        try await loop.until { error != nil }
        #expect(error?.code == .timedOut && error?.subject?.contains("totalTimeout") == true)
        #expect(server.isClosing)
      } else {
        try await loop.sleep(for: .milliseconds(30)).value
        #expect(error == nil && server.writeQueueSize > 0)
        server.closeReset()
      }
      isOver = true
    }
  }
}
