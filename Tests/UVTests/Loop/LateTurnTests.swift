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
      // The wheel of timers looks up to 64 ms earlier, and after that nothing is late any more.
      let (wait, length) = (Duration.milliseconds(300), Duration.milliseconds(250))
      // A busy machine may make a timer late, though not each time.
      var times: [Duration] = []
      while times.count < 6, times.filter({ $0 < wait + length / 2 }).count < 2 {
        // Nothing else wakes the loop meanwhile.
        let time = await withCheckedContinuation { (continuation: CheckedContinuation<Duration, Never>) in
          loop.sleep(for: .zero) { _ in
            let begin = LoopClock.Instant.now
            loop.sleep(for: wait) { _ in continuation.resume(returning: begin.duration(to: .now)) }
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
        }
        #expect(time >= wait)
        times.append(time)
      }
      #expect(times.filter { $0 < wait + length / 2 }.count == 2, "\(turn): \(times)")
    }
  }
}
