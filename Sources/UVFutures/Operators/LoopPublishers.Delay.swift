#if canImport(Combine) || Futures || Everything
public import UV

extension LoopPublishers {
  /// A publisher that delivers what another does, later, on an event loop.
  ///
  /// Combine's `Publishers.Delay`.
  public struct Delay<Upstream: Publisher>: LoopPublisher {
    /// The upstream's values.
    public typealias Output = Upstream.Output
    /// The upstream's failure.
    public typealias Failure = Upstream.Failure

    /// Where the values come from.
    let upstream: Upstream
    /// How much later.
    let interval: EventLoop.SchedulerTimeType.Stride
    /// The loop that keeps the time and on which everything is delivered.
    let scheduler: EventLoop

    /// Subscribes to the upstream publisher on behalf of `subscriber`.
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      DelayNode(Downstream(subscriber), scheduler, interval.duration).subscribe(to: upstream)
    }
  }
}

extension Publisher {
  /// Delivers each value and the end `interval` later, on `scheduler`.
  ///
  /// Unlike Combine's own operator on a scheduler of any kind, it ends with the subscription: no timer is
  /// left behind to keep the loop running.
  ///
  /// - Parameters:
  ///   - interval: How much later, to the millisecond above.
  ///   - tolerance: Not used: the loop's clock is exact to the millisecond.
  ///   - scheduler: The loop that keeps the time and on which everything is delivered.
  ///   - options: None.
  public func delay(
    for interval: EventLoop.SchedulerTimeType.Stride, tolerance: EventLoop.SchedulerTimeType.Stride? = nil,
    scheduler: EventLoop, options: Never? = nil
  ) -> LoopPublishers.Delay<Self> {
    LoopPublishers.Delay(upstream: self, interval: interval, scheduler: scheduler)
  }
}

/// A subscription whose signals wait.
private final class DelayNode<Input, Failure: Error>: TimedNode<Input, Failure> {
  private let interval: Duration
  private var waiting = Queue<(due: LoopClock.Instant, signal: Signal<Input, Failure>)>()
  private var isWaiting = false

  init(_ downstream: Downstream<Input, Failure>, _ loop: EventLoop, _ interval: Duration) {
    self.interval = interval
    super.init(downstream, loop)
  }

  override class var operatorName: String { "Delay" }

  override func begin(_ link: Link, _ downstream: Downstream<Input, Failure>) {
    downstream.receive(link: self)
  }

  override func receive(_ signal: Signal<Input, Failure>) -> Subscribers.Demand {
    if case .subscription = signal { return super.receive(signal) }
    // The time counts from here, and not from when the loop comes to it.
    let due = LoopClock.Instant.now.advanced(by: interval)
    onLoop(executor) { [self] loop in
      guard !ends.isOver else { return }
      waiting.append((due, signal))
      if !isWaiting { waitForFirst(on: loop) }
    }
    return .none
  }

  private func waitForFirst(on loop: EventLoop) {
    isWaiting = !waiting.isEmpty
    guard let first = waiting.first else { return }
    wait(LoopClock.Instant.now.duration(to: first.due), on: loop) { [self] in
      let now = LoopClock.Instant.now
      while let entry = waiting.first, entry.due <= now {
        _ = waiting.popFirst()
        switch entry.signal {
        case .value(let value): ends.deliver(value)
        case .completion(let completion): ends.finish(completion)
        case .subscription: break
        }
      }
      waitForFirst(on: loop)
    }
  }

  override func request(_ demand: Subscribers.Demand) { ends.upstream?.request(demand) }

  override func dropWaiting() {
    waiting = Queue()
    isWaiting = false
  }
}
#endif
