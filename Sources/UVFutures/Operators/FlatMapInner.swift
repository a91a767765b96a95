/// A publisher made from a value, while it is subscribed to.
@usableFromInline
class FlatMapInner {
  @usableFromInline @exclusivity(unchecked) final var subscription: Link?
  /// Whether it has been asked for everything.
  @usableFromInline @exclusivity(unchecked) final var isUnlimited = false
  @usableFromInline @exclusivity(unchecked) final var isLinked = true
  /// The object that it belongs to, unless that is this object itself; nil once it has ended.
  @usableFromInline @exclusivity(unchecked) final var node: AnyObject?
  // Sound: a neighbour in the list resets this before it goes.
  @usableFromInline @exclusivity(unchecked) final unowned(unsafe) var previous: FlatMapInner?
  @usableFromInline @exclusivity(unchecked) final var next: FlatMapInner?

  @inlinable init() {}
}

/// The list of inner publishers.
extension FlatMapNode {
  /// An inner publisher that nothing else holds any more, so that nothing of its first use can come.
  @inlinable
  func takeSpare() -> FlatMapInner? {
    // One that ends has the next begin while it is still held.
    if olderSpare != nil, isKnownUniquelyReferenced(&olderSpare) { return olderSpare.take() }
    guard spare != nil, isKnownUniquelyReferenced(&spare) else { return nil }
    return spare.take()
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
    if inner !== self {
      olderSpare = spare.take()
      spare = inner
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
