import CUV

/// Looks for further messages before a loop waits for them.
///
/// Waking a thread takes both threads several microseconds, and each message would do so that comes just too late. So a loop
/// that has handled messages lets other threads run and looks again. Where nothing came, it does so more and more rarely.
struct Lookout {
  /// How often it looks at a time. On a processor of its own, a look takes a third of a microsecond.
  private static let looks = 4
  /// The most times in a row that it doesn't look.
  private static let longestRest = 64

  /// How many times it doesn't look, and how many of those are left.
  private var rest = 0
  private var left = 0

  /// How often it has looked, until `find` returned true or in vain.
  mutating func look(_ find: () -> Bool) -> Int {
    if left > 0 {
      left -= 1
      return 0
    }
    for count in 1...Self.looks {
      sched_yield()
      if find() {
        rest = 0
        return count
      }
    }
    rest = min(max(rest * 2, 1), Self.longestRest)
    left = rest
    return Self.looks
  }
}
