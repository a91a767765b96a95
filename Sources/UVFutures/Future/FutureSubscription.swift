#if canImport(Combine) || Futures || Everything
import UV

/// One subscriber of a future.
///
/// The future keeps it, not the other way round: a future that nobody can resolve any more goes, and its
/// subscribers with it.
@usableFromInline
final class FutureSubscription<Output, Failure: Error>: Subscription {
  @usableFromInline @exclusivity(unchecked) var hasDemand = false
  /// Whether the subscriber waits only because it cannot do otherwise: no work need go on for it.
  @exclusivity(unchecked) private(set) var hasGivenUp = false
  // Sound, both: the future and the list's neighbours reset these before they go.
  @usableFromInline @exclusivity(unchecked) unowned(unsafe) var future: Future<Output, Failure>?
  @usableFromInline @exclusivity(unchecked) unowned(unsafe) var previous: FutureSubscription?
  @usableFromInline @exclusivity(unchecked) var next: FutureSubscription?
  /// Nil once the subscription is over.
  @usableFromInline @exclusivity(unchecked) var downstream: Downstream<Output, Failure>?
  /// The future, once it has a value, while nobody has asked for that.
  @usableFromInline @exclusivity(unchecked) var waiting: Future<Output, Failure>?

  @inlinable
  init(_ downstream: Downstream<Output, Failure>) { self.downstream = downstream }

  @inlinable
  var isOver: Bool { downstream == nil }

  /// Delivers the result, or keeps a value until it is asked for.
  @inlinable
  func fulfill(_ result: Result<Output, Failure>, of future: Future<Output, Failure>) {
    guard let downstream else { return }
    switch result {
    case .success(let output):
      guard hasDemand else { return waiting = future }
      _ = downstream.receive(output)
      // Not if the value made the subscriber cancel.
      if isOver { return }
      self.downstream = nil
      downstream.receive(completion: .finished)
    case .failure(let error):
      self.downstream = nil
      downstream.receive(completion: .failure(error))
    }
  }

  /// Demand that comes while the future hands over the subscription is noted; the future delivers right
  /// after.
  @usableFromInline
  func request(_ demand: Subscribers.Demand) {
    require(demand > 0, "API violation: demand must not be zero")
    // Demand that comes while the value is delivered changes nothing.
    let isFirst = !hasDemand
    hasDemand = true
    if isFirst, waiting != nil { fulfillWaiting() }
  }

  // A function of its own, as it looks types up.
  @inline(never)
  private func fulfillWaiting() {
    guard let future = waiting, let outcome = future.outcome else { return }
    fulfill(outcome, of: future)
    waiting = nil
  }

  func giveUp() {
    hasGivenUp = true
    future?.cancelWorkUnlessNeeded()
  }

  @usableFromInline
  func cancel() {
    let last = downstream
    guard last != nil else { return }
    downstream = nil
    waiting = nil
    future?.subscriptionCancelled(self)
    _ = last
  }
}

extension FutureSubscription: CustomStringConvertible, CustomReflectable, CustomPlaygroundDisplayConvertible {
  @usableFromInline
  var description: String { "Future" }

  @usableFromInline
  var customMirror: Mirror {
    let parent = future ?? waiting
    return Mirror(
      self,
      children: [
        ("parent", parent as Any), ("downstream", downstream as Any), ("hasAnyDemand", hasDemand),
        ("subject", parent as Any),
      ])
  }

  @usableFromInline
  var playgroundDescription: Any { description }
}
#endif
