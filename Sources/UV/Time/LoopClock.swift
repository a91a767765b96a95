import CUV

/// The monotonic clock that event loops use. It counts nanoseconds from an arbitrary moment, and stops while
/// the machine sleeps.
///
/// You get the clock of a loop by ``EventLoop/clock``. It may be used from any task, and wherever a `Clock`
/// is asked for:
///
/// ```swift
/// let clock = loop.clock
/// let elapsed = try await clock.measure { try await clock.sleep(for: .milliseconds(5)) }
/// ```
///
/// The present moment is ``Instant/now``, which needs no loop.
public struct LoopClock: Clock {
  /// A moment on the clock.
  public struct Instant: InstantProtocol, Hashable, Sendable {
    /// Nanoseconds since the clock's beginning, which is arbitrary.
    public var nanoseconds: UInt64

    /// The moment that is `nanoseconds` after the clock's beginning.
    public init(nanoseconds: UInt64) { self.nanoseconds = nanoseconds }

    /// This moment.
    ///
    /// The corresponding libuv function is `uv_hrtime`.
    public static var now: Instant { Instant(nanoseconds: uv_hrtime()) }

    /// The moment that is `duration` later. If that lies outside the clock's range, it is the first or the
    /// last moment of the range.
    public func advanced(by duration: Duration) -> Instant {
      if duration < .zero {
        let back = (.zero - duration).nanoseconds
        return Instant(nanoseconds: nanoseconds > back ? nanoseconds - back : 0)
      }
      let (sum, overflow) = nanoseconds.addingReportingOverflow(duration.nanoseconds)
      return Instant(nanoseconds: overflow ? .max : sum)
    }

    /// The time from this moment to `other`.
    public func duration(to other: Instant) -> Duration {
      other >= self
        ? .nanoseconds(other.nanoseconds - nanoseconds)
        : .zero - .nanoseconds(nanoseconds - other.nanoseconds)
    }

    /// Whether `a` is before `b`.
    public static func < (a: Instant, b: Instant) -> Bool { a.nanoseconds < b.nanoseconds }
  }

  private let executor: LoopExecutor

  init(executor: LoopExecutor) { self.executor = executor }

  /// The time of this moment.
  ///
  /// The corresponding libuv function is `uv_hrtime`.
  public var now: Instant { .now }

  /// One millisecond; sleeps are rounded up to it.
  public var minimumResolution: Duration { .milliseconds(1) }

  /// Waits until `deadline` on a timer of the loop. You can call it from any task; the task resumes where its
  /// own isolation says.
  ///
  /// - Parameters:
  ///   - deadline: When to go on, or up to a millisecond later. A moment that has passed means the loop's
  ///     next turn.
  ///   - tolerance: Not used.
  /// - Throws: `CancellationError` if the task is cancelled. It throws the same error if the loop has ended,
  ///   or ends before the deadline, because then the deadline never comes. It throws nothing else, as
  ///   algorithms over any `Clock` expect; see ``UVError/isCancelled``.
  ///
  /// The corresponding libuv function is `uv_timer_start`.
  public func sleep(until deadline: Instant, tolerance: Duration? = nil) async throws {
    let sleeper = Sleeper()
    try await withTaskCancellationHandler {
      let result: Result<Void, UVError> = await withUnsafeContinuation { continuation in
        sleeper.start(executor, until: deadline, continuation)
      }
      if case .failure = result { throw CancellationError() }
    } onCancel: {
      try? executor.execute { _ in sleeper.cancel() }
    }
  }
}

/// A sleep that any task may have begun. Sound: its state is touched on the loop's thread only.
private final class Sleeper: @unchecked Sendable {
  private var pending: PendingRequest?
  private var isCancelled = false

  func start(
    _ executor: LoopExecutor, until deadline: LoopClock.Instant,
    _ continuation: UnsafeContinuation<Result<Void, UVError>, Never>
  ) {
    do throws(UVError) {
      try executor.execute { [self] loop in
        if isCancelled {
          return continuation.resume(returning: .failure(UVError(.cancelled, operation: "sleep")))
        }
        pending = loop.sleep(until: deadline) { continuation.resume(returning: $0) }
      }
    } catch {
      continuation.resume(returning: .failure(error))
    }
  }

  func cancel() {
    isCancelled = true
    pending?.cancel()
  }
}
