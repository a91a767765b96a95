import Testing
import UVTLS
import UVTestSupport

/// Peers that hold places at a listener without doing their part. Nobody waits for a deadline here: it is far
/// away.
@Suite struct SilentPeerTests {
  private let certificates = Certificates.shared

  /// A listener that welcomes everybody.
  private static func listen(
    _ loop: EventLoop, handshakes: Int, silent: Int, _ failures: Log<UVError.Code>,
    onThreadPool: Bool = false,
    timeout: Duration = .seconds(1000)
  ) throws -> TLSListener {
    var options = TLSOptions()
    options.handshakesOnThreadPool = onThreadPool
    let listener = try loop.tls.listen(
      host: "127.0.0.1", port: 0, Certificates.shared.server(options: options), handshakeTimeout: timeout,
      handshakeLimit: handshakes, silentLimit: silent, onHandshakeFailure: { failures.append($0.code) })
    listener.start { result in
      guard case .success(let connection?) = result else { return }
      connection.write("welcome") { _ in connection.close() }
    }
    return listener
  }

  /// A connection whose peer has been accepted, and has sent `bytes`.
  private static nonisolated(nonsending) func connect(
    _ loop: EventLoop, _ listener: TLSListener, sending bytes: Bytes = ""
  ) async throws -> TCPConnection {
    let before = loop.statistics.accepted
    let connection = try await loop.tcp.connect(to: listener.localAddress()).value
    while loop.statistics.accepted == before { try await loop.sleep(for: .zero).value }
    if !bytes.isEmpty { try await connection.write(bytes).value }
    return connection
  }

  private static nonisolated(nonsending) func expectWelcome(
    _ loop: EventLoop, _ listener: TLSListener, _ client: TLSContext
  ) async throws {
    let connection = try await loop.tls.connect(
      host: "127.0.0.1", port: Int(listener.localAddress().port), client
    ).value
    #expect(try await connection.next().value == "welcome")
    connection.close()
  }

  @Test("Peers that have sent nothing take no places of handshakes", arguments: [false, true])
  func silent(onThreadPool: Bool) async throws {
    let client = try certificates.client()
    try await withLoop { loop in
      let failures = Log<UVError.Code>()
      let listener = try Self.listen(loop, handshakes: 1, silent: 50, failures, onThreadPool: onThreadPool)
      var silent: [TCPConnection] = []
      for _ in 0..<40 { silent.append(try await Self.connect(loop, listener)) }
      for _ in 0..<3 { try await Self.expectWelcome(loop, listener, client) }
      #expect(failures.values == [])
      // The silent ones are as welcome once they speak.
      let late = try await loop.tls.secure(silent[7], client, host: "localhost").value
      #expect(try await late.next().value == "welcome")
      late.close()
      // A peer that leaves is reported, like one whose handshake has begun.
      try await silent[8].close().value
      while failures.values.isEmpty { try await loop.sleep(for: .zero).value }
      #expect(failures.values == [.tlsTruncated])
      listener.close()
      for connection in silent { connection.close() }
    }
  }

  @Test(
    "Where one may be silent, another that comes in the same moment takes its place, and is not turned away")
  func one() async throws {
    let client = try certificates.client()
    try await withLoop { loop in
      let failures = Log<UVError.Code>()
      let listener = try loop.tls.listen(
        host: "127.0.0.1", port: 0, Certificates.shared.server(), silentLimit: 1,
        onHandshakeFailure: { failures.append($0.code) })
      // Both wait in the system, so that they are accepted together.
      let silent = try await loop.tcp.connect(to: listener.localAddress()).value
      let plain = try await loop.tcp.connect(to: listener.localAddress()).value
      let accepted = loop.spawn { () async throws(UVError) in try await listener.next().value }
      let connection = try await loop.tls.secure(plain, client, host: "localhost").value
      #expect(failures.values == [.connectionAborted])
      try await accepted.value?.close().value
      connection.close()
      listener.close()
      silent.close()
    }
  }

  @Test func `The one that has been silent for the longest time makes room for another`() async throws {
    let client = try certificates.client()
    try await withLoop { loop in
      let failures = Log<UVError.Code>()
      let listener = try Self.listen(loop, handshakes: 1, silent: 3, failures)
      var silent: [TCPConnection] = []
      for _ in 0..<5 { silent.append(try await Self.connect(loop, listener)) }
      #expect(failures.values == [.connectionAborted, .connectionAborted])
      for connection in silent[..<2] { #expect(try await connection.next().value == nil) }
      try await Self.expectWelcome(loop, listener, client)
      #expect(failures.values.count == 3)
      let late = try await loop.tls.secure(silent[4], client, host: "localhost").value
      #expect(try await late.next().value == "welcome")
      late.close()
      listener.close()
      for connection in silent { connection.close() }
    }
  }

  @Test("A peer that has sent a part of its first message gives its place to one that waits")
  func partOfAMessage() async throws {
    let client = try certificates.client()
    try await withLoop { loop in
      let failures = Log<UVError.Code>()
      let listener = try Self.listen(loop, handshakes: 2, silent: 50, failures)
      let hello = try await firstMessage(loop, client)
      var slow: [TCPConnection] = []
      // Each takes the place of one before it.
      for count in [1, 5, hello.count - 1, 1] {
        slow.append(try await Self.connect(loop, listener, sending: Bytes(hello.prefix(count))))
      }
      while failures.values.count < 2 { try await loop.sleep(for: .zero).value }
      for _ in 0..<3 { try await Self.expectWelcome(loop, listener, client) }
      // Only the first needed a place; the others found it free.
      #expect(failures.values == Array(repeating: .connectionAborted, count: 3))
      listener.close()
      for connection in slow { connection.close() }
    }
  }

  @Test(
    "No more handshakes are under way than the limit says; one that gets nowhere gives way after a second")
  func stalled() async throws {
    let client = try certificates.client()
    try await withLoop { loop in
      let failures = Log<UVError.Code>()
      let listener = try Self.listen(loop, handshakes: 2, silent: 50, failures)
      let hello = try await firstMessage(loop, client)
      let stalled = try await [
        Self.connect(loop, listener, sending: hello), Self.connect(loop, listener, sending: hello),
      ]
      for connection in stalled { #expect(try await connection.next().value != nil) }
      // Those who wait have a peer that leaves among them.
      let waiting = try await Self.connect(loop, listener, sending: hello)
      try await waiting.close().value
      try await Self.expectWelcome(loop, listener, client)
      #expect(failures.values.first == .connectionAborted)
      listener.close()
      for connection in stalled { connection.close() }
    }
  }

  @Test func `The deadline counts from the beginning, whatever a peer sends`() async throws {
    let client = try certificates.client()
    try await withLoop { loop in
      let failures = Log<UVError.Code>()
      let listener = try Self.listen(loop, handshakes: 1, silent: 1, failures, timeout: .milliseconds(100))
      let hello = try await firstMessage(loop, client)
      let slow = try await Self.connect(loop, listener)
      for byte in hello where failures.values.isEmpty {
        slow.write(Bytes([byte])) { _ in }
        try await loop.sleep(for: .milliseconds(2)).value
      }
      #expect(failures.values == [.timedOut])
      slow.close()
      listener.close()
    }
  }

  @Test("A listener that closes ends its waiters, and says nothing of them", arguments: [false, true])
  func close(byShutdown: Bool) async throws {
    let client = try certificates.client()
    try await withLoop { loop in
      let failures = Log<UVError.Code>()
      let listener = try Self.listen(loop, handshakes: 1, silent: 10, failures)
      let hello = try await firstMessage(loop, client)
      var peers: [TCPConnection] = []
      for bytes in ["", hello, hello, ""] as [Bytes] {
        peers.append(try await Self.connect(loop, listener, sending: bytes))
      }
      #expect(try await peers[1].next().value != nil)
      if byShutdown {
        let rest = try await loop.shutdownGracefully(within: .milliseconds(5)).value
        #expect(rest.count == 4)
        #expect(failures.values == Array(repeating: .cancelled, count: 4))
      } else {
        listener.close()
        while loop.openConnectionCount > 0 { try await loop.sleep(for: .zero).value }
        #expect(failures.values == [])
      }
      for connection in peers { connection.close() }
    }
  }

  @Test(
    "A program may close the listener when it hears of a failure, whichever peers wait there",
    arguments: [1, 3], 1...5)
  func closeAtFailure(handshakes: Int, number: Int) async throws {
    let client = try certificates.client()
    try await withLoop { loop in
      var listener: TLSListener?
      let failures = Log<UVError.Code>()
      listener = try loop.tls.listen(
        host: "127.0.0.1", port: 0, Certificates.shared.server(), handshakeTimeout: .seconds(1000),
        handshakeLimit: handshakes, silentLimit: 10,
        onHandshakeFailure: {
          failures.append($0.code)
          if failures.values.count == number { listener?.close() }
        })
      listener!.start { _ in }
      let hello = try await firstMessage(loop, client)
      var peers: [TCPConnection] = []
      for bytes in [hello, hello, hello, hello, "", ""] as [Bytes] {
        peers.append(try await Self.connect(loop, listener!, sending: bytes))
      }
      #expect(try await peers[0].next().value != nil)
      _ = try await loop.shutdownGracefully(within: .milliseconds(5)).value
      // After that it hears no more.
      #expect(failures.values == Array(repeating: .cancelled, count: number))
      for connection in peers { connection.close() }
    }
  }
}
