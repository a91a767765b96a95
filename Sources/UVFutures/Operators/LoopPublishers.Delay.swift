public import UV

extension LoopPublishers {
  /// A publisher that delivers what another does, later, on an event loop.
  ///
  /// Combine's `Publishers.Delay`.
  public struct Delay<Upstream: Publisher>: LoopPublisher {
    /// What the upstream delivers.
    public typealias Output = Upstream.Output
    /// What the upstream fails with.
    public typealias Failure = Upstream.Failure

    /// Where the values come from.
    public let upstream: Upstream
    /// How much later.
    public let interval: EventLoop.SchedulerTimeType.Stride
    /// The loop that keeps the time and on which everything is delivered.
    public let scheduler: EventLoop

    /// Subscribes to the upstream publisher on behalf of `subscriber`.
    ///
    /// Combine's `Publisher.receive(subscriber:)`.
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      let next = Downstream(subscriber).grounded()
      let node = DelayNode(next, scheduler, interval.duration)
      Downstream<Output, Failure>(node, height: next.height + 1) { node.receive($0) }.attach(to: upstream)
    }
  }
}

extension Publisher {
  /// Delivers each value and the end `interval` later, on `scheduler`.
  ///
  /// Unlike Combine's own operator on a scheduler of any kind, it ends with the subscription: no timer is left behind to
  /// keep the loop running.
  ///
  /// - Parameters:
  ///   - interval: How much later, to the millisecond above.
  ///   - tolerance: Not used: the loop's clock is exact to the millisecond.
  ///   - scheduler: The loop that keeps the time and on which everything is delivered.
  ///   - options: None.
  ///
  /// Combine's `delay(for:tolerance:scheduler:options:)`.
  public func delay(
    for interval: EventLoop.SchedulerTimeType.Stride, tolerance: EventLoop.SchedulerTimeType.Stride? = nil,
    scheduler: EventLoop, options: Never? = nil
  ) -> LoopPublishers.Delay<Self> {
    LoopPublishers.Delay(upstream: self, interval: interval, scheduler: scheduler)
  }
}

/// A subscription whose signals wait. What waits, and the timer, are touched on the loop alone.
private final class DelayNode<Input, Failure: Error>: DescribedSubscription {
  private let executor: LoopExecutor
  private let interval: Duration
  private let ends: Ends<Input, Failure>
  private var waiting: [(due: LoopClock.Instant, signal: Signal<Input, Failure>)] = []
  private var timer: PendingRequest?

  init(_ downstream: Downstream<Input, Failure>, _ loop: EventLoop, _ interval: Duration) {
    ends = Ends(downstream)
    executor = loop.executor
    self.interval = interval
  }

  var description: String { "Delay" }

  func receive(_ signal: Signal<Input, Failure>) -> Subscribers.Demand {
    if case .subscription(let subscription) = signal {
      ends.connect(subscription)?.receive(link: self)
    } else {
      let due = LoopClock.Instant.now.advanced(by: interval)
      onLoop(executor) { [self] loop in
        guard !ends.isOver else { return }
        waiting.append((due, signal))
        if timer == nil { wait(on: loop) }
      }
    }
    return .none
  }

  private func wait(on loop: EventLoop) {
    guard let first = waiting.first else { return timer = nil }
    timer = loop.sleep(for: LoopClock.Instant.now.duration(to: first.due)) { [self] result in
      guard case .success = result else { return }
      let now = LoopClock.Instant.now
      let ready = waiting.prefix { $0.due <= now }
      waiting.removeFirst(ready.count)
      for entry in ready {
        switch entry.signal {
        case .value(let value): ends.deliver(value)
        case .completion(let completion): ends.finish(completion)
        case .subscription: break
        }
      }
      wait(on: loop)
    }
  }

  func request(_ demand: Subscribers.Demand) { ends.upstream?.request(demand) }

  func cancel() {
    // First, so that nothing which comes to the loop after this waits there.
    ends.cancel()
    onLoop(executor) { [self] _ in
      waiting = []
      timer?.cancel()
      timer = nil
    }
  }
}
