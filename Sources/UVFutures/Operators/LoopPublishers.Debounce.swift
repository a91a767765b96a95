public import UV

extension LoopPublishers {
  /// A publisher that delivers a value of another once nothing has followed it for a while, on an event loop.
  ///
  /// Combine's `Publishers.Debounce`.
  public struct Debounce<Upstream: Publisher>: LoopPublisher {
    /// What the upstream delivers.
    public typealias Output = Upstream.Output
    /// What the upstream fails with.
    public typealias Failure = Upstream.Failure

    /// Where the values come from.
    public let upstream: Upstream
    /// How long nothing may follow.
    public let dueTime: EventLoop.SchedulerTimeType.Stride
    /// The loop that keeps the time and on which everything is delivered.
    public let scheduler: EventLoop

    /// Subscribes to the upstream publisher on behalf of `subscriber`.
    ///
    /// Combine's `Publisher.receive(subscriber:)`.
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      let next = Downstream(subscriber).grounded()
      let node = DebounceNode(next, scheduler, dueTime.duration)
      Downstream<Output, Failure>(node, height: next.height + 1) { node.receive($0) }.attach(to: upstream)
    }
  }
}

extension Publisher {
  /// Delivers a value once none has followed it for `dueTime`, on `scheduler`; the end drops one that waits.
  ///
  /// Unlike Combine's own operator on a scheduler of any kind, it ends with the subscription: no timer is left behind to
  /// keep the loop running, whatever comes while it is cancelled.
  ///
  /// - Parameters:
  ///   - dueTime: How long nothing may follow, to the millisecond above.
  ///   - scheduler: The loop that keeps the time and on which everything is delivered.
  ///   - options: None.
  ///
  /// Combine's `debounce(for:scheduler:options:)`.
  public func debounce(
    for dueTime: EventLoop.SchedulerTimeType.Stride, scheduler: EventLoop, options: Never? = nil
  ) -> LoopPublishers.Debounce<Self> {
    LoopPublishers.Debounce(upstream: self, dueTime: dueTime, scheduler: scheduler)
  }
}

/// A subscription of which the last value waits. Everything but its ends is touched on the loop alone.
private final class DebounceNode<Input, Failure: Error>: DescribedSubscription {
  private let executor: LoopExecutor
  private let dueTime: Duration
  private let ends: Ends<Input, Failure>
  private var demand = Subscribers.Demand.none
  private var timer = PendingRequest()

  init(_ downstream: Downstream<Input, Failure>, _ loop: EventLoop, _ dueTime: Duration) {
    ends = Ends(downstream)
    executor = loop.executor
    self.dueTime = dueTime
  }

  var description: String { "Debounce" }

  func receive(_ signal: Signal<Input, Failure>) -> Subscribers.Demand {
    switch signal {
    case .subscription(let subscription):
      guard let downstream = ends.connect(subscription) else { break }
      downstream.receive(link: self)
      subscription.request(.unlimited)
    case .value(let value):
      onLoop(executor) { [self] loop in
        timer.cancel()
        guard !ends.isOver else { return }
        timer = loop.sleep(for: dueTime) { [self] result in
          guard case .success = result, demand > 0 else { return }
          demand -= 1
          demand += ends.receive(value)
        }
      }
    case .completion(let completion):
      onLoop(executor) { [self] loop in
        timer.cancel()
        loop.queueMicrotask { [self] in ends.finish(completion) }
      }
    }
    return .none
  }

  func request(_ more: Subscribers.Demand) { onLoop(executor) { [self] _ in demand += more } }

  func cancel() {
    // First, so that nothing which comes to the loop after this starts the timer again.
    ends.cancel()
    onLoop(executor) { [self] _ in timer.cancel() }
  }
}
