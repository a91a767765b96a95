import Glibc
import UV

/// Judges whether each date on a loop was kept.
///
/// A thing with a date fires no later than its date and the longest turn under way. So two numbers have bounds: the time
/// after the date in which the loop's thread did nothing, and the turns that it began after the date.
final class Lateness {
  /// How exact a date is known to be.
  enum Precision {
    /// The thing's time began when it was begun.
    case exact
    /// Its time began later, or is made longer, by as long as the loop's thread computed meanwhile.
    case afterWork
  }

  /// What rounding up to a millisecond takes, of a date and of libuv's wait.
  private static let rounding: UInt64 = 3_000_000
  /// So long waits may count from the end of their callback.
  private static let long = Duration.seconds(1)
  /// A turn whose budget is used up leaves the rest to the next: the completion of what fires may be several microtasks.
  private static let turns = 10

  let loop: EventLoop
  private let ledger: Ledger
  /// When the loop's thread has computed.
  private var work: [(begin: UInt64, end: UInt64)] = []
  /// When the loop was about to wait.
  private var waits: [UInt64] = []
  private var watcher: IterationWatcher?

  init(_ loop: EventLoop, _ ledger: Ledger) { (self.loop, self.ledger) = (loop, ledger) }

  /// Counts turns from now on.
  func countTurns() throws(UVError) {
    let watcher = try loop.iterations(.prepare)
    watcher.start { [self] _ in waits.append(LoopClock.Instant.now.nanoseconds) }
    self.watcher = watcher
  }

  /// Ends the counting, which keeps the loop running.
  func end() { watcher?.close() }

  /// Computes for a time that is drawn.
  func compute(atMost most: Duration) {
    let begin = LoopClock.Instant.now.nanoseconds
    loop.block(for: most)
    work.append((begin, LoopClock.Instant.now.nanoseconds))
  }

  /// Looks at a thing that fires now.
  ///
  /// - Parameters:
  ///   - thing: What fires.
  ///   - start: When it was begun.
  ///   - length: How long it had to wait.
  ///   - precision: How exact that is.
  ///   - mayBeEarly: Whether its time may have begun earlier.
  func judge(
    _ thing: String, since start: LoopClock.Instant, _ length: Duration, _ precision: Precision = .exact,
    mayBeEarly: Bool = false
  ) {
    let now = LoopClock.Instant.now.nanoseconds
    let date = start.advanced(by: length)
    if now < date.nanoseconds, !mayBeEarly { ledger.complain("\(thing) of \(length) was early") }
    let begin = length < Self.long ? date : callbackEnd(start).advanced(by: length)
    guard now > begin.nanoseconds else { return }
    var idle = now - begin.nanoseconds - computed(begin.nanoseconds, now)
    if precision == .afterWork {
      // Two of its timers may be rounded, and a stream's peer has a last chance of a millisecond.
      idle -= min(idle, computed(start.nanoseconds, now) + Self.rounding * 2)
    }
    if idle > Self.rounding {
      let time = Duration.nanoseconds(Int64(idle))
      ledger.complain("\(thing) of \(length) was late by \(time) of doing nothing")
    }
    let begun = waits.count { $0 > begin.nanoseconds }
    if precision == .exact, begun > Self.turns {
      ledger.complain("\(thing) of \(length) was late by \(begun) turns")
    }
  }

  /// How long the thread has computed between two times.
  private func computed(_ begin: UInt64, _ end: UInt64) -> UInt64 {
    work.reduce(0) { sum, part in
      let (from, to) = (max(part.begin, begin), min(part.end, end))
      return from < to ? sum + to - from : sum
    }
  }

  /// When the callback may have ended that was under way at a time: no time passes between what it computes.
  private func callbackEnd(_ time: LoopClock.Instant) -> LoopClock.Instant {
    var end = time.nanoseconds
    for part in work where part.begin <= end + 100_000 { end = max(end, part.end) }
    return LoopClock.Instant(nanoseconds: end)
  }
}
