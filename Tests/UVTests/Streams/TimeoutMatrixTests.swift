import Testing
import UV
import UVTestSupport

/// Each timeout against each thing that may go on meanwhile: what renews its time, whom it ends, and what other timeouts that
/// never pass change of that, which is nothing.
@Suite struct TimeoutMatrixTests {
  enum Kind: String, CaseIterable {
    case read, write, idle, total

    func set(_ duration: Duration?, on stream: ByteStream) {
      switch self {
      case .read: stream.readTimeout = duration
      case .write: stream.writeTimeout = duration
      case .idle: stream.idleTimeout = duration
      case .total: stream.totalTimeout = duration
      }
    }
  }

  /// What goes on: whether somebody reads, whether a write waits, and what the peer does now and then.
  struct Situation: Hashable {
    let reads: Bool
    let writes: Bool
    let bytesCome: Bool
    /// The peer takes what is written. Where nothing waits, the program writes now and then.
    let bytesLeave: Bool

    static let all = [false, true].flatMap { reads in
      [false, true].flatMap { writes in
        [false, true].flatMap { come in
          [false, true].map { Situation(reads: reads, writes: writes, bytesCome: come, bytesLeave: $0) }
        }
      }
    }

    /// What a timeout ends.
    func end(by kind: Kind) -> End {
      let everybody = writes ? End.stream : reads ? .reader : .nobody
      return switch kind {
      case .read: reads && !bytesCome ? .reader : .nobody
      case .write: writes && !bytesLeave ? .stream : .nobody
      // Bytes that come are seen if somebody reads them.
      case .idle: bytesLeave || bytesCome && reads ? .nobody : everybody
      case .total: everybody
      }
    }
  }

  enum End: String { case nobody, reader, stream }

  private static let limit = Duration.milliseconds(400)

  /// Has one timeout pass, or not, and says what it has ended.
  private nonisolated(nonsending) static func ended(
    _ kind: Kind, _ situation: Situation, hasOthers: Bool, _ client: TCPConnection, _ server: TCPConnection,
    _ much: Bytes
  ) async throws(UVError) -> (end: End, names: Set<String>) {
    // What the peer takes is soon seen here.
    try server.setSendBufferSize(32768)
    try client.setReceiveBufferSize(32768)
    var names: Set<String> = []
    var hasReaderEnded = false
    if situation.writes {
      server.write(much) { if let error = $0.error { names.insert(error.subject ?? error.name) } }
      server.write("more") { _ in }
    }
    if hasOthers { for other in Kind.allCases where other != kind { other.set(.seconds(1000), on: server) } }
    kind.set(limit, on: server)
    if situation.reads {
      server.start { result in
        guard let error = result.error else { return }
        hasReaderEnded = true
        names.insert(error.subject ?? error.name)
      }
    }
    for _ in 0..<24 {
      if situation.bytesCome { client.write("x") { _ in } }
      if situation.bytesLeave {
        if !situation.writes, !server.isClosing { server.write("y") { _ in } }
        client.next { _ in }
      }
      try await server.loop.sleep(for: .milliseconds(40)).value
      if hasReaderEnded || server.isClosing { break }
    }
    let end: End = server.isClosing ? .stream : hasReaderEnded ? .reader : .nobody
    if !server.isClosing, situation.reads { server.stop() }
    server.closeReset()
    client.closeReset()
    return (end, names)
  }

  @Test("Each timeout passes if what it waits for doesn't happen, and only then", arguments: [false, true])
  func matrix(hasOthers: Bool) async throws {
    try await withLoop { loop in
      let listener = try loop.tcp.listen(host: "127.0.0.1", port: 0)
      let much = Bytes(repeating: 1, count: 16 << 20)
      var cases: [(Kind, Situation, client: TCPConnection, server: TCPConnection)] = []
      for kind in Kind.allCases {
        for situation in Situation.all {
          let client = try await loop.tcp.connect(to: listener.localAddress()).value
          cases.append((kind, situation, client, try await listener.accept().value))
        }
      }
      listener.close()
      var wrong: [String] = []
      // All at once: each takes a second.
      try await loop.withTasks { tasks in
        for (kind, situation, client, server) in cases {
          tasks.spawn {
            let (end, names) = try await Self.ended(
              kind, situation, hasOthers: hasOthers, client, server, much)
            let expected = situation.end(by: kind)
            if end != expected { wrong.append("\(kind), \(situation): \(end) ended instead of \(expected)") }
            if end != .nobody, names != ["within the \(kind.rawValue)Timeout of \(Self.limit)"] {
              wrong.append("\(kind), \(situation): \(names)")
            }
          }
        }
      }
      #expect(wrong == [])
    }
  }
}
