// The loop's timers, its ticks and its clock.
import UV

private func measured<C: Clock>(_ clock: C, _ duration: C.Duration) async throws -> Bool {
  let began = clock.now
  try await clock.sleep(until: began.advanced(by: duration), tolerance: nil)
  return began.duration(to: clock.now) >= duration
}

enum TimeOfALoop: Program {
  static func main() throws {
    try timersInAllForms()
    try ticksAsATemporary()
    try clockOfTheLoop()
  }

  /// A one-shot timer, a repeating one, and one that is stopped and started again.
  private static func timersInAllForms() throws {
    try EventLoop.runCallbacks { loop in
      let timer = try LoopTimer(loop)
      var count = 0
      try timer.start(after: .milliseconds(2), repeating: .milliseconds(3)) {
        count += 1
        guard count == 3 else { return }
        timer.stop()
        print("stopped after \(count)", timer.isActive)
        do {
          try timer.start(after: .zero) {
            print("once more")
            timer.close()
          }
        } catch { print(error) }
      }
      print(timer.repeatInterval, timer.dueIn > .zero)
      timer.repeatInterval = .milliseconds(4)
      try timer.again()

      let never = try LoopTimer(loop)
      never.keepsLoopRunning = false
      try never.start(after: .seconds(3600)) { print("never") }
      print(code(of: try LoopTimer(loop).again()) == .invalidArgument)
    }
    print("ended")
  }

  /// Ticks that only the `for` statement knows are iterated.
  private static func ticksAsATemporary() throws {
    try EventLoop.run { loop in
      var last = -1
      var count = 0
      for try await tick in loop.ticks(every: .milliseconds(5)) {
        // One that came late is counted as missed.
        print(tick.index == last + tick.missed + 1)
        last = tick.index
        count += 1
        if count == 4 { break }
      }
    }
    print("ended")
  }

  /// The loop's clock is a `Clock` like any other: it sleeps, and measures.
  private static func clockOfTheLoop() throws {
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
// 0.003 seconds true
// true
// stopped after 3 false
// once more
// ended
// true
// true
// true
// true
// ended
// true
// true 0.001 seconds
// true true
// cancelled
