#if canImport(Combine) || Futures || Everything
public import UV

extension LoopPublishers {
  /// A publisher that delivers at most one value of another in each interval, on an event loop.
  ///
  /// Combine's `Publishers.Throttle`.
  public struct Throttle<Upstream: Publisher>: LoopPublisher {
    /// The upstream's values.
    public typealias Output = Upstream.Output
    /// The upstream's failure.
    public typealias Failure = Upstream.Failure

    /// Where the values come from.
    let upstream: Upstream
    /// How long an interval is.
    let interval: EventLoop.SchedulerTimeType.Stride
    /// The loop that keeps the time and on which everything is delivered.
    let scheduler: EventLoop
    /// Whether the last value of an interval is delivered, and not the first.
    let latest: Bool

    /// Subscribes to the upstream publisher on behalf of `subscriber`.
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      ThrottleNode(Downstream(subscriber), scheduler, interval.duration, latest).subscribe(to: upstream)
    }
  }
}

extension Publisher {
  /// Delivers the first or the last value of each interval, on `scheduler`; the very first at once.
  ///
  /// Unlike Combine's own operator on a scheduler of any kind, it ends with the subscription: no timer is
  /// left behind to keep the loop running.
  ///
  /// - Parameters:
  ///   - interval: How long an interval is, to the millisecond above.
  ///   - scheduler: The loop that keeps the time and on which everything is delivered.
  ///   - latest: Whether the last value of an interval is delivered, and not the first.
  public func throttle(
    for interval: EventLoop.SchedulerTimeType.Stride, scheduler: EventLoop, latest: Bool
  ) -> LoopPublishers.Throttle<Self> {
    LoopPublishers.Throttle(upstream: self, interval: interval, scheduler: scheduler, latest: latest)
  }
}

/// A subscription that delivers one value of each interval.
private final class ThrottleNode<Input, Failure: Error>: TimedNode<Input, Failure> {
  private let interval: Duration
  private let latest: Bool
  private var value: Input?
  private var completion: Subscribers.Completion<Failure>?
  private var lastDelivery: LoopClock.Instant?
  private var isWaiting = false

  init(_ downstream: Downstream<Input, Failure>, _ loop: EventLoop, _ interval: Duration, _ latest: Bool) {
    self.interval = interval
    self.latest = latest
    super.init(downstream, loop)
  }

  override class var operatorName: String { "Throttle" }

  override func receive(_ new: Input, on loop: EventLoop) {
    guard !ends.isOver, completion == nil, demand > 0 || isWaiting else { return }
    if isWaiting {
      if latest { value = new }
      return
    }
    demand -= 1
    value = new
    let now = LoopClock.Instant.now
    deliver(on: loop, after: lastDelivery.map { now.duration(to: $0.advanced(by: interval)) } ?? .zero)
  }

  override func receive(_ completion: Subscribers.Completion<Failure>, on loop: EventLoop) {
    guard self.completion == nil else { return }
    self.completion = completion
    // Otherwise it follows the value that waits.
    if !isWaiting { deliver(on: loop, after: .zero) }
  }

  private func deliver(on loop: EventLoop, after delay: Duration) {
    isWaiting = true
    guard delay > .zero else { return loop.queueMicrotask { [self] in deliver() } }
    wait(delay, on: loop) { [self] in deliver() }
  }

  private func deliver() {
    isWaiting = false
    if let value = value.take() {
      lastDelivery = .now
      demand += ends.receive(value)
    }
    if let completion { ends.finish(completion) }
  }

  override func dropWaiting() { value = nil }
}
#endif
