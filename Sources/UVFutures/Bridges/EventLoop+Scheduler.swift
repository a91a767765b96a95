#if canImport(Combine) || Futures || Everything
public import UV

extension EventLoop: Scheduler {
  /// A moment on the loop's clock, as Combine's schedulers count time.
  ///
  /// Combine's `Scheduler.SchedulerTimeType`.
  public struct SchedulerTimeType: Strideable, Hashable, Sendable {
    /// The same moment as the loop's clock has it.
    public var instant: LoopClock.Instant

    /// The moment `instant`.
    public init(_ instant: LoopClock.Instant) { self.instant = instant }

    /// The time from this moment to `other`; negative if that is earlier.
    ///
    /// Combine's `Scheduler.SchedulerTimeType`.
    public func distance(to other: Self) -> Stride { Stride(instant.duration(to: other.instant)) }

    /// The moment `stride` later.
    ///
    /// Combine's `Scheduler.SchedulerTimeType`.
    public func advanced(by stride: Stride) -> Self { Self(instant.advanced(by: stride.duration)) }

    /// A length of time, written as a number of seconds or with a unit: `0.5`, `.milliseconds(20)`.
    ///
    /// Combine's `SchedulerTimeIntervalConvertible`.
    public struct Stride: SchedulerTimeIntervalConvertible, Comparable, SignedNumeric, Hashable, Sendable,
      ExpressibleByFloatLiteral
    {
      /// The length in nanoseconds.
      public var magnitude: Int

      /// The same length as a `Duration`.
      public var duration: Duration { .nanoseconds(magnitude) }

      /// The length of `duration`, to the nanosecond.
      public init(_ duration: Duration) {
        // The components cannot say more.
        let (seconds, attoseconds) = min(max(duration, .seconds(Int64.min)), .seconds(Int64.max)).components
        magnitude = Int(clamping: seconds).saturatingMultiply(1_000_000_000)
          .saturatingAdd(Int(attoseconds / 1_000_000_000))
      }

      init(nanoseconds: Int) { magnitude = nanoseconds }

      /// So many seconds.
      public init(integerLiteral seconds: Int) { self = .seconds(seconds) }

      /// So many seconds.
      public init(floatLiteral seconds: Double) { self = .seconds(seconds) }

      /// So many seconds, if they can be represented.
      public init?(exactly source: some BinaryInteger) {
        guard let seconds = Int(exactly: source) else { return nil }
        let (product, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        if overflow { return nil }
        magnitude = product
      }

      /// So many seconds.
      ///
      /// Combine's `SchedulerTimeIntervalConvertible`.
      public static func seconds(_ s: Int) -> Self { Self(nanoseconds: s.saturatingMultiply(1_000_000_000)) }

      /// So many seconds, to the nanosecond.
      ///
      /// Combine's `SchedulerTimeIntervalConvertible`.
      public static func seconds(_ s: Double) -> Self {
        let nanoseconds = (s * 1e9).rounded()
        return Self(nanoseconds: Int(exactly: nanoseconds) ?? (s < 0 ? .min : .max))
      }

      /// So many milliseconds.
      ///
      /// Combine's `SchedulerTimeIntervalConvertible`.
      public static func milliseconds(_ ms: Int) -> Self {
        Self(nanoseconds: ms.saturatingMultiply(1_000_000))
      }

      /// So many microseconds.
      ///
      /// Combine's `SchedulerTimeIntervalConvertible`.
      public static func microseconds(_ us: Int) -> Self { Self(nanoseconds: us.saturatingMultiply(1_000)) }

      /// So many nanoseconds.
      ///
      /// Combine's `SchedulerTimeIntervalConvertible`.
      public static func nanoseconds(_ ns: Int) -> Self { Self(nanoseconds: ns) }

      /// Whether `a` is shorter than `b`.
      public static func < (a: Self, b: Self) -> Bool { a.magnitude < b.magnitude }

      /// The sum of two lengths, held at the longest that there is.
      public static func + (a: Self, b: Self) -> Self {
        Self(nanoseconds: a.magnitude.saturatingAdd(b.magnitude))
      }

      /// The difference of two lengths, held at the longest that there is.
      public static func - (a: Self, b: Self) -> Self {
        Self(nanoseconds: a.magnitude.saturatingSubtract(b.magnitude))
      }

      /// The product of two lengths, each counted in seconds.
      public static func * (a: Self, b: Self) -> Self {
        .seconds(Double(a.magnitude) / 1e9 * Double(b.magnitude) / 1e9)
      }

      /// Adds `b` to `a`.
      public static func += (a: inout Self, b: Self) { a = a + b }
      /// Takes `b` from `a`.
      public static func -= (a: inout Self, b: Self) { a = a - b }
      /// Multiplies `a` by `b`, each counted in seconds.
      public static func *= (a: inout Self, b: Self) { a = a * b }
    }
  }

  /// The loop takes no options.
  ///
  /// Combine's `Scheduler.SchedulerOptions`.
  public typealias SchedulerOptions = Never

  /// The loop's clock is exact to the millisecond.
  public var minimumTolerance: SchedulerTimeType.Stride { .milliseconds(1) }

  /// The time of this moment.
  ///
  /// Combine's `Scheduler.now`; it is read from the system's clock, not held for a turn as the loop's own is.
  @_disfavoredOverload
  public var now: SchedulerTimeType { SchedulerTimeType(clock.now) }

  /// Runs `action` on the loop, after the callback that is running there; from any thread.
  ///
  /// Actions run in the order in which they were scheduled. Complexity: O(1).
  public func schedule(options: SchedulerOptions?, _ action: @escaping () -> Void) {
    // A thread's next message to the loop comes after this one: there is no second queue.
    if executor.isOnLoop { queueMicrotask(action) } else { onLoop(executor) { _ in action() } }
  }

  /// Runs `action` on the loop at `date` or up to a millisecond later; from any thread.
  public func schedule(
    after date: SchedulerTimeType, tolerance: SchedulerTimeType.Stride, options: SchedulerOptions?,
    _ action: @escaping () -> Void
  ) {
    onLoop(executor) { loop in
      loop.sleep(until: date.instant) { result in
        if case .success = result { action() }
      }
    }
  }

  /// Runs `action` on the loop at `date` and every `interval` after that, until cancelled; from any thread.
  ///
  /// - Returns: Cancels the repetition, from any thread; also when it is let go.
  public func schedule(
    after date: SchedulerTimeType, interval: SchedulerTimeType.Stride, tolerance: SchedulerTimeType.Stride,
    options: SchedulerOptions?, _ action: @escaping () -> Void
  ) -> any Cancellable {
    let repetition = Repetition(executor, every: interval.duration, action)
    onLoop(executor) { repetition.start(on: $0, at: date.instant) }
    return AnyCancellable { repetition.cancel() }
  }
}

/// Runs `body` with the loop: at once on its thread, else when the loop comes to it. Dropped if the loop has
/// ended.
func onLoop(_ executor: LoopExecutor, _ body: @escaping (EventLoop) -> Void) {
  // Sound: Combine's contract is that what is scheduled runs on the scheduler and nowhere else.
  let transfer = UnsafeTransfer(body)
  if executor.isOnLoop, let loop = EventLoop.current, loop.executor === executor { return body(loop) }
  try? executor.execute { loop in transfer.value(loop) }
}

/// An action that the loop repeats.
private final class Repetition {
  private let executor: LoopExecutor
  private let interval: Duration
  private var action: (() -> Void)?
  private var due = LoopClock.Instant(nanoseconds: 0)
  private var pending = PendingRequest()

  init(_ executor: LoopExecutor, every interval: Duration, _ action: @escaping () -> Void) {
    self.executor = executor
    self.interval = interval
    self.action = action
  }

  func start(on loop: EventLoop, at date: LoopClock.Instant) {
    guard action != nil else { return }
    due = date
    pending = loop.sleep(until: date) { [self] result in
      guard case .success = result, let action else { return }
      action()
      // From the time that was due, so that lateness does not add up.
      start(on: loop, at: due.advanced(by: interval))
    }
  }

  func cancel() {
    onLoop(executor) { [self] _ in
      action = nil
      pending.cancel()
    }
  }
}

extension Int {
  fileprivate func saturatingAdd(_ other: Int) -> Int {
    let (sum, overflow) = addingReportingOverflow(other)
    return overflow ? (other < 0 ? .min : .max) : sum
  }

  fileprivate func saturatingSubtract(_ other: Int) -> Int {
    let (difference, overflow) = subtractingReportingOverflow(other)
    return overflow ? (other < 0 ? .max : .min) : difference
  }

  fileprivate func saturatingMultiply(_ other: Int) -> Int {
    let (product, overflow) = multipliedReportingOverflow(by: other)
    return overflow ? ((self < 0) == (other < 0) ? .max : .min) : product
  }
}
#endif
