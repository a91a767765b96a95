/// A value or an error that will be there once, made by work that starts with it.
///
/// A future is eager: its closure runs once, when the future is made, whether anybody subscribes or not. Each
/// subscriber, early or late, gets the same result; the work is not repeated. For work that starts with
/// each subscription there are `Deferred { Future { … } }` and `Request.publisher()`.
///
/// ```swift
/// func answer() -> Future<Int, Never> {
///   Future { promise in loop.sleep(for: .seconds(1)) { _ in promise(.success(42)) } }
/// }
/// answer().map { $0 * 2 }.sink { print($0) }.store(in: &cancellables)
/// ```
///
/// A future belongs to the thread on which it is made, usually a loop's, and takes no lock. To resolve one from
/// another thread there is ``FutureResolver``.
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
/// `map`, `filter` and `zip` are in both. Combine's is meant unless the result is used as a future: stored in
/// a variable or returned from a function of that type, or followed by an operator that only futures have.
///
/// They also answer differently to "already resolved": a Combine subscriber gets the value while it subscribes, an
/// RxStream handler in the loop's next microtask (or at once by ``replay()``).
///
/// Combine's `Future`, and RxStream's.
public class Future<Output, Failure: Error>: LoopPublisher {
  /// What a future's closure gets: call it once with the result; further calls do nothing.
  public typealias Promise = (Result<Output, Failure>) -> Void

  /// How the future ended, nil until then. In a closure, because that is destroyed by code that knows its type: to
  /// destroy a field of a generic type, a generic class first looks the type up at run time.
  @usableFromInline @exclusivity(unchecked) final var outcome: (() -> Settlement<Output, Failure>)?
  @usableFromInline @exclusivity(unchecked) final var firstSubscription: FutureSubscription<Output, Failure>?
  // Sound: the last of the list that the first keeps alive.
  @usableFromInline @exclusivity(unchecked)
  final unowned(unsafe) var lastSubscription: FutureSubscription<Output, Failure>?
  /// Cancels the work, called when the last subscriber has cancelled.
  @usableFromInline @exclusivity(unchecked) final var cancelWork: (() -> Void)?
  /// What RxStream's operators have attached to this future.
  @usableFromInline @exclusivity(unchecked) final var stream: StreamNode<Output, Failure>?
  /// Starts work that waits for somebody to attach.
  @usableFromInline @exclusivity(unchecked) final var startWork: (() -> Void)?

  /// A future that somebody else settles.
  @inlinable
  init() {}

  /// Creates a future and calls `attemptToFulfill` at once, the only time.
  ///
  /// - Parameter attemptToFulfill: Starts the work and has the promise called with its result, at once or later.
  ///   If it is never called, subscribers never hear anything; once every copy of it is gone they are let go.
  ///
  /// Delivery happens inside the call of the promise. Complexity: O(1), and O(*n*) to deliver to *n* subscribers.
  ///
  /// Combine's `Future`.
  @inlinable
  public convenience init(_ attemptToFulfill: (@escaping Promise) -> Void) {
    self.init()
    attemptToFulfill { [self] in settle(with: $0) }
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
    let subscription = FutureSubscription(downstream)
    downstream.receive(link: subscription)
    if subscription.isOver { return }
    if let outcome { return subscription.fulfill(outcome) }
    insert(subscription)
    if startWork != nil { startWorkNow() }
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
    guard outcome == nil else { return }
    let outcome = { settlement }
    self.outcome = outcome
    if cancelWork != nil { cancelWork = nil }
    if startWork != nil { startWork = nil }
    if firstSubscription != nil {
      if Trampoline.enter() {
        fulfillSubscriptions(outcome)
        Trampoline.leave()
      } else {
        Trampoline.bounce { [self] in fulfillSubscriptions(outcome) }
      }
    }
    if stream != nil { fulfillBranches(settlement) }
  }

  /// One at a time from the front, because a subscriber may cancel others.
  @inlinable
  final func fulfillSubscriptions(_ outcome: @escaping () -> Settlement<Output, Failure>) {
    while let subscription = firstSubscription {
      remove(subscription)
      subscription.fulfill(outcome)
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
