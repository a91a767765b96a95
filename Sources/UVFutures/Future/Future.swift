#if canImport(Combine) || Futures || Everything
public import UV

/// A value or an error that arrives once, from work that starts when the future is created.
///
/// A future is eager: its closure runs once, when the future is created, with or without subscribers. Each
/// subscriber, early or late, receives the same result; the work isn't repeated. For work that starts with
/// each subscription, use `Deferred { Future { … } }` or `Request.publisher()`.
///
/// ```swift
/// func answer() -> Future<Int, Never> {
///   Future { promise in loop.sleep(for: .seconds(1)) { _ in promise(.success(42)) } }
/// }
/// answer().map { $0 * 2 }.sink { print($0) }.store(in: &cancellables)
/// ```
///
/// A future that is created on a loop delivers on that loop, whichever thread calls the promise. The loop
/// keeps running until the promise is called or its last copy is released. A future that is created outside a
/// loop may be resolved and subscribed to on any thread, and delivers on the thread that resolves it.
///
/// A subscriber of a resolved future receives the value while it subscribes.
///
/// Combine's `Future`.
public final class Future<Output, Failure: Error>: LoopPublisher {
  /// The argument of a future's closure: call it once with the result; further calls do nothing.
  public typealias Promise = (Result<Output, Failure>) -> Void

  @usableFromInline @exclusivity(unchecked) var storage = OutcomeStorage()
  /// A function without captures that destroys the outcome; nil while there is none to destroy.
  @usableFromInline @exclusivity(unchecked) var destroyOutcome: ((Future) -> Void)?
  @usableFromInline @exclusivity(unchecked) var firstSubscription: FutureSubscription<Output, Failure>?
  // Sound: the last of the list that the first keeps alive.
  @usableFromInline @exclusivity(unchecked)
  unowned(unsafe) var lastSubscription: FutureSubscription<Output, Failure>?
  /// Cancels the work, called when the last subscriber has cancelled.
  @usableFromInline @exclusivity(unchecked) var cancelWork: (() -> Void)?
  /// The gate that every signal goes through where there is no loop: a future that is made outside one may be
  /// resolved and subscribed to by any thread. Nil on a loop, and where somebody in this module settles it.
  @usableFromInline @exclusivity(unchecked) var gate: Gate?
  @exclusivity(unchecked) @usableFromInline package var waitingPlace: Int32 = -1
  /// Whether it has been decided how the future ends.
  @usableFromInline @exclusivity(unchecked) var isSettled = false

  #if DEBUG
  /// The loop on which the future was made, if any.
  @usableFromInline let home = EventLoop.current?.executor
  #endif

  /// Stops a debug build if the calling thread isn't that of the loop on which the future was made.
  @inlinable @inline(__always)
  func assertOnLoop() {
    #if DEBUG
    checkLoop()
    #endif
  }

  #if DEBUG
  @usableFromInline
  func checkLoop() { home?.assertOnLoop("a future of an event loop") }
  #endif

  /// A future that somebody else settles.
  @inlinable
  init() {}

  /// Creates a future and calls `attemptToFulfill` at once, the only time.
  ///
  /// - Parameter attemptToFulfill: Starts the work and has the promise called with its result, at once or
  ///   later, on any thread. If the promise is never called, subscribers receive nothing, and are released
  ///   with its last copy.
  ///
  /// On the loop's thread delivery happens inside the call of the promise, from elsewhere when the loop comes
  /// to it. The compiler does not check that a result which is not `Sendable` is given up by the thread that
  /// calls; that of ``FutureResolver`` does. Complexity: O(1), and O(*n*) to deliver to *n* subscribers.
  @inlinable
  public convenience init(_ attemptToFulfill: (@escaping Promise) -> Void) {
    self.init(start: { attemptToFulfill($0) })
  }

  /// The promise may be called by any thread in any case. Whether the compiler lets one be captured there is up to
  /// the initializers.
  @inlinable
  init(start: (@escaping @Sendable (Result<Output, Failure>) -> Void) -> Void) {
    if let ticket = RemoteTicket.openOnLoop(self) {
      start { Future<Output, Failure>.resolve(ticket, $0) }
      RemoteTicket.reportLost(consume ticket)
    } else {
      gate = Gate()
      // Sound: touched inside the gate.
      let transfer = UnsafeTransfer(self)
      start { transfer.value.settleThroughGate($0) }
    }
  }

  deinit {
    if firstSubscription != nil { abandon() }
    if let destroyOutcome { destroyOutcome(self) }
  }

  /// Lets subscribers go that can hear nothing any more.
  private func abandon() {
    while firstSubscription != nil {
      var last = firstSubscription
      remove(last!)
      Trampoline.bounce { last = nil }
    }
  }

  /// Subscribes: the subscriber gets its subscription, and then, once it asks, the result.
  ///
  /// A success waits for demand, a failure does not. If the result is there, it is delivered before this
  /// returns.
  @inlinable
  public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
    if S.self == OutcomeTaker<Output, Failure>.self, let taker = subscriber as? OutcomeTaker<Output, Failure>
    {
      if gate == nil, let outcome { taker.take(outcome) }
      return
    }
    let downstream = Downstream(subscriber)
    if let gate { return receive(downstream, through: gate) }
    receiveNow(downstream)
  }

  @inlinable
  func receiveNow(_ downstream: Downstream<Output, Failure>) {
    let subscription = FutureSubscription(downstream)
    downstream.receive(link: subscription)
    if subscription.isOver { return }
    if let outcome { return subscription.fulfill(outcome, of: self) }
    insert(subscription)
  }

  /// Settles the future of a ticket, from any thread.
  @inlinable
  static func resolve(_ ticket: RemoteTicket, _ result: Result<Output, Failure>) {
    let (object, isHere) = ticket.claimNow()
    // Sound: what the ticket was made for.
    if let object { return unsafeDowncast(object, to: Future.self).settle(result) }
    if isHere || !ticket.claim() { return }
    switch result {
    case .success(let value):
      // Sound: the caller gives the value up, and the loop takes it. A value without a size is captured without an
      // allocation, a result isn't.
      let transfer = UnsafeTransfer(value)
      ticket.complete { unsafeDowncast($0, to: Future.self).settle(.success(transfer.value)) }
    case .failure(let error):
      ticket.complete { unsafeDowncast($0, to: Future.self).settle(.failure(error)) }
    }
  }

  /// Subscribes from any thread to a future that was made outside a loop. Signals come on the thread that
  /// settles it, or on the loop where it is subscribed to.
  @usableFromInline
  func receive(_ downstream: Downstream<Output, Failure>, through gate: Gate) {
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
  func settleThroughGate(_ result: Result<Output, Failure>) {
    guard let gate else { return settle(result) }
    gate.run { [self] in settle(result) }
  }

  /// Decides the future, unless that has been done, and delivers.
  @inlinable
  func settle(_ result: Result<Output, Failure>) {
    assertOnLoop()
    guard !isSettled else { return }
    store(result)
    if cancelWork != nil { cancelWork = nil }
    if firstSubscription != nil {
      if let state = Trampoline.enter() {
        fulfillSubscriptions(result)
        state.leave()
      } else {
        Trampoline.bounce { [self] in fulfillSubscriptions(result) }
      }
    }
  }

  /// One at a time from the front, because a subscriber may cancel others. A subscription shows this future
  /// while it delivers.
  @inlinable
  func fulfillSubscriptions(_ result: Result<Output, Failure>) {
    while let subscription = firstSubscription {
      subscription.fulfill(result, of: self)
      // Not if it has been cancelled meanwhile.
      if subscription.future != nil { remove(subscription) }
    }
  }

  @inlinable
  func insert(_ subscription: FutureSubscription<Output, Failure>) {
    assertOnLoop()
    assert(subscription.future == nil && subscription.next == nil, "a subscription is listed twice")
    subscription.future = self
    subscription.previous = lastSubscription
    if let last = lastSubscription { last.next = subscription } else { firstSubscription = subscription }
    lastSubscription = subscription
  }

  @inlinable
  func remove(_ subscription: FutureSubscription<Output, Failure>) {
    assert(subscription.future === self, "a subscription of another future")
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
  func subscriptionCancelled(_ subscription: FutureSubscription<Output, Failure>) {
    remove(subscription)
    cancelWorkUnlessNeeded()
  }

  /// Cancels the work if all subscribers that there still are have given up.
  func cancelWorkUnlessNeeded() {
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

extension Future where Output: Sendable {
  /// Creates a future and calls `attemptToFulfill` at once, the only time. Its promise can be captured by the
  /// completion handler of work on another thread:
  ///
  /// ```swift
  /// Future<Data, any Error> { promise in
  ///   URLSession.shared.dataTask(with: url) { data, _, error in
  ///     promise(data.map { .success($0) } ?? .failure(error!))
  ///   }.resume()
  /// }
  /// ```
  ///
  /// - Parameter attemptToFulfill: Starts the work and has the promise called with its result, at once or
  ///   later, on any thread. If the promise is never called, subscribers receive nothing, and are released
  ///   with its last copy.
  ///
  /// Complexity: O(1), and O(*n*) to deliver to *n* subscribers.
  @inlinable
  public convenience init(
    _ attemptToFulfill: (@escaping @Sendable (Result<Output, Failure>) -> Void) -> Void
  ) {
    self.init(start: attemptToFulfill)
  }
}

/// A loop runs until a future is resolved that was made on it.
extension Future: Answerable {
  @usableFromInline package var keepsLoopRunning: Bool { !isSettled }
  @usableFromInline package var nameIfForsaken: String? { isSettled ? nil : "\(type(of: self))" }

  /// Subscribers receive nothing, but tasks that await the value learn that none will come.
  @usableFromInline package func forsake() {
    guard !isSettled else { return }
    waitingPlace = Self.forsakenPlace
    var waiters: [Downstream<Output, Failure>] = []
    var subscription = firstSubscription
    while let current = subscription {
      if let downstream = current.downstream, downstream.label == FutureWaiter<Output, Failure>.self {
        waiters.append(downstream)
      }
      subscription = current.next
    }
    for waiter in waiters { waiter.receive(completion: .finished) }
  }

  /// The place of a future that nobody can resolve any more.
  private static var forsakenPlace: Int32 { -2 }

  /// Whether nobody can resolve the future any more.
  var isForsaken: Bool { waitingPlace == Self.forsakenPlace }
}
#endif
