#if Everything
import Testing
import UVTestSupport

@testable import UVHTTP

/// A pong answers the first ping that waits with its data, and those before it.
@Suite struct PongModelTests {
  private struct Round {
    var pings: [Bytes] = []
    var cancelled: Set<Int> = []
    var pongs: [Bytes] = []
  }

  /// The last pong of each answers what is left.
  private static let rounds: [Round] = {
    let draws = Draws(1)
    return (0..<40).map { _ in
      var round = Round()
      for number in 0...draws.draw(6) {
        if draws.draw(5) == 0 { round.cancelled.insert(number) }
        round.pings.append(round.cancelled.contains(number) ? "gone" : ["a", "b"][draws.draw(2)])
      }
      round.pongs = (0..<draws.draw(4)).map { _ in ["a", "b", "gone", "other"][draws.draw(4)] }
      round.pings.append("last")
      round.pongs.append("last")
      return round
    }
  }()

  @Test func `Each pong answers the pings up to the first one with its data`() async throws {
    try await withSocket { socket in
      for round in Self.rounds {
        var answered: [Int] = []
        for (number, data) in round.pings.enumerated() {
          let ping = socket.ping(data) { result in
            if case .success = result { answered.append(number) }
          }
          if round.cancelled.contains(number) { ping.cancel() }
        }
        var waiting = round.pings.indices.filter { !round.cancelled.contains($0) }
        var expected: [Int] = []
        for pong in round.pongs {
          #expect(try await socket.next().value == .text("\(pong)"))
          try await socket.loop.sleep(for: .zero).value
          if let last = waiting.firstIndex(where: { round.pings[$0] == pong }) {
            expected += waiting[...last]
            waiting.removeFirst(last + 1)
          }
          #expect(answered == expected, "\(round)")
          try await socket.send("seen").value
        }
      }
      #expect(try await socket.next().value == nil)
    } peer: { peer in
      for round in Self.rounds {
        for data in round.pings { #expect(try await peer.read() == Received(first: 0x89, payload: data)) }
        for pong in round.pongs {
          try await peer.send(frame(0x8a, pong), frame(0x81, pong))
          #expect(try await peer.read() == Received(first: 0x81, payload: "seen"))
        }
      }
      try await peer.close()
    }
  }
}
#endif
