import CUV

/// Lets other threads run before a loop waits for their messages.
///
/// Waking a thread takes both threads several microseconds, and each message would do so that comes just too
/// late. So a loop that has handled messages lets other threads run once. Where none of them sends meanwhile,
/// it does so more and more rarely.
struct AdaptiveYield {
  /// The most times in a row that it doesn't.
  private static let longestRest = 64

  /// How many times it doesn't, and how many of those are left.
  private var rest = 0
  private var left = 0

  /// - Parameter find: Whether there are messages.
  mutating func look(_ find: () -> Bool) {
    if find() { return }
    if left > 0 {
      left -= 1
      return
    }
    sched_yield()
    rest = find() ? 0 : min(max(rest * 2, 1), Self.longestRest)
    left = rest
  }
}
