#if canImport(Combine) || Futures || Everything
import UV

/// A publisher or a request that is made from a value, while the node waits for it.
@usableFromInline
class FlatMapInner {
  // Sound: a neighbour in the list resets this before it goes.
  @usableFromInline @exclusivity(unchecked) final unowned(unsafe) var previous: FlatMapInner?
  /// The next in the list; of a spare one, an older one.
  @usableFromInline @exclusivity(unchecked) final var next: FlatMapInner?
  /// Whether it has been asked for everything.
  @usableFromInline @exclusivity(unchecked) final var isUnlimited = false
  @usableFromInline @exclusivity(unchecked) final var isLinked = true

  @inlinable init() {}
}

/// A publisher made from a value. The node is one, too.
@usableFromInline
class PublisherInner: FlatMapInner {
  @usableFromInline @exclusivity(unchecked) final var subscription: Link?

  @inlinable override init() { super.init() }
}

/// A publisher made from a value, but for the node.
@usableFromInline
final class FlatMapChild: PublisherInner {
  /// The object that it belongs to; nil once it has ended.
  @usableFromInline @exclusivity(unchecked) var node: AnyObject?

  @inlinable override init() { super.init() }
}

/// A request made from a value. The node has started it without a subscription.
@usableFromInline
class RequestInner: FlatMapInner {
  /// The way to cancel it; empty once it has ended.
  @usableFromInline @exclusivity(unchecked) final var pending = PendingRequest()

  @inlinable override init() { super.init() }

  /// Cancels it, and lets go of what it was for.
  @usableFromInline
  func cancel() {
    let last = pending
    pending = PendingRequest()
    last.cancel()
  }
}

/// The list of what has been made.
extension FlatMapNode {
  /// One that nothing else holds any more, so that nothing of its first use can come.
  @inlinable
  func takeSpare() -> FlatMapInner? {
    guard let rest else { return nil }
    return rest._withUnsafeGuaranteedRef { rest in
      if rest.spare == nil { return nil }
      // One that ends has the next begin while it is still held.
      if isKnownUniquelyReferenced(&rest.spare!.next) { return rest.spare!.next.take() }
      guard isKnownUniquelyReferenced(&rest.spare) else { return nil }
      let last = rest.spare.take()
      rest.spare = last?.next.take()
      return last
    }
  }

  /// A publisher that isn't the node.
  @inlinable
  func insertChild() -> FlatMapChild {
    // Sound: a node has spare ones of the class that it uses.
    let child = takeSpare().map { unsafeDowncast($0, to: FlatMapChild.self) } ?? FlatMapChild()
    child.node = self
    insert(child)
    return child
  }

  @inlinable
  func insert(_ inner: FlatMapInner) {
    inner.isLinked = true
    firstInner?.previous = inner
    inner.next = firstInner.take()
    firstInner = inner
  }

  /// Takes out a publisher, which has ended or is to be cancelled.
  @inlinable
  func remove(publisher: PublisherInner) {
    publisher.subscription = nil
    remove(publisher)
    // Sound: what else is in the list is one.
    if publisher !== self { unsafeDowncast(publisher, to: FlatMapChild.self).node = nil }
  }

  @inlinable
  func remove(_ inner: FlatMapInner) {
    inner.isLinked = false
    unlink(inner)
    // After the end none is used again.
    if inner !== self, downstream != nil, outerDemand != .finished {
      makeRest()._withUnsafeGuaranteedRef { rest in
        rest.spare?.next = nil
        inner.next = rest.spare.take()
        rest.spare = inner
      }
    }
  }

  @inlinable
  func unlink(_ inner: FlatMapInner) {
    let next = inner.next.take()
    next?.previous = inner.previous
    if let previous = inner.previous.take() { previous.next = next } else { firstInner = next }
  }
}

/// The properties that few subscriptions to a `flatMap` need, so they stand apart and are made when needed.
@usableFromInline
final class FlatMapRest<Output> {
  /// The gate that every signal goes through where there is no loop; nil on one.
  @usableFromInline let gate: Gate?
  /// How many inner publishers there may be at a time, if that is neither one nor all.
  @usableFromInline let maxPublishers: Subscribers.Demand
  /// The one that has ended last, and behind it the one before, to be used again.
  @usableFromInline @exclusivity(unchecked) var spare: FlatMapInner?
  /// Values that are not wanted yet.
  @usableFromInline @exclusivity(unchecked) var buffer = Queue<(inner: PublisherInner, output: Output)>()

  @inlinable
  init(_ gate: Gate?, _ maxPublishers: Subscribers.Demand) {
    (self.gate, self.maxPublishers) = (gate, maxPublishers)
  }
}
#endif
