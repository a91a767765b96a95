public import UV

extension LoopPublishers {
  /// A publisher that ends if another keeps silent for too long, on a timer of an event loop.
  ///
  /// Combine's `Publishers.Timeout`.
  public struct Timeout<Upstream: Publisher>: LoopPublisher {
    /// What the upstream delivers.
    public typealias Output = Upstream.Output
    /// What the upstream fails with.
    public typealias Failure = Upstream.Failure

    /// Where the values come from.
    public let upstream: Upstream
    /// How long a silence may last.
    public let interval: EventLoop.SchedulerTimeType.Stride
    /// The loop that keeps the time and on which everything is delivered.
    public let scheduler: EventLoop
    /// Makes the error to end with; without it the publisher finishes.
    public let customError: (() -> Failure)?

    /// Subscribes to the upstream publisher on behalf of `subscriber`, and starts the clock.
    ///
    /// Combine's `Publisher.receive(subscriber:)`.
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      let next = Downstream(subscriber).grounded()
      let node = TimeoutNode(next, scheduler, interval.duration, customError)
      Downstream<Output, Failure>(node, height: next.height + 1) { node.receive($0) }.attach(to: upstream)
    }
  }
}

extension Publisher {
  /// Ends if this publisher keeps silent for longer than `interval`.
  ///
  /// The clock starts with the subscription, and again with the first demand and with each value. Unlike Combine's own operator on a
  /// scheduler of any kind, it ends with the subscription: none is left behind to keep the loop running.
  ///
  /// - Parameters:
  ///   - interval: How long a silence may last.
  ///   - scheduler: The loop that keeps the time; values and the end are delivered there, in its next microtask.
  ///   - options: None.
  ///   - customError: Makes the error to end with; without it the publisher finishes.
  ///
  /// Combine's `timeout(_:scheduler:options:customError:)`.
  public func timeout(
    _ interval: EventLoop.SchedulerTimeType.Stride, scheduler: EventLoop, options: Never? = nil,
    customError: (() -> Failure)? = nil
  ) -> LoopPublishers.Timeout<Self> {
    LoopPublishers.Timeout(upstream: self, interval: interval, scheduler: scheduler, customError: customError)
  }
}

/// A subscription with a clock, which is touched on the loop alone.
private final class TimeoutNode<Input, Failure: Error>: DescribedSubscription {
  private let loop: EventLoop
  private let interval: Duration
  private let customError: (() -> Failure)?
  private let ends: Ends<Input, Failure>
  private var clock = PendingRequest()

  init(
    _ downstream: Downstream<Input, Failure>, _ loop: EventLoop, _ interval: Duration,
    _ customError: (() -> Failure)?
  ) {
    ends = Ends(downstream)
    self.loop = loop
    self.interval = interval
    self.customError = customError
  }

  var description: String { "Timeout" }

  func receive(_ signal: Signal<Input, Failure>) -> Subscribers.Demand {
    switch signal {
    case .subscription(let subscription):
      guard let downstream = ends.connect(subscription) else { break }
      onLoop(loop.executor) { [self] _ in restart() }
      downstream.receive(link: self)
    case .value(let value):
      onLoop(loop.executor) { [self] loop in
        restart()
        loop.queueMicrotask { [self] in ends.deliver(value) }
      }
    case .completion(let completion):
      onLoop(loop.executor) { [self] loop in
        clock.cancel()
        loop.queueMicrotask { [self] in end(completion) }
      }
    }
    return .none
  }

  private func restart() {
    clock.cancel()
    guard !ends.isOver else { return }
    clock = loop.sleep(for: interval) { [self] result in
      guard case .success = result, !ends.isOver else { return }
      ends.upstream?.cancel()
      end(customError.map { .failure($0()) } ?? .finished)
    }
  }

  private func end(_ completion: Subscribers.Completion<Failure>) {
    clock.cancel()
    ends.finish(completion)
  }

  func request(_ demand: Subscribers.Demand) {
    let isFirst = ends.noteDemand()
    if isFirst { onLoop(loop.executor) { [self] _ in restart() } }
    ends.upstream?.request(demand)
  }

  func cancel() {
    // First, so that nothing which comes to the loop after this starts the clock again.
    ends.cancel()
    onLoop(loop.executor) { [self] _ in clock.cancel() }
  }
}
