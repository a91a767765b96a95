import UV

/// The function that throttled work calls once it is done. Calls after the first do nothing.
///
/// RxStream's `WorkCompletion`.
public typealias WorkCompletion = () -> Void

/// Work that a throttle starts or drops, by calling it once with a ``WorkSignal``.
///
/// RxStream's `ThrottledWork`.
public typealias ThrottledWork = (WorkSignal) -> Void

/// The signals of a throttle to its work.
///
/// RxStream's `WorkSignal`.
public enum WorkSignal {
  /// Begin. Call the completion once the work is done, on the thread of the stream's loop: a throttle that
  /// counts running work may wait for it.
  case perform(WorkCompletion)
  /// The work is dropped.
  case cancel
}

/// Decides which of many pieces of work are done, and when.
///
/// A throttle is used on the thread of one loop. Give each stream a throttle of its own, unless the limit is
/// meant for several streams together.
///
/// RxStream's `Throttle`.
public protocol Throttle: AnyObject {
  /// Calls `work` once: with ``WorkSignal/perform(_:)``, now or later, or with ``WorkSignal/cancel``.
  func process(work: @escaping ThrottledWork)
}

/// Does at most one piece of work in each interval. Of those that come meanwhile, the last is done when the
/// interval ends; the others are dropped.
///
/// RxStream's `TimedThrottle`.
public final class TimedThrottle: Throttle {
  private let loop: EventLoop
  private let interval: Duration
  private let delaysFirst: Bool
  /// When the last piece of work began.
  private var last: LoopClock.Instant?
  /// The work that the end of the interval begins.
  private var waiting: ThrottledWork?
  private var isTimed = false

  /// Creates a throttle on the current event loop; outside one this stops the program with a message.
  ///
  /// - Parameters:
  ///   - interval: How long at least between two pieces of work, to the millisecond above.
  ///   - delayFirst: Whether the first piece waits for an interval, too, for a later one to take its place.
  public init(interval: Duration, delayFirst: Bool = false) {
    loop = .needed(for: "TimedThrottle")
    self.interval = interval
    delaysFirst = delayFirst
  }

  /// Does `work` at once if the interval since the last piece is over, and otherwise when it ends, unless other
  /// work comes before that. If the loop ends first, the work is dropped.
  public func process(work: @escaping ThrottledWork) {
    let remaining = remaining
    guard isTimed || remaining > .zero else { return begin(work) }
    let dropped = waiting
    waiting = work
    if !isTimed { wait(remaining) }
    dropped?(.cancel)
  }

  private var remaining: Duration {
    guard let last else { return delaysFirst ? interval : .zero }
    return interval - last.duration(to: .now)
  }

  private func begin(_ work: ThrottledWork) {
    last = .now
    work(.perform {})
  }

  private func wait(_ duration: Duration) {
    isTimed = true
    loop.sleep(for: duration) { [self] result in
      isTimed = false
      guard let work = waiting.take() else { return }
      if case .success = result { begin(work) } else { work(.cancel) }
    }
  }
}

/// Does so many pieces of work at the same time, keeps so many more waiting, and drops the rest.
///
/// A piece counts until its completion is called. Work that ends at once, such as `map`, never fills the
/// throttle; that of ``HotStream/asyncMap(_:)`` does until its answer has come.
///
/// RxStream's `PressureThrottle`.
public final class PressureThrottle: Throttle {
  private let buffer: Int
  private let limit: Int
  private var waiting = Queue<ThrottledWork>()
  private var running = 0
  private var isFilling = false

  /// - Parameters:
  ///   - buffer: How many pieces of work may wait; less than 0 counts as 0.
  ///   - limit: How many may run at the same time; less than 1 counts as 1.
  public init(buffer: Int = 0, limit: Int = 1) {
    self.buffer = max(0, buffer)
    self.limit = max(1, limit)
  }

  /// Does `work` if fewer than the limit run, keeps it if there is room, and drops it otherwise. O(1).
  public func process(work: @escaping ThrottledWork) {
    if running < limit {
      begin(work)
    } else if waiting.count < buffer {
      waiting.append(work)
    } else {
      work(.cancel)
    }
  }

  private func begin(_ work: ThrottledWork) {
    running += 1
    var isRunning = true
    work(
      .perform { [self] in
        guard isRunning else { return }
        isRunning = false
        running -= 1
        fill()
      })
  }

  /// Begins what waits. Work that ends at once comes back here, and finds the loop below at work.
  private func fill() {
    if isFilling { return }
    isFilling = true
    while running < limit, let work = waiting.popFirst() { begin(work) }
    isFilling = false
  }
}

/// A stream's throttle, and what it has taken.
final class ThrottledEntry {
  private let throttle: any Throttle
  /// How many values the throttle has that are neither done nor dropped.
  private var pending = 0
  /// The end of the stream, which waits for them.
  private var end: (() -> Void)?

  init(_ throttle: any Throttle) { self.throttle = throttle }

  /// Deals with an event by `work`, which calls its argument once it is done.
  func take<T, E: Error>(_ event: StreamEvent<T, E>, _ work: @escaping (@escaping WorkCompletion) -> Void) {
    if end != nil { return }
    switch event {
    case .next:
      pending += 1
      throttle.process { [self] signal in
        switch signal {
        case .cancel: didEnd()
        case .perform(let completion):
          var isDone = false
          work { [self] in
            if isDone { return }
            isDone = true
            completion()
            didEnd()
          }
        }
      }
    case .error: work {}
    case .terminate: if pending == 0 { work {} } else { end = { work {} } }
    }
  }

  private func didEnd() {
    pending -= 1
    if pending == 0 { end.take()?() }
  }
}
