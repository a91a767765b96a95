import Testing
import UV
import UVTestSupport

/// Connecting to any of several addresses, each of which answers, refuses or hangs, in every order.
@Suite struct ConnectTableTests {
  enum Kind: Character, CaseIterable { case answers = "a", refuses = "r", hangs = "h" }

  /// Addresses of each kind, as many as a list may have.
  private final class Places {
    var open: [TCPListener] = []
    var closed: [SocketAddress] = []
    var full: TCPListener
    var waiting: [TCPConnection] = []

    init(_ loop: EventLoop, count: Int) throws {
      for _ in 0..<count {
        open.append(try loop.tcp.listen(host: "127.0.0.1", port: 0))
        let listener = try loop.tcp.listen(host: "127.0.0.1", port: 0)
        closed.append(try listener.localAddress())
        listener.close()
      }
      full = try loop.tcp.listen(host: "127.0.0.1", port: 0, backlog: 1)
    }

    /// Fills the queue of a listener that nobody asks, so that the system drops what comes after.
    nonisolated(nonsending) func fill() async throws {
      let address = try full.localAddress()
      while true {
        do throws(UVError) {
          waiting.append(
            try await full.loop.tcp.connect(to: address).timeout(after: .milliseconds(200)).value)
        } catch { return }
      }
    }

    func addresses(_ kinds: some Collection<Kind>) throws -> [SocketAddress] {
      try kinds.enumerated().map { number, kind in
        switch kind {
        case .answers: try open[number].localAddress()
        case .refuses: closed[number]
        case .hangs: try full.localAddress()
        }
      }
    }

    func close() {
      for listener in open + [full] { listener.close() }
      for connection in waiting { connection.close() }
    }
  }

  private static let lists: [[Kind]] = {
    let one = Kind.allCases.map { [$0] }
    let two = one.flatMap { list in Kind.allCases.map { list + [$0] } }
    return one + two + two.flatMap { list in Kind.allCases.map { list + [$0] } }
  }()

  @Test("The first that answers is connected, and a failure is reported once none is left") func table()
    async throws
  {
    try await withLoop { loop in
      let places = try Places(loop, count: 3)
      try await places.fill()
      for kinds in Self.lists {
        let name = String(kinds.map(\.rawValue))
        let addresses = try places.addresses(kinds)
        let handles = loop.statistics.handles
        let delays = ConnectDelays(attempt: .milliseconds(20))
        if let winner = kinds.firstIndex(of: .answers) {
          let connection = try await loop.tcp.connect(toAnyOf: addresses, delays: delays).value
          #expect(try connection.peerAddress() == addresses[winner], "\(name)")
          try await connection.close().value
        } else if kinds.contains(.hangs) {
          // It is waited for, whatever the others have said.
          let limit = delays.attempt * 5
          await expectError(
            .timedOut,
            of: try await loop.tcp.connect(toAnyOf: addresses, delays: delays).timeout(after: limit).value)
        } else {
          do throws(UVError) {
            _ = try await loop.tcp.connect(toAnyOf: addresses, delays: delays).value
            Issue.record("\(name): connected")
          } catch {
            #expect(error.code == .connectionRefused, "\(name)")
            for address in addresses where kinds.count > 1 {
              #expect(error.message.contains("\(address)"), "\(name)")
            }
          }
        }
        // All other sockets are closed.
        try await loop.until { loop.statistics.handles <= handles }
      }
      places.close()
    }
  }

  @Test(
    "A failure has the next address tried at once, also while others hang",
    arguments: ["hr", "rhr", "hrhr"])
  func atOnce(start: String) async throws {
    try await withLoop { loop in
      let places = try Places(loop, count: 20)
      try await places.fill()
      // The first hangs for its time; each refusal costs none.
      let kinds = start.map { Kind(rawValue: $0)! } + Array(repeating: .refuses, count: 12) + [.answers]
      let delay = Duration.milliseconds(200)
      let begin = LoopClock.Instant.now
      let connection = try await loop.tcp.connect(
        toAnyOf: places.addresses(kinds), delays: ConnectDelays(attempt: delay)
      ).value
      let took = begin.duration(to: .now)
      let hanging = kinds.filter { $0 == .hangs }.count
      #expect(took >= delay * hanging)
      #expect(took < delay * (hanging + 6), "\(took)")
      connection.close()
      places.close()
    }
  }

  @Test(
    "Each address has its time alone, which isn't shorter after a failure", arguments: ["rh", "rhh"])
  func aloneAfterFailure(start: String) async throws {
    try await withLoop { loop in
      let places = try Places(loop, count: 4)
      try await places.fill()
      let kinds = start.map { Kind(rawValue: $0)! } + [.answers]
      let delay = Duration.milliseconds(100)
      let begin = LoopClock.Instant.now
      let connection = try await loop.tcp.connect(
        toAnyOf: places.addresses(kinds), delays: ConnectDelays(attempt: delay)
      ).value
      #expect(begin.duration(to: .now) >= delay * kinds.filter { $0 == .hangs }.count)
      connection.close()
      places.close()
    }
  }
}
