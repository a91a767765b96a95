import Foundation
import Testing
import UVTLS
import UVTestSupport

/// How long a peer has for its handshake: what is written of it, and from when on it counts.
@Suite struct HandshakeTimeTests {
  private let certificates = Certificates.shared

  enum Way: CaseIterable {
    case listen, listenOver, connect, connectWithCallback, secure, secureWithCallback, secureServer
  }

  @Test(arguments: Way.allCases)
  func `A handshake has ten seconds unless the program says otherwise`(way: Way) async throws {
    let (server, client) = try (certificates.server(), certificates.client())
    try await withLoop { loop in
      let plain = try loop.tcp.listen(host: "127.0.0.1", port: 0)
      let port = Int(try plain.localAddress().port)
      var pending = PendingRequest()
      var close: [() -> Void] = [{ plain.close() }]
      let done: Completion<TLSConnection> = { #expect($0.error?.code == .cancelled) }
      let start = loop.clock.now
      switch way {
      case .listen, .listenOver:
        var listening = port
        if way == .listen {
          let listener = try loop.tls.listen(host: "127.0.0.1", port: 0, server)
          listening = Int(try listener.localAddress().port)
          listener.start { _ in }
          close.append { listener.close() }
        } else {
          let listener = try loop.tls.listen(over: plain, server)
          listener.start { _ in }
          close.append { withExtendedLifetime(listener) {} }
        }
        let peer = try await loop.tcp.connect(host: "127.0.0.1", port: listening).value
        try await loop.until { loop.statistics.accepted == 1 }
        close.append { peer.close() }
      case .connect, .connectWithCallback:
        pending =
          way == .connect
          ? loop.tls.connect(host: "127.0.0.1", port: port, client).start(done)
          : loop.tls.connect(host: "127.0.0.1", port: port, client, done)
        let peer = try await plain.accept().value
        #expect(try await peer.next().value?.isEmpty == false)
        close.append { peer.close() }
      case .secure, .secureWithCallback, .secureServer:
        let (near, far) = try loop.pipes.socketPair()
        let (context, host) = way == .secureServer ? (server, nil) : (client, "localhost")
        pending =
          way == .secure
          ? loop.tls.secure(near, context, host: host).start(done)
          : loop.tls.secure(near, context, host: host, done)
        close.append { far.close() }
      }
      // However late this is, it tells how much is left.
      let timers = loop.snapshot().timers.entries.map(\.dueIn)
      let least = Duration.seconds(10) - start.duration(to: loop.clock.now) - .milliseconds(2)
      #expect(timers.contains { least <= $0 && $0 <= .seconds(15) }, "\(timers)")
      pending.cancel()
      for end in close { end() }
    }
  }

  /// A callback that has kept the loop for a while.
  private struct Delay {
    /// The time when it was over, and the loop's own time meanwhile.
    let end, turn: LoopClock.Instant
    /// How many connections had been accepted before it.
    let accepted: Int
  }

  /// Has a callback keep the loop, and `body` done before it, so that the same turn finds what the peers have done.
  private static nonisolated(nonsending) func delay(
    _ loop: EventLoop, by time: Duration, _ body: () -> Void
  ) async throws -> Delay {
    let (near, far) = try loop.pipes.socketPair()
    var delay: Delay?
    far.next { _ in
      let accepted = loop.statistics.accepted
      let end = loop.clock.now.advanced(by: time)
      while loop.clock.now < end {}
      delay = Delay(end: loop.clock.now, turn: loop.now, accepted: accepted)
    }
    try await loop.settle()
    near.write("go") { _ in }
    body()
    try await loop.until { delay != nil }
    near.close()
    far.close()
    return delay!
  }

  @Test func `A peer's time counts from when it is accepted, however late the loop is then`() async throws {
    let server = try certificates.server()
    try await withLoop { loop in
      let listener = try loop.tls.listen(host: "127.0.0.1", port: 0, server, handshakeTimeout: .seconds(500))
      listener.start { _ in }
      let address = try listener.localAddress()
      var peer: TCPConnection?
      let delay = try await Self.delay(loop, by: .milliseconds(300)) {
        loop.tcp.connect(to: address) { peer = $0.value }
      }
      try await loop.until { loop.statistics.accepted == 1 && peer != nil }
      let timers = loop.snapshot().timers.entries.map(\.dueIn)
      let now = loop.clock.now
      // Unless the system has shown the peer before the delay, its time has begun after that.
      if delay.accepted == 0 {
        let least = delay.end.advanced(by: .seconds(500))
        #expect(timers.contains { now.advanced(by: $0 + .milliseconds(1)) >= least }, "\(timers)")
      }
      listener.close()
      peer?.close()
    }
  }

  @Test func `A handshake that has begun in a turn doesn't give way in it, however long that turn is`()
    async throws
  {
    let (server, client) = try (certificates.server(), certificates.client())
    try await withLoop { loop in
      var failures: [LoopClock.Instant] = []
      let listener = try loop.tls.listen(
        host: "127.0.0.1", port: 0, server, handshakeTimeout: .seconds(500), handshakeLimit: 1,
        onHandshakeFailure: { _ in failures.append(loop.now) })
      listener.start { _ in }
      let hello = try await firstMessage(loop, client)
      var peers: [TCPConnection] = []
      for _ in 0..<2 { peers.append(try await loop.tcp.connect(to: listener.localAddress()).value) }
      try await loop.until { loop.statistics.accepted == 2 }
      let delay = try await Self.delay(loop, by: .milliseconds(1200)) {
        for peer in peers { peer.write(hello) { _ in } }
      }
      #expect(!failures.contains(delay.turn))
      listener.close()
      for peer in peers { peer.close() }
    }
  }

  @Test func `A shutdown leaves a handshake that is under way a second`() async throws {
    let (server, client) = try (certificates.server(), certificates.client())
    try await withLoop { loop in
      let failures = Log<UVError.Code>()
      let listener = try loop.tls.listen(
        host: "127.0.0.1", port: 0, server, handshakeTimeout: .seconds(500),
        onHandshakeFailure: { failures.append($0.code) })
      listener.start { _ in }
      let hello = try await firstMessage(loop, client)
      let peer = try await loop.tcp.connect(to: listener.localAddress()).value
      try await peer.write(hello).value
      // The server's answer: its handshake waits for the client.
      #expect(try await peer.next().value?.isEmpty == false)
      let ending = loop.spawn { () async throws(UVError) in
        try await loop.shutdownGracefully(within: .seconds(400)).value
      }
      try await loop.settle()
      let timers = loop.snapshot().timers.entries.map(\.dueIn)
      #expect(failures.values == [.timedOut] || timers.contains { $0 <= .seconds(5) }, "\(timers)")
      // It ends by itself, long before the shutdown's limit.
      peer.start { result in if case .success(nil) = result { peer.close() } }
      _ = try await ending.value
      #expect(failures.values == [.timedOut])
      peer.close()
      listener.close()
    }
  }
}
