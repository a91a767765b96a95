import UV

extension LoopPublishers {
  /// A publisher that delivers on a scheduler what a loop's publisher delivers.
  ///
  /// It leaves the loop, so it isn't a ``LoopPublisher``: what follows are Combine's own operators.
  ///
  /// Combine's `Publishers.ReceiveOn`.
  public struct ReceiveOn<Upstream: LoopPublisher, Context: Scheduler>: Publisher {
    /// The upstream's values.
    public typealias Output = Upstream.Output
    /// The upstream's failure.
    public typealias Failure = Upstream.Failure

    /// Where the values come from.
    public let upstream: Upstream
    /// Where they are delivered.
    public let scheduler: Context
    /// The scheduler's options.
    public let options: Context.SchedulerOptions?

    /// Subscribes to the upstream publisher on behalf of `subscriber`.
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      let next = Downstream(subscriber).grounded()
      let node = ReceiveOnNode(next, scheduler, options)
      Downstream<Output, Failure>(node, height: next.height + 1) { node.receive($0) }.attach(to: upstream)
    }
  }
}

extension LoopPublisher {
  /// Delivers on `scheduler`, such as a `DispatchQueue`. The publisher itself stays on its loop, and demand
  /// and cancellation that come from elsewhere are brought there.
  ///
  /// Unlike Combine's own operator, it keeps the loop running while a value or the end is on its way to the
  /// scheduler and dealt with there. So a chain can move to a queue, and come back by `receive(on: loop)`.
  ///
  /// - Parameters:
  ///   - scheduler: Where values and the end are delivered, one after the other, in order, even by several
  ///     threads.
  ///   - options: What the scheduler is told.
  public func receive<Context: Scheduler>(
    on scheduler: Context, options: Context.SchedulerOptions? = nil
  ) -> LoopPublishers.ReceiveOn<Self, Context> {
    LoopPublishers.ReceiveOn(upstream: self, scheduler: scheduler, options: options)
  }
}

/// A subscription that moves to a scheduler.
private final class ReceiveOnNode<Input, Failure: Error, Context: Scheduler>: DescribedSubscription {
  private let ends: Ends<Input, Failure>
  private let scheduler: Context
  private let options: Context.SchedulerOptions?
  /// A scheduler may have several threads: signals pass one at a time, in their order. Only the scheduler's
  /// threads come in, because a thread inside does what others have left.
  private let gate = Gate()
  private let lock = Lock()
  /// Touched under the lock.
  private var waiting = Queue<Signal<Input, Failure>>()
  /// Whether the end is on its way; where the upstream delivers.
  private var isEnding = false

  init(_ downstream: Downstream<Input, Failure>, _ scheduler: Context, _ options: Context.SchedulerOptions?) {
    ends = Ends(downstream)
    self.scheduler = scheduler
    self.options = options
  }

  deinit { lock.deallocate() }

  static var operatorName: String { "ReceiveOn" }

  func receive(_ signal: Signal<Input, Failure>) -> Subscribers.Demand {
    if case .subscription(let link) = signal {
      ends.connect(LoopLink.front(of: link))?.receive(subscription: self)
      return .none
    }
    // Not before the subscription, nor after its end.
    guard !isEnding, ends.upstream != nil else { return .none }
    if case .completion = signal { isEnding = true }
    // The publisher's own loop takes what is scheduled there in this turn.
    let loop = EventLoop.current.flatMap { $0 === (scheduler as? EventLoop) ? nil : $0 }
    let ticket = loop.map { RemoteTicket(carrying: $0.executor, of: $0) }
    lock.withLock { waiting.append(signal) }
    scheduler.schedule(options: options) { [self] in
      gate.run { [self] in
        handOn()
        // Messages that this has sent to the loop arrive first.
        withExtendedLifetime(ticket) {}
      }
    }
    return .none
  }

  private func handOn() {
    switch lock.withLock({ waiting.popFirst() }) {
    case .value(let value): ends.deliver(value)
    case .completion(let completion): ends.finish(completion)
    case .subscription, nil: break
    }
  }

  func request(_ demand: Subscribers.Demand) { ends.upstream?.request(demand) }

  func cancel() { ends.cancel() }
}
