import Glibc
import UV

extension EventLoop {
  /// Cancels at one of many moments: at once, at the end of the callback, in the next turn, later, or once
  /// the loop's thread was busy for a while, so that an answer may be on its way already.
  func cancel(_ pending: PendingRequest) {
    switch draw(7) {
    case 0: pending.cancel()
    case 1: queueMicrotask { pending.cancel() }
    case 2: sleep(for: .zero) { _ in pending.cancel() }
    case 3: sleep(for: .microseconds(Int64(draw(200)))) { _ in pending.cancel() }
    case 4: sleep(for: .microseconds(Int64(draw(20_000)))) { _ in pending.cancel() }
    case 5:
      block(for: .milliseconds(20))
      pending.cancel()
    default:
      sleep(for: .zero) { [self] _ in
        block(for: .milliseconds(20))
        pending.cancel()
      }
    }
  }

  /// Holds up the loop's thread, as a function does that computes.
  ///
  /// - Parameter most: The longest that it may take.
  package func block(for most: Duration) { usleep(UInt32(draw(Int(most / .microseconds(1)) + 1))) }

  /// Has the loop's thread be busy now and then, in one program of four, until the task is cancelled.
  func spawnChores() -> LoopTask<Void, any Error>? {
    guard isDrawn(oneIn: 4) else { return nil }
    return spawn { [self] () async throws in
      while true {
        try await sleep(for: .microseconds(Int64(draw([1000, 30_000, 1_000_000, 60_000_000][draw(4)])))).value
        block(for: .milliseconds(100))
      }
    }
  }
}
