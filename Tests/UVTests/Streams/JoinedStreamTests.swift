import Testing
import UV
import UVTestSupport

/// Two streams that are joined, in each way in which that can end. A peer that can't have got the whole is reset, and no other.
@Suite struct JoinedStreamTests {
  /// The outer ends of a tunnel, and the inner ones.
  private struct Tunnel {
    let client: TCPConnection
    let accepted: TCPConnection
    let made: TCPConnection
    let server: TCPConnection
  }

  private func withTunnel(
    _ body: nonisolated(nonsending) @escaping @Sendable (EventLoop, Tunnel) async throws -> Void
  ) async throws {
    try await withLoop { loop in
      let front = try loop.tcp.listen(host: "127.0.0.1", port: 0)
      let back = try loop.tcp.listen(host: "127.0.0.1", port: 0)
      let client = try await loop.tcp.connect(to: front.localAddress()).value
      let accepted = try await front.accept().value
      let made = try await loop.tcp.connect(to: back.localAddress()).value
      let server = try await back.accept().value
      let tunnel = Tunnel(client: client, accepted: accepted, made: made, server: server)
      try await body(loop, tunnel)
      for stream in [client, accepted, made, server] { stream.close() }
      front.close()
      back.close()
    }
  }

  enum End: CaseIterable {
    case bothEnd, clientEndsFirst, serverEndsFirst, clientResets, serverResets, cancelled, idle, total,
      readTimeout, silence,
      cutOffAtOnce

    var code: UVError.Code? {
      switch self {
      case .bothEnd, .clientEndsFirst, .serverEndsFirst, .silence: nil
      case .clientResets, .serverResets: .connectionReset
      case .cancelled: .cancelled
      case .idle, .total, .readTimeout: .timedOut
      case .cutOffAtOnce: .cancelled
      }
    }

    var isClean: Bool { [.bothEnd, .clientEndsFirst, .serverEndsFirst].contains(self) }
  }

  /// What a peer reads at the end: the end, or an error.
  private nonisolated(nonsending) func lastRead(_ peer: TCPConnection) async -> String {
    var outcome = "bytes"
    while outcome == "bytes" {
      do throws(UVError) { outcome = try await peer.next().value == nil ? "end" : "bytes" } catch {
        outcome = error.name
      }
    }
    return outcome
  }

  @Test(
    "Peers read the end after a whole conversation, and a reset after any other", arguments: End.allCases,
    [false, true])
  func ends(end: End, isOther: Bool) async throws {
    try await withTunnel { loop, tunnel in
      let log = Log<String>()
      // Either may be the one that joins the other.
      let (one, other) = isOther ? (tunnel.made, tunnel.accepted) : (tunnel.accepted, tunnel.made)
      switch end {
      case .idle: one.idleTimeout = .milliseconds(60)
      case .total: one.totalTimeout = .milliseconds(60)
      case .readTimeout: other.readTimeout = .milliseconds(60)
      default: break
      }
      let pending = one.join(other, lastSilence: .milliseconds(50)) { log.append($0.error?.name ?? "ok") }
      try await tunnel.client.write("question").value
      #expect(try await tunnel.server.read(exactly: 8).value == "question")
      try await tunnel.server.write("answer").value
      #expect(try await tunnel.client.read(exactly: 6).value == "answer")
      switch end {
      case .bothEnd, .clientEndsFirst:
        try await tunnel.client.shutdown().value
        if end == .clientEndsFirst {
          #expect(await lastRead(tunnel.server) == "end")
          // The other direction goes on.
          try await tunnel.server.write("late").value
          #expect(try await tunnel.client.read(exactly: 4).value == "late")
          #expect(log.values == [])
        }
        try await tunnel.server.shutdown().value
      case .serverEndsFirst:
        try await tunnel.server.shutdown().value
        #expect(await lastRead(tunnel.client) == "end")
        try await tunnel.client.write("late").value
        #expect(try await tunnel.server.read(exactly: 4).value == "late")
        #expect(log.values == [])
        try await tunnel.client.shutdown().value
      case .clientResets: tunnel.client.closeReset()
      case .serverResets: tunnel.server.closeReset()
      case .cancelled: pending.cancel()
      case .idle, .total, .readTimeout: break
      case .silence: loop.shutdownGracefully(within: .seconds(1000)) { _ in }
      case .cutOffAtOnce: loop.shutdownGracefully(within: .zero) { _ in }
      }
      try await loop.until { !log.values.isEmpty }
      pending.cancel()
      let codes = end.code.map { [$0.name] } ?? ["ok"]
      // The loop has cut off the peer, too.
      #expect(codes == log.values || end == .cutOffAtOnce && log.values == ["ECONNRESET"])
      #expect(tunnel.accepted.isClosing && tunnel.made.isClosing)
      let expected = end.isClean ? "end" : "ECONNRESET"
      if end != .clientResets { #expect(await lastRead(tunnel.client) == expected, "the client") }
      // It was accepted by this loop, too.
      if end != .serverResets, end != .cutOffAtOnce {
        #expect(await lastRead(tunnel.server) == expected, "the server")
      }
      #expect(log.values.count == 1)
    }
  }

  /// A timeout that doesn't pass, and when it is set: before the two are joined, or afterwards.
  enum Patience: CaseIterable {
    case none, read, write, idle, total, idleLater, totalLater

    func set(on streams: [ByteStream], isLater: Bool) {
      for stream in streams {
        switch self {
        case .read where !isLater: stream.readTimeout = .seconds(1000)
        case .write where !isLater: stream.writeTimeout = .seconds(1000)
        case .idle where !isLater, .idleLater where isLater: stream.idleTimeout = .seconds(1000)
        case .total where !isLater, .totalLater where isLater: stream.totalTimeout = .seconds(1000)
        default: break
        }
      }
    }
  }

  @Test(
    "At the end of the service a tunnel ends after its last silence, however long it might be silent before",
    arguments: Patience.allCases, [false, true])
  func patient(patience: Patience, isOther: Bool) async throws {
    for patientOnes in [[0], [1], [0, 1]] {
      try await withTunnel { loop, tunnel in
        let log = Log<String>()
        let streams = isOther ? [tunnel.made, tunnel.accepted] : [tunnel.accepted, tunnel.made]
        patience.set(on: patientOnes.map { streams[$0] }, isLater: false)
        streams[0].join(streams[1], lastSilence: .milliseconds(2)) { log.append($0.error?.name ?? "ok") }
        patience.set(on: patientOnes.map { streams[$0] }, isLater: true)
        try await tunnel.client.write("question").value
        #expect(try await tunnel.server.read(exactly: 8).value == "question")
        let ending = Log<Int>()
        loop.shutdownGracefully(within: .seconds(1000)) { ending.append($0.value?.count ?? -1) }
        try await loop.until { !log.values.isEmpty }
        #expect(log.values == ["ok"], "\(patientOnes)")
        #expect(tunnel.accepted.isClosing && tunnel.made.isClosing)
        tunnel.server.close()
        try await loop.until { !ending.values.isEmpty }
        #expect(ending.values == [0], "\(patientOnes)")
      }
    }
  }

  @Test("What had been read ahead of either stream passes first", arguments: [false, true])
  func readAhead(isOther: Bool) async throws {
    try await withTunnel { loop, tunnel in
      try await tunnel.client.write("head\nahead, ").value
      try await tunnel.server.write("HEAD\nAHEAD, ").value
      #expect(try await tunnel.accepted.readLine(limit: 9).value == "head")
      #expect(try await tunnel.made.readLine(limit: 9).value == "HEAD")
      let (one, other) = isOther ? (tunnel.made, tunnel.accepted) : (tunnel.accepted, tunnel.made)
      let joining = loop.spawn { () async throws(UVError) in try await one.join(other).value }
      try await tunnel.client.write("later").value
      try await tunnel.server.write("LATER").value
      try await tunnel.client.shutdown().value
      try await tunnel.server.shutdown().value
      #expect(try await tunnel.server.readToEnd(limit: 99).value == "ahead, later")
      #expect(try await tunnel.client.readToEnd(limit: 99).value == "AHEAD, LATER")
      try await joining.value
    }
  }

  @Test("The timeouts of the one that joins hold for the other, which keeps its own if there are none")
  func timeouts() async throws {
    try await withTunnel { loop, tunnel in
      tunnel.made.idleTimeout = .seconds(7)
      tunnel.made.totalTimeout = .seconds(8)
      var pending = tunnel.accepted.join(tunnel.made) { _ in }
      #expect(tunnel.made.idleTimeout == .seconds(7) && tunnel.made.totalTimeout == .seconds(8))
      #expect(tunnel.accepted.idleTimeout == nil && tunnel.accepted.totalTimeout == nil)
      pending.cancel()
      let (near, far) = try loop.pipes.socketPair()
      let (nearToo, farToo) = try loop.pipes.socketPair()
      near.idleTimeout = .seconds(5)
      near.totalTimeout = .seconds(6)
      nearToo.idleTimeout = .seconds(7)
      nearToo.totalTimeout = .seconds(8)
      pending = near.join(nearToo) { _ in }
      #expect(nearToo.idleTimeout == .seconds(5) && nearToo.totalTimeout == .seconds(6))
      pending.cancel()
      try await loop.settle()
      #expect(near.isClosing && nearToo.isClosing)
      far.close()
      farToo.close()
    }
  }

  @Test("A side that doesn't read has the other one wait, and gets all in the end", arguments: [false, true])
  func slow(fromClient: Bool) async throws {
    try await withTunnel { loop, tunnel in
      let joining = loop.spawn { () async throws(UVError) in try await tunnel.accepted.join(tunnel.made).value
      }
      let (sender, taker) = fromClient ? (tunnel.client, tunnel.server) : (tunnel.server, tunnel.client)
      let much = Bytes(repeating: 7, count: 48 << 20)
      var isWritten = false
      sender.write(much) { _ in isWritten = true }
      try await loop.settle()
      try await loop.settle()
      // One chunk of each direction is in memory.
      #expect(
        !isWritten && tunnel.made.writeQueueSize <= 1 << 17 && tunnel.accepted.writeQueueSize <= 1 << 17)
      // The other direction isn't held up.
      try await taker.write("still here").value
      #expect(try await sender.read(exactly: 10).value == "still here")
      #expect(try await taker.read(exactly: much.count).value == much)
      try await sender.shutdown().value
      try await taker.shutdown().value
      try await joining.value
    }
  }
}
