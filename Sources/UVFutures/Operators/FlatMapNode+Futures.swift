#if canImport(Combine) || Futures || Everything
import UV

/// Inner publishers that are futures: `flatMap { Future { … } }`, or a `map` of each.
///
/// Most of what a program makes there has been settled by then. A settled future delivers while it is subscribed to, and
/// a node asks each inner publisher at once. So the outcome may as well be handed over without a subscription.
extension FlatMapNode {
  /// Delivers how a future has ended; false if it hasn't.
  @inlinable
  func passOutcome(of child: Child) -> Bool {
    // The function that transforms the outcome may end the upstream publisher.
    passing &+= 1
    let outcome = OutcomeTaker<Output, Child.Failure>.outcome(of: child)
    if let outcome { pass(outcome: outcome) } else { passing &-= 1 }
    return outcome != nil
  }

  /// Delivers how an inner publisher of one value has ended, which is counted in ``passing``.
  @inlinable
  func pass(outcome: Result<Output, Child.Failure>) {
    switch outcome {
    case .success(let output):
      // Not if transforming it has cancelled.
      if let downstream { pass(output, to: downstream) }
      passing &-= 1
      guard downstream != nil else { return }
      if outerDemand == .finished {
        finishIfDone()
      } else if outerDemand != .everything {
        ask(outer, for: .max(1))
      }
    case .failure(let error):
      passing &-= 1
      fail(error)
    }
  }

  @inlinable @inline(__always)
  func pass(_ output: Output, to downstream: Delivery<Output, Failure>) {
    // It is kept with an inner publisher that nothing more can be asked of.
    if demand == .none || isBuffering { return keep(output, from: PublisherInner()) }
    demand -= 1
    deliver(output, to: downstream)
    if isBuffering { drainIfWanted() }
  }
}
#endif
