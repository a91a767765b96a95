#if canImport(Combine) || Futures || Everything
import UV

/// One run of a request for a subscriber of another library, which may use its subscription on any thread.
///
/// It does what a ``RequestSubscription`` does behind a ``Downstream`` and a ``LoopLink``, as one object. A
/// `flatMap` of another library's makes it for each value, in code that isn't specialised: there each type
/// that is named costs a search. They share no class for the same reason: over the subscriber's type, one
/// took 410 instructions more for each request.
@usableFromInline
final class ForeignRequestSubscription<Child: Subscriber>: Subscription where Child.Failure == UVError {
  private let executor: LoopExecutor
  @exclusivity(unchecked) private var hasDemand = false
  @exclusivity(unchecked) private var isSubscribing = true
  @exclusivity(unchecked) private var isCancelled = false
  @exclusivity(unchecked) private var pending = PendingRequest()
  /// Makes the request; nil once it has been started.
  @exclusivity(unchecked) private var request: Request<Child.Input>?
  /// Nil once the subscription is over.
  @exclusivity(unchecked) private var child: Child?

  @usableFromInline
  init(_ child: Child, _ request: Request<Child.Input>) {
    executor = request.loop.executor
    self.request = request
    self.child = child
  }

  /// Hands the subscription over, on the loop, and starts what was asked for meanwhile. A `flatMap` of another
  /// library's subscribes on the thread that its values come from.
  @usableFromInline
  func begin() {
    if executor.isOnLoop { beginNow() } else { executor.requestFromElsewhere { [self] in beginNow() } }
  }

  private func beginNow() {
    child?.receive(subscription: self)
    isSubscribing = false
    if hasDemand { run() }
  }

  @usableFromInline
  func request(_ demand: Subscribers.Demand) {
    if executor.isOnLoop {
      requestNow(demand)
    } else {
      executor.requestFromElsewhere { [self] in requestNow(demand) }
    }
  }

  @usableFromInline
  func cancel() {
    if executor.isOnLoop { cancelNow() } else { executor.cancelFromElsewhere { [self] in cancelNow() } }
  }

  private func requestNow(_ demand: Subscribers.Demand) {
    require(demand > 0, "API violation: demand must not be zero")
    hasDemand = true
    if !isSubscribing { run() }
  }

  private func cancelNow() {
    isCancelled = true
    guard let last = child.take() else { return }
    request = nil
    pending.cancel()
    _ = last
  }

  private func run() {
    guard let request = request.take() else { return }
    pending = request.start({ [self] in finish($0) }, void: { [self] in finish($0.typed()) })
  }

  private func finish(_ result: Result<Child.Input, UVError>) {
    guard let child = child.take() else { return }
    switch result {
    case .success(let output):
      _ = child.receive(output)
      if !isCancelled { child.receive(completion: .finished) }
    case .failure(let error): child.receive(completion: .failure(error))
    }
  }
}
#endif
