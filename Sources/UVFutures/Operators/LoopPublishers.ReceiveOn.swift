#if canImport(Combine) || Futures || Everything
import UV

extension LoopPublishers {
  /// A publisher that delivers on a scheduler what another publisher delivers.
  ///
  /// It leaves the loop, so it isn't a ``LoopPublisher``: what follows are Combine's own operators.
  ///
  /// Combine's `Publishers.ReceiveOn`.
  public struct ReceiveOn<Upstream: Publisher, Context: Scheduler>: Publisher {
    /// The upstream's values.
    public typealias Output = Upstream.Output
    /// The upstream's failure.
    public typealias Failure = Upstream.Failure

    /// Where the values come from.
    let upstream: Upstream
    /// Where they are delivered.
    let scheduler: Context
    /// The scheduler's options.
    let options: Context.SchedulerOptions?

    /// Subscribes to the upstream publisher on behalf of `subscriber`.
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      let next = Downstream(subscriber).grounded()
      let node = ReceiveOnNode(next, scheduler, options)
      Downstream<Output, Failure>(node, height: next.height + 1) { node.receive($0) }.attach(to: upstream)
    }
  }
}

extension Publisher {
  // Without `options`, which Combine's own operator has: of two that fit, the compiler takes the one with fewer
  // parameters.
  /// Delivers on `scheduler`, such as a `DispatchQueue`. A publisher of a loop stays on its loop, and demand
  /// and cancellation that come from elsewhere are brought there.
  ///
  /// Unlike Combine's own operator, it keeps the loop running while a value or the end is on its way from the
  /// loop to the scheduler, and while what follows deals with it there. So a chain can move to a queue, to
  /// another, and come back by `receive(on: loop)`. A value that an operator keeps on a queue for longer, such as
  /// Combine's `delay` there, keeps no loop running.
  ///
  /// - Parameter scheduler: Where values and the end are delivered, one after the other, in order, even by
  ///   several threads.
  public func receive<Context: Scheduler>(on scheduler: Context) -> LoopPublishers.ReceiveOn<Self, Context> {
    LoopPublishers.ReceiveOn(upstream: self, scheduler: scheduler, options: nil)
  }
}

extension LoopPublisher {
  /// Delivers on `scheduler`, with options for it; see `receive(on:)`.
  ///
  /// - Parameters:
  ///   - scheduler: Where values and the end are delivered.
  ///   - options: The scheduler's options.
  public func receive<Context: Scheduler>(
    on scheduler: Context, options: Context.SchedulerOptions?
  ) -> LoopPublishers.ReceiveOn<Self, Context> {
    LoopPublishers.ReceiveOn(upstream: self, scheduler: scheduler, options: options)
  }
}

/// The ticket that keeps a loop running while this thread deals with a signal that came from there.
private enum KeptLoop {
  private final class Slot {
    var ticket: RemoteTicket?
  }

  private static let slots = ThreadLocal<Slot>()

  static var current: RemoteTicket? { slots.get { Slot() }.ticket }

  /// Calls `body`. Messages that it sends to the loop arrive before the loop ceases to run for the ticket.
  static func keep(_ ticket: RemoteTicket?, _ body: () -> Void) {
    let slot = slots.get { Slot() }
    let outer = slot.ticket
    slot.ticket = ticket
    defer { slot.ticket = outer }
    body()
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
    let ticket = ticket
    lock.withLock { waiting.append(signal) }
    scheduler.schedule(options: options) { [self] in
      gate.run { [self] in KeptLoop.keep(ticket) { handOn() } }
    }
    return .none
  }

  /// The ticket that keeps the loop running for a signal: one of this thread's loop, or the one by which it came to
  /// this thread.
  private var ticket: RemoteTicket? {
    guard let loop = EventLoop.current else { return KeptLoop.current }
    // The publisher's own loop takes what is scheduled there in this turn.
    return loop === (scheduler as? EventLoop) ? nil : RemoteTicket(carrying: loop.executor, of: loop)
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
#endif
