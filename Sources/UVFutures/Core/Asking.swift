#if canImport(Combine) || Futures || Everything
/// Asks a subscription for more, and holds it meanwhile: what it delivers may have the caller let go of it.
///
/// `upstream?.request(demand)` of a property doesn't: with optimization, Swift 6.3.1 calls it without a reference of its own, and
/// a subscription that goes during the call writes to memory that is free. This gives it one.
@inlinable @inline(__always)
func ask(_ upstream: Link?, for demand: Subscribers.Demand) {
  guard let upstream else { return }
  upstream.request(demand)
  _fixLifetime(upstream)
}

/// The same for a subscription of any type.
@inline(__always)
func ask(_ upstream: (any Subscription)?, for demand: Subscribers.Demand) {
  guard let upstream else { return }
  upstream.request(demand)
  _fixLifetime(upstream)
}
#endif
