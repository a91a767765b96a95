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

/// A subscription with a clock. Everything but the upstream publisher's calls happens on the loop.
private final class TimeoutNode<Input, Failure: Error>: Subscription {
  private let loop: EventLoop
  private let interval: Duration
  private let customError: (() -> Failure)?
  private var downstream: Downstream<Input, Failure>?
  private var upstream: Link?
  private var clock = PendingRequest()
  private var hasDemand = false

  init(
    _ downstream: Downstream<Input, Failure>, _ loop: EventLoop, _ interval: Duration,
    _ customError: (() -> Failure)?
  ) {
    self.downstream = downstream
    self.loop = loop
    self.interval = interval
    self.customError = customError
  }

  func receive(_ signal: Signal<Input, Failure>) -> Subscribers.Demand {
    switch signal {
    case .subscription(let subscription):
      guard upstream == nil, let downstream else {
        subscription.cancel()
        break
      }
      upstream = subscription
      onLoop(loop.executor) { [self] _ in restart() }
      downstream.receive(link: self)
    case .value(let value):
      onLoop(loop.executor) { [self] loop in
        restart()
        loop.queueMicrotask { [self] in
          guard let downstream else { return }
          let demand = downstream.receive(value)
          if demand > 0 { upstream?.request(demand) }
        }
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
    guard downstream != nil else { return }
    clock = loop.sleep(for: interval) { [self] result in
      guard case .success = result, downstream != nil else { return }
      upstream?.cancel()
      end(customError.map { .failure($0()) } ?? .finished)
    }
  }

  private func end(_ completion: Subscribers.Completion<Failure>) {
    guard let downstream else { return }
    self.downstream = nil
    upstream = nil
    clock.cancel()
    downstream.receive(completion: completion)
  }

  func request(_ demand: Subscribers.Demand) {
    if !hasDemand {
      hasDemand = true
      onLoop(loop.executor) { [self] _ in restart() }
    }
    upstream?.request(demand)
  }

  func cancel() {
    let (last, upstream) = (downstream, upstream)
    downstream = nil
    self.upstream = nil
    clock.cancel()
    upstream?.cancel()
    _ = last
  }
}
