import CStack
import Synchronization

/// A loop that is watched for stalls, as the watchdog sees it.
final class StallWatch: Sendable {
  let mark: TurnMark
  let limit: UInt64
  let signal: Int32
  let name: String
  let handler: @Sendable (Stall) -> Void
  let count = Atomic<Int>(0)
  /// The beginning of the turn that was reported last.
  private let reported = Atomic<UInt64>(0)

  init(
    mark: TurnMark, limit: UInt64, signal: Int32, name: String, handler: @escaping @Sendable (Stall) -> Void
  ) {
    self.mark = mark
    self.limit = limit
    self.signal = signal
    self.name = name
    self.handler = handler
  }

  /// Whether a turn is to be reported now, in milliseconds of libuv's clock. It is reported once.
  func isDue(start: UInt64, now: UInt64) -> Bool {
    guard start > 0, now >= cstack_turn_time(start) + limit else { return false }
    return reported.exchange(start, ordering: .relaxed) != start
  }
}
