import Foundation
import Testing
import UVTestSupport

@testable import UV

/// How long a listener leaves its socket alone when the system has no room for its connections.
@Suite struct AcceptPartsTests {
  @Test("Each time is twice as long as the one before, and after a connection the first one again")
  func delays() async throws {
    try await withLoop { loop in
      let backoff = AcceptBackoff(loop)
      func wait() async throws(UVError) -> Duration {
        let begin = LoopClock.Instant.now
        var isOver = false
        backoff.begin { isOver = true }
        try await loop.until { isOver }
        return begin.duration(to: .now)
      }
      for _ in 0..<2 {
        for milliseconds in [5, 10, 20, 40, 80, 160] {
          #expect(try await wait() >= .milliseconds(milliseconds))
        }
        backoff.succeed()
      }
      // The next one would have been much longer than this.
      var shortest = Duration.seconds(1)
      for _ in 0..<3 {
        shortest = min(shortest, try await wait())
        backoff.succeed()
      }
      #expect(shortest < .milliseconds(100))
    }
  }

  @Test("One that ends doesn't come back, and nothing is left") func ends() async throws {
    try await withLoop { loop in
      let backoff = AcceptBackoff(loop)
      var count = 0
      backoff.begin { count += 1 }
      backoff.end()
      backoff.end()
      #expect(loop.statistics.timers == 0)
      try await loop.sleep(for: .milliseconds(30)).value
      #expect(count == 0)
      backoff.begin { count += 1 }
      try await loop.until { count == 1 }
      backoff.end()
    }
  }

  @Test func `Codes that say that there is no room aren't those of one connection`() {
    for code in [UVError.Code.tooManyOpenFiles, .init(rawValue: -ENFILE), .outOfMemory, .noBuffers] {
      #expect(AcceptBackoff.isNeeded(code.rawValue), "\(code)")
    }
    for code in [
      UVError.Code.wouldBlock, .connectionAborted, .connectionReset, .brokenPipe, .notPermitted,
      .protocolError,
    ] {
      #expect(!AcceptBackoff.isNeeded(code.rawValue), "\(code)")
    }
  }
}
