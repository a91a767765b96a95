// Written by Tests/run arities.
#if !canImport(Combine) && (Futures || Everything)
extension Publisher {
  /// The latest values of this publisher and another, whenever one of them delivers, once both have.
  ///
  /// An error of either ends both; it finishes when both have. Values for which there is no demand are not
  /// delivered, but remembered. All sides deliver on one thread.
  public func combineLatest<B: Publisher>(_ b: B) -> Publishers.CombineLatest<Self, B>
  where B.Failure == Failure {
    Publishers.CombineLatest(self, b)
  }

  /// What `transform` makes of the latest values of this publisher and another.
  public func combineLatest<B: Publisher, T>(_ b: B, _ transform: @escaping (Output, B.Output) -> T)
    -> LoopPublishers.Map<Publishers.CombineLatest<Self, B>, T> where B.Failure == Failure
  {
    Publishers.CombineLatest(self, b).map { transform($0.0, $0.1) }
  }

  /// The latest values of this publisher and two others, whenever one of them delivers, once all have.
  public func combineLatest<B: Publisher, C: Publisher>(_ b: B, _ c: C)
    -> Publishers.CombineLatest3<Self, B, C> where B.Failure == Failure, C.Failure == Failure
  {
    Publishers.CombineLatest3(self, b, c)
  }

  /// What `transform` makes of the latest values of this publisher and two others.
  public func combineLatest<B: Publisher, C: Publisher, T>(
    _ b: B, _ c: C, _ transform: @escaping (Output, B.Output, C.Output) -> T
  ) -> LoopPublishers.Map<Publishers.CombineLatest3<Self, B, C>, T>
  where B.Failure == Failure, C.Failure == Failure {
    Publishers.CombineLatest3(self, b, c).map { transform($0.0, $0.1, $0.2) }
  }

  /// The latest values of this publisher and three others, whenever one of them delivers, once all have.
  public func combineLatest<B: Publisher, C: Publisher, D: Publisher>(_ b: B, _ c: C, _ d: D)
    -> Publishers.CombineLatest4<Self, B, C, D>
  where B.Failure == Failure, C.Failure == Failure, D.Failure == Failure {
    Publishers.CombineLatest4(self, b, c, d)
  }

  /// What `transform` makes of the latest values of this publisher and three others.
  public func combineLatest<B: Publisher, C: Publisher, D: Publisher, T>(
    _ b: B, _ c: C, _ d: D, _ transform: @escaping (Output, B.Output, C.Output, D.Output) -> T
  ) -> LoopPublishers.Map<Publishers.CombineLatest4<Self, B, C, D>, T>
  where B.Failure == Failure, C.Failure == Failure, D.Failure == Failure {
    Publishers.CombineLatest4(self, b, c, d).map { transform($0.0, $0.1, $0.2, $0.3) }
  }
}
#endif
