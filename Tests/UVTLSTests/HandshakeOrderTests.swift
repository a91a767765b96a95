import Testing
import UVTLS
import UVTestSupport

/// Peers that wait for their handshake end each at its own time, whatever they have sent, and in whatever order.
@Suite struct HandshakeOrderTests {
  /// Between the peers.
  private static let gap = Duration.milliseconds(200)
  /// How often those that wait for a place are looked at.
  private static let beat = Duration.milliseconds(100)

  /// Peers of one listener that have a place for one handshake between them. The last one takes it, and keeps it.
  private final class Round {
    let order: [Int]
    let listener: TLSListener
    var peers: [TCPConnection] = []
    /// When each was accepted, and when it saw its end.
    var accepted: [(least: LoopClock.Instant, most: LoopClock.Instant)] = []
    var ends: [Int: LoopClock.Instant] = [:]
    var codes: [UVError.Code] = []

    init(_ loop: EventLoop, _ context: TLSContext, _ timeout: Duration, _ order: [Int]) throws {
      self.order = order
      let failures = Failures()
      listener = try loop.tls.listen(
        host: "127.0.0.1", port: 0, context, handshakeTimeout: timeout, handshakeLimit: 1,
        onHandshakeFailure: { failures.note($0.code) })
      failures.note = { [weak self] in self?.codes.append($0) }
      listener.start { _ in }
    }

    nonisolated(nonsending) func connect(_ loop: EventLoop) async throws {
      let number = peers.count
      let (before, begun) = (loop.statistics.accepted, loop.clock.now)
      let peer = try await loop.tcp.connect(to: listener.localAddress()).value
      try await loop.until { loop.statistics.accepted > before }
      peers.append(peer)
      accepted.append((begun, loop.clock.now))
      peer.start { [weak self] result in
        guard let self, result.value.flatMap({ $0 }) == nil else { return }
        ends[number] = ends[number] ?? loop.clock.now
      }
    }
  }

  private final class Failures {
    var note: (UVError.Code) -> Void = { _ in }
  }

  /// All orders of some of three peers; the others say nothing.
  private static var orders: [[Int]] {
    var all: [[Int]] = [[]]
    for _ in 0..<3 {
      all += all.flatMap { order in (0..<3).filter { !order.contains($0) }.map { order + [$0] } }
    }
    return Set(all).sorted { $0.lexicographicallyPrecedes($1) }
  }

  @Test func `Each is ended at its own deadline, also behind others that spoke earlier and have more time`()
    async throws
  {
    let client = try Certificates.shared.client()
    // The choice never ends, so that the handshake neither goes on nor gives way.
    let context = try TLSContext.server(choosing: { loop, _ in
      Request(loop) { done in
        loop.sleep(for: .untilCancelled) { if let error = $0.error { done(.failure(error)) } }
      }
    })
    try await withLoop { loop in
      let hello = try await firstMessage(loop, client)
      // On a machine that is so busy that the first has no time any more when the last has spoken, once more with more time.
      for timeout in [1200, 5000, 20_000] {
        if try await Self.didEnd(in: .milliseconds(timeout), loop, context, hello) { return }
      }
      Issue.record("too late each time")
    }
  }

  /// Looks at all orders; false if the peers were too slow.
  private static nonisolated(nonsending) func didEnd(
    in timeout: Duration, _ loop: EventLoop, _ context: TLSContext, _ hello: Bytes
  ) async throws -> Bool {
    let rounds = try orders.map { try Round(loop, context, timeout, $0) }
    #expect(rounds.count == 16)
    defer {
      for round in rounds {
        round.listener.close()
        for peer in round.peers { peer.close() }
      }
    }
    let begun = loop.clock.now
    for _ in 0..<3 {
      for round in rounds { try await round.connect(loop) }
      try await loop.sleep(for: gap).value
    }
    for round in rounds {
      try await round.connect(loop)
      try await round.peers[3].write(hello).value
    }
    try await loop.settle()
    for place in 0..<3 {
      for round in rounds where place < round.order.count {
        // What it is doesn't matter; it isn't read before its turn.
        round.peers[round.order[place]].write(place == 1 ? Bytes(hello[..<1]) : hello) { _ in }
      }
      try await loop.settle()
    }
    if begun.duration(to: loop.clock.now) >= timeout { return false }
    #expect(rounds.allSatisfy { $0.codes.isEmpty })
    // How late the loop is at most.
    var late = Duration.zero
    while rounds.contains(where: { $0.ends.count < 4 }), begun.duration(to: loop.clock.now) < timeout * 3 {
      let before = loop.clock.now
      try await loop.sleep(for: .milliseconds(5)).value
      late = max(late, before.duration(to: loop.clock.now))
    }
    for round in rounds {
      // The last one's place would be another's if that were looked at too late.
      #expect(late > beat / 2 || round.codes == Array(repeating: .timedOut, count: 4), "\(round.order)")
      for number in 0..<4 {
        let end = try #require(round.ends[number], "\(number) of \(round.order)")
        let delay = round.accepted[number].most.advanced(by: timeout).duration(to: end)
        #expect(delay < beat + late * 3 + .milliseconds(20), "\(number) of \(round.order)")
        // None is ended before its time.
        #expect(round.accepted[number].least.advanced(by: timeout) <= end.advanced(by: .milliseconds(2)))
      }
    }
    return true
  }
}
