import Testing
import UV
import UVTestSupport

/// A timer behind a turn that takes long: the loop counts its wait from the end of the turn.
@Suite struct LateTurnTests {
  /// What the loop has to do before it waits.
  enum Turn: String, CaseIterable { case plain, measured, withWrite, withLimit, withMicrotask }

  private static func spin(for duration: Duration) {
    let end = LoopClock.Instant.now.advanced(by: duration)
    while LoopClock.Instant.now < end {}
  }

  @Test(arguments: Turn.allCases)
  func `A timer isn't late by as much as the turn that started it has taken`(turn: Turn) async throws {
    try await withPair { loop, client, server in
      if turn == .measured { try loop.configure(.lag) }
      server.start { _ in }
      let (wait, length) = (Duration.milliseconds(60), Duration.milliseconds(60))
      // A busy machine may make it late, though not each time.
      var least = Duration.seconds(1000)
      for _ in 0..<10 where least >= wait + length {
        let done = Log<Duration>()
        loop.sleep(for: .zero) { _ in
          let begin = LoopClock.Instant.now
          loop.sleep(for: wait) { _ in done.append(begin.duration(to: .now)) }
          switch turn {
          case .withWrite:
            client.write("a") { _ in }
            client.write("b") { _ in }
          case .withLimit: loop.sleep(for: .untilCancelled) { _ in }.cancel()
          case .withMicrotask: loop.queueMicrotask {}
          case .plain, .measured: break
          }
          Self.spin(for: length)
        }
        while done.values.isEmpty { try await loop.sleep(for: .milliseconds(300)).value }
        least = min(least, done.values[0])
        #expect(done.values[0] >= wait)
      }
      #expect(least < wait + length, "\(turn): \(least)")
    }
  }
}
