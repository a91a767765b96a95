public import UV

/// A value or an error that arrives once, from work that starts when the future is created.
///
/// A future is eager: its closure runs once, when the future is created, with or without subscribers. Each subscriber, early or
/// late, receives the same result; the work isn't repeated. For work that starts with each subscription, use
/// `Deferred { Future { … } }` or `Request.publisher()`.
///
/// ```swift
/// func answer() -> Future<Int, Never> {
///   Future { promise in loop.sleep(for: .seconds(1)) { _ in promise(.success(42)) } }
/// }
/// answer().map { $0 * 2 }.sink { print($0) }.store(in: &cancellables)
/// ```
///
/// A future that is created on a loop delivers on that loop, whichever thread calls the promise. The loop keeps running until
/// the promise is called or its last copy is released. A future that is created outside a loop may be resolved and subscribed
/// to on any thread, and delivers on the thread that resolves it.
///
/// ## Eager and cold operators
///
/// Two vocabularies meet here. Combine's operators return cold publishers, which do nothing until something
/// subscribes. RxStream's attach at once and return another future.
///
/// | Operator | Vocabulary | Returns | Starts |
/// |---|---|---|---|
/// | `map`, `flatMap`, `filter`, `zip(_:)`, `replaceError`, `retry`, `receive(on:)` … | Combine | a publisher | when subscribed |
/// | `sink`, `assign` | Combine | an `AnyCancellable` | at once |
/// | `on`, `then`, `onError`, `onTerminate`, `resultMap`, `asyncMap`, `stamp`, `timeStamp`, `defaultValue`, `delay(_:)`, `doWhile`, `until`, `using`, `lifeOf`, `replay` | RxStream | a `Future` | at once |
/// | `map`, `filter(include:)`, `merge(_:)`, `zip(_:)`, `combine(_:)` where a `Future` is asked for | RxStream | a `Future` | at once |
/// | `flatMap` to an array, `flatten`, `start(with:)`, `concat` | RxStream | a ``Hot`` | at once |
///
/// Both vocabularies have `map`, `filter` and `zip`. The compiler takes Combine's unless the result is used as a future: stored
/// in a variable or returned from a function of that type, or followed by an operator that only futures have.
///
/// The vocabularies treat a resolved future differently. A Combine subscriber receives the value while it subscribes; an
/// RxStream handler receives it in the loop's next microtask, or at once by ``replay()``.
///
/// Combine's `Future`, and RxStream's.
public class Future<Output, Failure: Error>: LoopPublisher {
  /// The argument of a future's closure: call it once with the result; further calls do nothing.
  public typealias Promise = (Result<Output, Failure>) -> Void

  @usableFromInline @exclusivity(unchecked) final var storage = SettlementStorage()
  /// A function without captures that destroys the outcome; nil while there is none.
  @usableFromInline @exclusivity(unchecked) final var destroyOutcome: ((Future) -> Void)?
  @usableFromInline @exclusivity(unchecked) final var firstSubscription: FutureSubscription<Output, Failure>?
  // Sound: the last of the list that the first keeps alive.
  @usableFromInline @exclusivity(unchecked)
  final unowned(unsafe) var lastSubscription: FutureSubscription<Output, Failure>?
  /// Cancels the work, called when the last subscriber has cancelled.
  @usableFromInline @exclusivity(unchecked) final var cancelWork: (() -> Void)?
  /// The operators of RxStream's vocabulary that are attached to this future.
  @usableFromInline @exclusivity(unchecked) final var stream: StreamNode<Output, Failure>?
  /// The gate that every signal goes through where there is no loop: a future that is made outside one may be resolved and
  /// subscribed to by any thread. Nil on a loop, and where somebody in this module settles it.
  @usableFromInline @exclusivity(unchecked) final var gate: Gate?
  /// Starts work that waits for somebody to attach.
  @usableFromInline @exclusivity(unchecked) final var startWork: (() -> Void)?

  /// A future that somebody else settles.
  @inlinable
  init() {}

  /// Creates a future and calls `attemptToFulfill` at once, the only time.
  ///
  /// - Parameter attemptToFulfill: Starts the work and has the promise called with its result, at once or later, on any
  ///   thread. If the promise is never called, subscribers receive nothing, and are released with its last copy.
  ///
  /// On the loop's thread delivery happens inside the call of the promise, from elsewhere when the loop comes to it. The
  /// compiler does not check that a result which is not `Sendable` is given up by the thread that calls; that of
  /// ``FutureResolver`` does. Complexity: O(1), and O(*n*) to deliver to *n* subscribers.
  ///
  /// Combine's `Future`.
  @inlinable
  public init(_ attemptToFulfill: (@escaping Promise) -> Void) {
    if EventLoop.current != nil {
      RemoteTicket.open(self) { ticket in
        attemptToFulfill { Future<Output, Failure>.resolve(ticket, $0) }
      }
    } else {
      gate = Gate()
      attemptToFulfill { [self] in settleThroughGate($0) }
    }
  }

  /// Creates a future on the current loop and runs `task` at once, where `dispatch` says.
  ///
  /// - Parameters:
  ///   - dispatch: Where `task` runs.
  ///   - task: Gets what to call with the result, from any thread; further calls do nothing.
  ///
  /// There must be a current loop: outside one this stops the program with a message.
  ///
  /// RxStream's `Future.init(dispatch:task:)`.
  public convenience init(
    dispatch: Dispatch, task: @escaping @Sendable (FutureResolver<Output, Failure>) -> Void
  ) {
    self.init(on: .needed(for: "Future(dispatch:task:)")) { resolver in
      dispatch.run { task(resolver) }
    }
  }

  deinit {
    if firstSubscription != nil || stream != nil { abandon() }
    if let destroyOutcome { destroyOutcome(self) }
  }

  /// Lets subscribers go that can hear nothing any more.
  private func abandon() {
    while firstSubscription != nil {
      var last = firstSubscription
      remove(last!)
      Trampoline.bounce { last = nil }
    }
    stream?.abandon()
  }

  /// Subscribes: the subscriber gets its subscription, and then, once it asks, the result.
  ///
  /// A success waits for demand, a failure does not. If the result is there, it is delivered before this returns.
  ///
  /// Combine's `Publisher.receive(subscriber:)`.
  @inlinable
  public final func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
    let downstream = Downstream(subscriber)
    if let gate { return receive(downstream, through: gate) }
    receiveNow(downstream)
  }

  @inlinable
  final func receiveNow(_ downstream: Downstream<Output, Failure>) {
    let subscription = FutureSubscription(downstream)
    downstream.receive(link: subscription)
    if subscription.isOver { return }
    if let outcome { return subscription.fulfill(outcome, of: self) }
    insert(subscription)
    if startWork != nil { startWorkNow() }
  }

  /// Settles the future of a ticket, from any thread.
  @inlinable
  static func resolve(_ ticket: RemoteTicket, _ result: Result<Output, Failure>) {
    guard ticket.claim() else { return }
    // Sound: the caller gives the result up, and the loop takes it.
    let transfer = UnsafeTransfer(result)
    // Sound: what the ticket was made for.
    if let object = ticket.takeNow() {
      return unsafeDowncast(object, to: Future.self).settle(with: transfer.value)
    }
    ticket.complete { unsafeDowncast($0, to: Future.self).settle(with: transfer.value) }
  }

  /// Subscribes from any thread to a future that was made outside a loop. Signals come on the thread that settles it, or
  /// on the loop where it is subscribed to.
  @usableFromInline
  final func receive(_ downstream: Downstream<Output, Failure>, through gate: Gate) {
    var next = downstream
    if let loop = EventLoop.current { next = Crossing(loop.executor, next).always }
    let guarded = Downstream<Output, Failure>(next.combineIdentifier, next.label, height: next.height + 1) {
      [next] signal in
      if case .subscription(let link) = signal { return next.deliver(.subscription(gate.guarding(link))) }
      return next.deliver(signal)
    }
    gate.run { [self] in receiveNow(guarded) }
  }

  /// Settles the future, from any thread, where it was made outside a loop.
  @usableFromInline
  final func settleThroughGate(_ result: Result<Output, Failure>) {
    guard let gate else { return settle(with: result) }
    gate.run { [self] in settle(with: result) }
  }

  @inlinable
  final func settle(with result: Result<Output, Failure>) {
    switch result {
    case .success(let output): settle(.value(output))
    case .failure(let error): settle(.failure(error))
    }
  }

  /// Decides the future, unless that has been done, and delivers.
  @inlinable
  final func settle(_ settlement: Settlement<Output, Failure>) {
    guard !isSettled else { return }
    store(settlement)
    if cancelWork != nil { cancelWork = nil }
    if startWork != nil { startWork = nil }
    if firstSubscription != nil {
      if Trampoline.enter() {
        fulfillSubscriptions(settlement)
        Trampoline.leave()
      } else {
        Trampoline.bounce { [self] in fulfillSubscriptions(settlement) }
      }
    }
    if stream != nil { fulfillBranches(settlement) }
  }

  /// One at a time from the front, because a subscriber may cancel others.
  @inlinable
  final func fulfillSubscriptions(_ settlement: Settlement<Output, Failure>) {
    while let subscription = firstSubscription {
      remove(subscription)
      subscription.fulfill(settlement, of: self)
    }
  }

  @usableFromInline
  final func startWorkNow() {
    let start = startWork
    startWork = nil
    start?()
  }

  @inlinable
  final func insert(_ subscription: FutureSubscription<Output, Failure>) {
    subscription.future = self
    subscription.previous = lastSubscription
    if let last = lastSubscription { last.next = subscription } else { firstSubscription = subscription }
    lastSubscription = subscription
  }

  @inlinable
  final func remove(_ subscription: FutureSubscription<Output, Failure>) {
    let next = subscription.next
    let previous = subscription.previous
    subscription.future = nil
    subscription.next = nil
    subscription.previous = nil
    next?.previous = previous
    if next == nil { lastSubscription = previous }
    if let previous { previous.next = next } else { firstSubscription = next }
  }

  /// Called when a subscriber has cancelled.
  @usableFromInline
  final func subscriptionCancelled(_ subscription: FutureSubscription<Output, Failure>) {
    remove(subscription)
    cancelWorkUnlessNeeded()
  }

  /// Cancels the work if all subscribers that there still are have given up.
  final func cancelWorkUnlessNeeded() {
    if hasBranches { return }
    var subscription = firstSubscription
    while let current = subscription {
      if !current.hasGivenUp { return }
      subscription = current.next
    }
    cancelWorkNow()
  }

  private func cancelWorkNow() {
    guard let cancelWork else { return }
    self.cancelWork = nil
    cancelWork()
  }
}

/// A loop runs until a future is resolved that was made on it. Its subscribers are told nothing if that doesn't happen.
extension Future: Answerable {
  package final var keepsLoopRunning: Bool { !isSettled }
  package final var nameIfForsaken: String? { isSettled ? nil : "\(type(of: self))" }
  package final func forsake() {}
}
