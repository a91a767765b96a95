#if canImport(Combine) || Futures || Everything
import UV

/// The subscriber's demand, and the end.
extension FlatMapNode {
  @usableFromInline
  func request(_ more: Subscribers.Demand) {
    require(more > 0, "API violation: demand must not be zero")
    guard downstream != nil else { return }
    demand += more
    if isDelivering { return }
    if isBuffering { drain() }
    if more == .unlimited, firstInner != nil { askForEverything() }
    if outerDemand == .finished { finishIfDone() }
  }

  @usableFromInline
  func cancel() {
    guard let last = downstream else { return }
    downstream = nil
    release()
    _ = last
  }

  /// Delivers what is buffered, as far as it is wanted. Values that come in between go to the buffer's end.
  @inlinable
  func drain() {
    let rest = makeRest().takeUnretainedValue()
    isDelivering = true
    while demand > 0, let downstream, let (inner, output) = rest.buffer.popFirst() {
      demand -= 1
      demand += downstream.receive(output)
      let further = furtherDemand(for: inner)
      if further > 0 { ask(inner.subscription, for: further) }
    }
    isBuffering = !rest.buffer.isEmpty
    isDelivering = false
  }

  @inlinable
  func askForEverything() {
    // A request is not asked again.
    if kind == .mappedRequests { return }
    var inners: [PublisherInner] = []
    var inner = firstInner
    while let current = inner {
      // Sound: all others are publishers.
      if !current.isUnlimited { inners.append(unsafeDowncast(current, to: PublisherInner.self)) }
      inner = current.next
    }
    for inner in inners where inner.isLinked {
      inner.isUnlimited = true
      ask(inner.subscription, for: .unlimited)
    }
  }

  // MARK: Ending

  @inlinable
  @discardableResult
  func finishIfDone() -> Bool {
    guard outerDemand == .finished, firstInner == nil, passing == 0, !isBuffering, let downstream else {
      return false
    }
    self.downstream = nil
    downstream.receive(completion: .finished)
    return true
  }

  @inlinable
  func end(_ completion: Subscribers.Completion<Failure>) {
    guard let downstream else { return }
    self.downstream = nil
    release()
    downstream.receive(completion: completion)
  }

  /// Cancels upstream and the inner publishers, and drops what is buffered.
  @inlinable
  func release() {
    if isBuffering {
      isBuffering = false
      rest?.takeUnretainedValue().buffer = Queue()
    }
    let outer = outer
    self.outer = nil
    while let inner = firstInner {
      // Sound: a node has one of the two kinds.
      if kind == .mappedRequests {
        remove(inner)
        unsafeDowncast(inner, to: RequestInner.self).cancel()
      } else {
        let publisher = unsafeDowncast(inner, to: PublisherInner.self)
        let subscription = publisher.subscription
        remove(publisher: publisher)
        subscription?.cancel()
      }
    }
    outer?.cancel()
  }
}
#endif
