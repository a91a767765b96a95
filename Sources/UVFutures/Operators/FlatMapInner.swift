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
    guard spare != nil, isKnownUniquelyReferenced(&spare) else { return nil }
    return spare.take()
  }

  @inlinable
  func insert(_ inner: FlatMapInner) {
    inner.isLinked = true
    firstInner?.previous = inner
    inner.next = firstInner
    firstInner = inner
  }

  @inlinable
  func remove(_ inner: FlatMapInner) {
    inner.isLinked = false
    inner.subscription = nil
    if inner.next == nil, inner.previous == nil {
      // The only one.
      firstInner = nil
    } else {
      unlink(inner)
    }
    if inner !== self { spare = inner }
    inner.node = nil
  }

  @inlinable
  func unlink(_ inner: FlatMapInner) {
    let next = inner.next
    let previous = inner.previous
    inner.next = nil
    inner.previous = nil
    next?.previous = previous
    if let previous { previous.next = next } else { firstInner = next }
  }
}
