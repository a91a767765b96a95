#if canImport(Combine) || Futures || Everything
import UV

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
