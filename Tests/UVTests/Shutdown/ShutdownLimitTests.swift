import Foundation
import Testing
import UV
import UVTestSupport

/// The time that connections get in a shutdown that the program and signals ask for, in whatever order.
@Suite(.serialized) struct ShutdownLimitTests {
  /// Somebody asks.
  enum Asking: CaseIterable {
    /// The program, with a limit that passes, or with one that doesn't.
    case shortly, atLeisure
    case signal
  }

  private static let (short, long) = (Duration.milliseconds(40), Duration.seconds(1000))

  /// The time that is left after each: the shortest that somebody gives. The first signal gives its limit, and the next
  /// none.
  private static func limits(_ askings: [Asking], _ limit: Duration) -> [Duration] {
    var signals = 0
    return askings.map { asking in
      switch asking {
      case .shortly: return short
      case .atLeisure: return long
      case .signal:
        signals += 1
        return signals == 1 ? limit : .zero
      }
    }
  }

  @Test(
    "The shortest limit of a shutdown counts, that of the first signal from the signal on, and the next ends it",
    arguments: [false, true])
  func each(isShort: Bool) async throws {
    let limit = isShort ? Self.short : Self.long
    let one = Asking.allCases.map { [$0] }
    let two = one.flatMap { first in Asking.allCases.map { first + [$0] } }
    let three = two.map { $0 + [.signal] }
    for askings in one + two + three { try await check(askings, limit) }
  }

  private nonisolated(nonsending) func check(_ askings: [Asking], _ limit: Duration) async throws {
    try await withLoop { loop in
      let listener = try loop.tcp.listen(host: "127.0.0.1", port: 0)
      let client = try await loop.tcp.connect(to: listener.localAddress()).value
      let server = try await listener.accept().value
      // One that comes after the end would end the process. Two that come at once are one to the system.
      let keeper = try loop.signals(.user1)
      var signals = 0
      keeper.start { _ in signals += 1 }
      var end: (time: LoopClock.Instant, count: Int)?
      loop.shutdownGracefully(onSignals: [.user1], within: limit) {
        end = (loop.clock.now, $0.value?.count ?? -1)
      }
      try await loop.sleep(for: .zero).value
      let quiescing = loop.spawn { () async throws(UVError) in try await server.quiescing().value }
      var due: LoopClock.Instant?
      for (asking, length) in zip(askings, Self.limits(askings, limit)) {
        // Nothing else is asked of a shutdown that is over.
        if end != nil { break }
        let date = loop.clock.now.advanced(by: length)
        due = min(due ?? date, date)
        if asking == .signal {
          let before = signals
          kill(getpid(), SIGUSR1)
          try await loop.until { signals > before }
        } else {
          loop.shutdownGracefully(within: length) { _ in }
        }
        // Some turns pass.
        for _ in 0..<3 { try await loop.sleep(for: .milliseconds(1)).value }
      }
      try await quiescing.value
      let isOver = LoopClock.Instant.now.duration(to: due!) < .seconds(100)
      if isOver {
        try await loop.until { end != nil }
        #expect(end!.count == 1 && end!.time >= due!, "\(askings) with \(limit): \(end!.time), not \(due!)")
      } else {
        #expect(end == nil, "\(askings) with \(limit) cut the connection off")
        server.close()
        try await loop.until { end != nil }
        #expect(end!.count == 0)
      }
      client.close()
      keeper.close()
    }
  }
}
