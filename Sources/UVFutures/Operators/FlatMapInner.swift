#if canImport(Combine) || Futures || Everything
import UV

/// A publisher made from a value, while it is subscribed to.
@usableFromInline
class FlatMapInner {
  @usableFromInline @exclusivity(unchecked) final var subscription: Link?
  /// The object that it belongs to, unless that is this object itself; nil once it has ended.
  @usableFromInline @exclusivity(unchecked) final var node: AnyObject?
  // Sound: a neighbour in the list resets this before it goes.
  @usableFromInline @exclusivity(unchecked) final unowned(unsafe) var previous: FlatMapInner?
  /// The next in the list; of a spare one, an older one.
  @usableFromInline @exclusivity(unchecked) final var next: FlatMapInner?
  // Properties of less than a word come last, so that those of a subclass fill it.
  /// Whether it has been asked for everything.
  @usableFromInline @exclusivity(unchecked) final var isUnlimited = false
  @usableFromInline @exclusivity(unchecked) final var isLinked = true

  @inlinable init() {}
}

/// The list of inner publishers.
extension FlatMapNode {
  /// An inner publisher that nothing else holds any more, so that nothing of its first use can come.
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

  @inlinable
  func insert(_ inner: FlatMapInner) {
    inner.isLinked = true
    firstInner?.previous = inner
    inner.next = firstInner.take()
    firstInner = inner
  }

  @inlinable
  func remove(_ inner: FlatMapInner) {
    inner.isLinked = false
    inner.subscription = nil
    unlink(inner)
    // After the end none is used again.
    if inner !== self, downstream != nil {
      makeRest()._withUnsafeGuaranteedRef { rest in
        rest.spare?.next = nil
        inner.next = rest.spare.take()
        rest.spare = inner
      }
    }
    inner.node = nil
  }

  @inlinable
  func unlink(_ inner: FlatMapInner) {
    let next = inner.next.take()
    if firstInner === inner {
      next?.previous = nil
      firstInner = next
    } else {
      let previous = inner.previous.take()!
      next?.previous = previous
      previous.next = next
    }
  }
}

/// The properties that few subscriptions to a `flatMap` need, so they stand apart and are made when needed.
@usableFromInline
final class FlatMapRest<Output> {
  /// The gate that every signal goes through where there is no loop; nil on one.
  @usableFromInline let gate: Gate?
  /// How many inner publishers there may be at a time, if that is neither one nor all.
  @usableFromInline let maxPublishers: Subscribers.Demand
  /// The inner publisher that has ended last, and behind it the one before, to be used again.
  @usableFromInline @exclusivity(unchecked) var spare: FlatMapInner?
  /// Values that are not wanted yet.
  @usableFromInline @exclusivity(unchecked) var buffer = Queue<(inner: FlatMapInner, output: Output)>()

  @inlinable
  init(_ gate: Gate?, _ maxPublishers: Subscribers.Demand) {
    (self.gate, self.maxPublishers) = (gate, maxPublishers)
  }
}
#endif
