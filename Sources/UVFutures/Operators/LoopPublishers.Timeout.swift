#if canImport(Combine) || Futures || Everything
public import UV

extension LoopPublishers {
  /// A publisher that ends if another keeps silent for too long, on a timer of an event loop.
  ///
  /// Combine's `Publishers.Timeout`.
  public struct Timeout<Upstream: Publisher>: LoopPublisher {
    /// The upstream's values.
    public typealias Output = Upstream.Output
    /// The upstream's failure.
    public typealias Failure = Upstream.Failure

    /// Where the values come from.
    let upstream: Upstream
    /// How long a silence may last.
    let interval: EventLoop.SchedulerTimeType.Stride
    /// The loop that keeps the time and on which everything is delivered.
    let scheduler: EventLoop
    /// Makes the error to end with; without it the publisher finishes.
    let customError: (() -> Failure)?

    /// Subscribes to the upstream publisher on behalf of `subscriber`, and starts the clock.
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      TimeoutNode(Downstream(subscriber), scheduler, interval.duration, customError).subscribe(to: upstream)
    }
  }
}

extension Publisher {
  /// Ends if this publisher keeps silent for longer than `interval`.
  ///
  /// The clock starts with the subscription, and again with the first demand and with each value. Unlike
  /// Combine's own operator on a scheduler of any kind, it ends with the subscription: none is left behind to
  /// keep the loop running.
  ///
  /// - Parameters:
  ///   - interval: How long a silence may last.
  ///   - scheduler: The loop that keeps the time; values and the end are delivered there, in its next
  ///     microtask.
  ///   - options: None.
  ///   - customError: Makes the error to end with; without it the publisher finishes.
  public func timeout(
    _ interval: EventLoop.SchedulerTimeType.Stride, scheduler: EventLoop, options: Never? = nil,
    customError: (() -> Failure)? = nil
  ) -> LoopPublishers.Timeout<Self> {
    LoopPublishers.Timeout(upstream: self, interval: interval, scheduler: scheduler, customError: customError)
  }
}

/// A subscription with a clock.
private final class TimeoutNode<Input, Failure: Error>: TimedNode<Input, Failure> {
  private let interval: Duration
  private let customError: (() -> Failure)?

  init(
    _ downstream: Downstream<Input, Failure>, _ loop: EventLoop, _ interval: Duration,
    _ customError: (() -> Failure)?
  ) {
    self.interval = interval
    self.customError = customError
    super.init(downstream, loop)
  }

  override class var operatorName: String { "Timeout" }

  override func begin(_ link: Link, _ downstream: Downstream<Input, Failure>) {
    onLoop(executor) { [self] in restart(on: $0) }
    downstream.receive(link: self)
  }

  override func receive(_ value: Input, on loop: EventLoop) {
    restart(on: loop)
    loop.queueMicrotask { [self] in ends.deliver(value) }
  }

  override func receive(_ completion: Subscribers.Completion<Failure>, on loop: EventLoop) {
    timer.cancel()
    loop.queueMicrotask { [self] in end(completion) }
  }

  private func restart(on loop: EventLoop) {
    timer.cancel()
    guard !ends.isOver else { return }
    wait(interval, on: loop) { [self] in
      guard !ends.isOver else { return }
      ends.upstream?.cancel()
      end(customError.map { .failure($0()) } ?? .finished)
    }
  }

  private func end(_ completion: Subscribers.Completion<Failure>) {
    timer.cancel()
    ends.finish(completion)
  }

  override func request(_ demand: Subscribers.Demand) {
    let isFirst = ends.noteDemand()
    if isFirst { onLoop(executor) { [self] in restart(on: $0) } }
    ends.upstream?.request(demand)
  }
}
#endif
