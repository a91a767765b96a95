#if canImport(Combine) || Futures || Everything
public import UV

extension LoopPublishers {
  /// A publisher that makes a publisher of each value of another, and delivers what those deliver.
  ///
  /// Combine's `Publishers.FlatMap`.
  public struct FlatMap<Upstream: Publisher, Child: Publisher, Failure: Error>: LoopPublisher {
    /// The children's values.
    public typealias Output = Child.Output

    /// Where the values come from.
    @usableFromInline let upstream: Upstream
    /// How many of the made publishers may run at a time.
    @usableFromInline let maxPublishers: Subscribers.Demand
    /// Makes a publisher of a value.
    @usableFromInline let transform: (Upstream.Output) -> Child

    @inlinable
    init(
      _ upstream: Upstream, _ maxPublishers: Subscribers.Demand,
      _ transform: @escaping (Upstream.Output) -> Child
    ) {
      self.upstream = upstream
      self.maxPublishers = maxPublishers
      self.transform = transform
    }

    /// Subscribes to the upstream publisher on behalf of `subscriber`, which gets its subscription first.
    @inlinable
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      // A request has one value at most.
      if Upstream.self == RequestPublisher<Upstream.Output>.self, maxPublishers > 0,
        Child.self is any LoopPublisher.Type, Gate.unlessOnLoop == nil
      {
        let node = RequestFlatMap<Upstream.Output, Child, Failure>(Downstream(subscriber), transform)
        return upstream.receive(
          subscriber: RequestTaker<Upstream.Output, Upstream.Failure> { node.begin($0) })
      }
      let node = FlatMapNode<Upstream.Output, Upstream.Failure, Child, Failure>(
        Downstream(subscriber), maxPublishers, transform)
      node.begin()
      node.upstream.attach(to: upstream)
    }
  }
}

extension LoopPublisher {
  /// Makes a publisher of each value, and delivers what those deliver.
  ///
  /// An error of either side ends everything. It finishes when the upstream publisher and all that were made
  /// have finished.
  ///
  /// - Parameters:
  ///   - maxPublishers: How many of the made publishers may run at a time; the upstream publisher is asked
  ///     for no more values than that.
  ///   - transform: Makes a publisher of a value.
  @inlinable
  public func flatMap<Child: Publisher>(
    maxPublishers: Subscribers.Demand = .unlimited, _ transform: @escaping (Output) -> Child
  ) -> LoopPublishers.FlatMap<Self, Child, Failure> where Child.Failure == Failure {
    LoopPublishers.FlatMap(self, maxPublishers, transform)
  }

  /// Makes a publisher that cannot fail of each value, and delivers what those deliver.
  @inlinable
  public func flatMap<Child: Publisher>(
    maxPublishers: Subscribers.Demand = .unlimited, _ transform: @escaping (Output) -> Child
  ) -> LoopPublishers.FlatMap<Self, Child, Failure> where Child.Failure == Never {
    LoopPublishers.FlatMap(self, maxPublishers, transform)
  }
}

extension LoopPublisher where Failure == Never {
  /// Makes a publisher of each value, and delivers what those deliver.
  @inlinable
  public func flatMap<Child: Publisher>(
    maxPublishers: Subscribers.Demand = .unlimited, _ transform: @escaping (Output) -> Child
  ) -> LoopPublishers.FlatMap<Self, Child, Child.Failure> {
    LoopPublishers.FlatMap(self, maxPublishers, transform)
  }

  /// Makes a publisher of each value where nothing can fail, and delivers what those deliver.
  @inlinable
  public func flatMap<Child: Publisher>(
    maxPublishers: Subscribers.Demand = .unlimited, _ transform: @escaping (Output) -> Child
  ) -> LoopPublishers.FlatMap<Self, Child, Never> where Child.Failure == Never {
    LoopPublishers.FlatMap(self, maxPublishers, transform)
  }
}
#endif
