#if canImport(Combine) || Futures || Everything
/// A sequence delivers within the call that asks, so that on its loop's thread it stays there, and `flatMap`
/// over it needs no lock.
extension Publishers.Sequence: LoopPublisher {}

extension Publishers.Sequence {
  /// Makes a publisher of each element, and delivers what those deliver.
  @inlinable
  public func flatMap<Child: Publisher>(
    maxPublishers: Subscribers.Demand = .unlimited, _ transform: @escaping (Output) -> Child
  ) -> LoopPublishers.FlatMap<LoopPublishers.Sequence<Elements, Failure>, Child, Failure>
  where Child.Failure == Failure {
    LoopPublishers.Sequence(sequence).flatMap(maxPublishers: maxPublishers, transform)
  }

  /// Makes a publisher that cannot fail of each element, and delivers what those deliver.
  @inlinable
  public func flatMap<Child: Publisher>(
    maxPublishers: Subscribers.Demand = .unlimited, _ transform: @escaping (Output) -> Child
  ) -> LoopPublishers.FlatMap<LoopPublishers.Sequence<Elements, Failure>, Child, Failure>
  where Child.Failure == Never {
    LoopPublishers.Sequence(sequence).flatMap(maxPublishers: maxPublishers, transform)
  }
}

extension Publishers.Sequence where Failure == Never {
  /// Makes a publisher of each element, and delivers what those deliver.
  @inlinable
  public func flatMap<Child: Publisher>(
    maxPublishers: Subscribers.Demand = .unlimited, _ transform: @escaping (Output) -> Child
  ) -> LoopPublishers.FlatMap<LoopPublishers.Sequence<Elements, Never>, Child, Child.Failure> {
    LoopPublishers.Sequence(sequence).flatMap(maxPublishers: maxPublishers, transform)
  }

  /// Makes a publisher of each element where nothing can fail, and delivers what those deliver.
  @inlinable
  public func flatMap<Child: Publisher>(
    maxPublishers: Subscribers.Demand = .unlimited, _ transform: @escaping (Output) -> Child
  ) -> LoopPublishers.FlatMap<LoopPublishers.Sequence<Elements, Never>, Child, Never>
  where Child.Failure == Never {
    LoopPublishers.Sequence(sequence).flatMap(maxPublishers: maxPublishers, transform)
  }
}
#endif
