import UV

/// Decides which of many pieces of work are done.
///
/// RxStream's `Throttle`.
public protocol Throttle: AnyObject {
  /// Does `work`, now or later, or drops it.
  func process(_ work: @escaping () -> Void)

  /// Does `work` after what is still to be done; called once, at the end.
  func finish(_ work: @escaping () -> Void)
}

/// Does at most one piece of work in each interval, the last that came.
///
/// RxStream's `TimedThrottle`.
public final class TimedThrottle: Throttle {
  private let loop: EventLoop
  private let interval: Duration
  private let delaysFirst: Bool
  private var last: (() -> Void)?
  private var isWaiting = false
  private var ending: (() -> Void)?

  /// Creates a throttle on the current event loop; outside one this stops the program with a message.
  ///
  /// - Parameters:
  ///   - interval: How long at least between two pieces of work, to the millisecond above.
  ///   - delayFirst: Whether the first piece waits for an interval, too, for a later one to take its place.
  public init(interval: Duration, delayFirst: Bool = true) {
    loop = .needed(for: "TimedThrottle")
    self.interval = interval
    delaysFirst = delayFirst
  }

  /// Does `work` at the end of the interval, unless other work comes before that.
  public func process(_ work: @escaping () -> Void) {
    if isWaiting || delaysFirst { last = work } else { work() }
    if !isWaiting { wait() }
  }

  /// Does `work` after the last that came.
  ///
  /// RxStream's `Throttle`.
  public func finish(_ work: @escaping () -> Void) {
    if last == nil { work() } else { ending = work }
  }

  private func wait() {
    isWaiting = true
    loop.sleep(for: interval) { [self] _ in
      isWaiting = false
      guard let work = last.take() else { return }
      work()
      if let ending = ending.take() { ending() } else { wait() }
    }
  }
}

/// Does so many pieces of work in each turn of the loop, keeps so many more waiting, and drops the rest.
///
/// RxStream's `PressureThrottle`.
public final class PressureThrottle: Throttle {
  private let loop: EventLoop
  private let buffer: Int
  private let limit: Int
  private var waiting: [() -> Void] = []
  private var active = 0
  private var ending: (() -> Void)?

  /// Creates a throttle on the current event loop; outside one, or with numbers out of range, this stops the
  /// program with a message.
  ///
  /// - Parameters:
  ///   - buffer: How many pieces of work may wait, 0 or more.
  ///   - limit: How many may be done in a turn of the loop, 1 or more.
  public init(buffer: Int = 0, limit: Int = 1) {
    require(buffer >= 0 && limit > 0, "a throttle lets something through")
    loop = .needed(for: "PressureThrottle")
    self.buffer = buffer
    self.limit = limit
  }

  /// Does `work` if the pressure allows, keeps it if there is room, and drops it otherwise.
  public func process(_ work: @escaping () -> Void) {
    if active < limit {
      active += 1
      // Before the work, which may bring more.
      if active == 1 { waitForTurn() }
      work()
    } else if waiting.count < buffer {
      waiting.append(work)
    }
  }

  /// Does `work` after what waits.
  ///
  /// RxStream's `Throttle`.
  public func finish(_ work: @escaping () -> Void) {
    if waiting.isEmpty { work() } else { ending = work }
  }

  private func waitForTurn() { loop.sleep(for: .zero) { [self] _ in turn() } }

  private func turn() {
    let ready = waiting.prefix(limit)
    waiting.removeFirst(ready.count)
    active = ready.count
    if active > 0 { waitForTurn() }
    for work in ready { work() }
    if waiting.isEmpty { ending.take()?() }
  }
}
