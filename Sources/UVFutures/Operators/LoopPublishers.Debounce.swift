#if canImport(Combine) || Futures || Everything
public import UV

extension LoopPublishers {
  /// A publisher that delivers a value of another once nothing has followed it for a while, on an event loop.
  ///
  /// Combine's `Publishers.Debounce`.
  public struct Debounce<Upstream: Publisher>: LoopPublisher {
    /// The upstream's values.
    public typealias Output = Upstream.Output
    /// The upstream's failure.
    public typealias Failure = Upstream.Failure

    /// Where the values come from.
    let upstream: Upstream
    /// How long nothing may follow.
    let dueTime: EventLoop.SchedulerTimeType.Stride
    /// The loop that keeps the time and on which everything is delivered.
    let scheduler: EventLoop

    /// Subscribes to the upstream publisher on behalf of `subscriber`.
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      DebounceNode(Downstream(subscriber), scheduler, dueTime.duration).subscribe(to: upstream)
    }
  }
}

extension Publisher {
  /// Delivers a value once none has followed it for `dueTime`, on `scheduler`; the end drops one that waits.
  ///
  /// Unlike Combine's own operator on a scheduler of any kind, it ends with the subscription: no timer is
  /// left behind to keep the loop running, whatever comes while it is cancelled.
  ///
  /// - Parameters:
  ///   - dueTime: How long nothing may follow, to the millisecond above.
  ///   - scheduler: The loop that keeps the time and on which everything is delivered.
  ///   - options: None.
  public func debounce(
    for dueTime: EventLoop.SchedulerTimeType.Stride, scheduler: EventLoop, options: Never? = nil
  ) -> LoopPublishers.Debounce<Self> {
    LoopPublishers.Debounce(upstream: self, dueTime: dueTime, scheduler: scheduler)
  }
}

/// A subscription that keeps the last value until its publisher has been silent for a while.
private final class DebounceNode<Input, Failure: Error>: TimedNode<Input, Failure> {
  private let dueTime: Duration
  /// The value that waits.
  private var last: Input?

  init(_ downstream: Downstream<Input, Failure>, _ loop: EventLoop, _ dueTime: Duration) {
    self.dueTime = dueTime
    super.init(downstream, loop)
  }

  override class var operatorName: String { "Debounce" }

  override var customMirror: Mirror {
    Mirror(
      self,
      children: [
        ("downstream", ends.subscriber as Any), ("downstreamDemand", demand), ("currentValue", last as Any),
      ])
  }

  override func receive(_ value: Input, on loop: EventLoop) {
    timer.cancel()
    guard !ends.isOver else { return }
    last = value
    wait(dueTime, on: loop) { [self] in
      last = nil
      guard demand > 0 else { return }
      demand -= 1
      demand += ends.receive(value)
    }
  }

  override func receive(_ completion: Subscribers.Completion<Failure>, on loop: EventLoop) {
    timer.cancel()
    last = nil
    loop.queueMicrotask { [self] in ends.finish(completion) }
  }

  override func dropWaiting() { last = nil }
}
#endif
