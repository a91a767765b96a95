// The loop's clock is a `Clock` like any other: it sleeps, and measures.
import UV

private func measured<C: Clock>(_ clock: C, _ duration: C.Duration) async throws -> Bool {
  let began = clock.now
  try await clock.sleep(until: began.advanced(by: duration), tolerance: nil)
  return began.duration(to: clock.now) >= duration
}

enum ClockOfTheLoop: Program {
  static func main() throws {
    try EventLoop.run { loop in
      print(try await measured(loop.clock, .milliseconds(5)))
      try await loop.clock.sleep(for: .milliseconds(1))
      let time = try await loop.clock.measure { try await loop.sleep(for: .milliseconds(3)).value }
      print(time >= .milliseconds(3), loop.clock.minimumResolution)
      let deadline = LoopClock.Instant.now.advanced(by: .seconds(1))
      print(deadline > LoopClock.Instant(nanoseconds: 0), deadline.nanoseconds > 0)
      let task = loop.spawn { try await loop.clock.sleep(until: deadline.advanced(by: .seconds(3600))) }
      try await loop.sleep(for: .milliseconds(1)).value
      task.cancel()
      do {
        try await task.value
      } catch is CancellationError {
        print("cancelled")
      }
    }
  }
}

// Prints:
// true
// true 0.001 seconds
// true true
// cancelled
