// Written by Tests/run arities.
#if !canImport(Combine)
  extension Publisher {
    /// The latest values of this publisher and another, whenever one of them delivers, once both have.
    ///
    /// An error of either ends both; it finishes when both have. Values for which there is no demand are not told,
    /// but remembered. All sides deliver on one thread.
    ///
    /// Combine's `combineLatest(_:)`.
    public func combineLatest<B: Publisher>(_ b: B) -> Publishers.CombineLatest<Self, B>
    where B.Failure == Failure {
      Publishers.CombineLatest(self, b)
    }

    /// What `transform` makes of the latest values of this publisher and another.
    ///
    /// Combine's `combineLatest(_:_:)`.
    public func combineLatest<B: Publisher, T>(_ b: B, _ transform: @escaping (Output, B.Output) -> T)
      -> LoopPublishers.Map<Publishers.CombineLatest<Self, B>, T> where B.Failure == Failure
    {
      Publishers.CombineLatest(self, b).map { transform($0.0, $0.1) }
    }

    /// The latest values of this publisher and two others, whenever one of them delivers, once all have.
    ///
    /// Combine's `combineLatest(_:)`.
    public func combineLatest<B: Publisher, C: Publisher>(_ b: B, _ c: C)
      -> Publishers.CombineLatest3<Self, B, C> where B.Failure == Failure, C.Failure == Failure
    {
      Publishers.CombineLatest3(self, b, c)
    }

    /// What `transform` makes of the latest values of this publisher and two others.
    ///
    /// Combine's `combineLatest(_:_:)`.
    public func combineLatest<B: Publisher, C: Publisher, T>(
      _ b: B, _ c: C, _ transform: @escaping (Output, B.Output, C.Output) -> T
    ) -> LoopPublishers.Map<Publishers.CombineLatest3<Self, B, C>, T>
    where B.Failure == Failure, C.Failure == Failure {
      Publishers.CombineLatest3(self, b, c).map { transform($0.0, $0.1, $0.2) }
    }

    /// The latest values of this publisher and three others, whenever one of them delivers, once all have.
    ///
    /// Combine's `combineLatest(_:)`.
    public func combineLatest<B: Publisher, C: Publisher, D: Publisher>(_ b: B, _ c: C, _ d: D)
      -> Publishers.CombineLatest4<Self, B, C, D>
    where B.Failure == Failure, C.Failure == Failure, D.Failure == Failure {
      Publishers.CombineLatest4(self, b, c, d)
    }

    /// What `transform` makes of the latest values of this publisher and three others.
    ///
    /// Combine's `combineLatest(_:_:)`.
    public func combineLatest<B: Publisher, C: Publisher, D: Publisher, T>(
      _ b: B, _ c: C, _ d: D, _ transform: @escaping (Output, B.Output, C.Output, D.Output) -> T
    ) -> LoopPublishers.Map<Publishers.CombineLatest4<Self, B, C, D>, T>
    where B.Failure == Failure, C.Failure == Failure, D.Failure == Failure {
      Publishers.CombineLatest4(self, b, c, d).map { transform($0.0, $0.1, $0.2, $0.3) }
    }

    /// The latest values of this publisher and four others, whenever one of them delivers, once all have.
    ///
    /// Combine's `combineLatest(_:)`.
    public func combineLatest<B: Publisher, C: Publisher, D: Publisher, E: Publisher>(
      _ b: B, _ c: C, _ d: D, _ e: E
    ) -> Publishers.CombineLatest5<Self, B, C, D, E>
    where B.Failure == Failure, C.Failure == Failure, D.Failure == Failure, E.Failure == Failure {
      Publishers.CombineLatest5(self, b, c, d, e)
    }

    /// What `transform` makes of the latest values of this publisher and four others.
    ///
    /// Combine's `combineLatest(_:_:)`.
    public func combineLatest<B: Publisher, C: Publisher, D: Publisher, E: Publisher, T>(
      _ b: B, _ c: C, _ d: D, _ e: E,
      _ transform: @escaping (Output, B.Output, C.Output, D.Output, E.Output) -> T
    ) -> LoopPublishers.Map<Publishers.CombineLatest5<Self, B, C, D, E>, T>
    where B.Failure == Failure, C.Failure == Failure, D.Failure == Failure, E.Failure == Failure {
      Publishers.CombineLatest5(self, b, c, d, e).map { transform($0.0, $0.1, $0.2, $0.3, $0.4) }
    }

    /// The latest values of this publisher and five others, whenever one of them delivers, once all have.
    ///
    /// Combine's `combineLatest(_:)`.
    public func combineLatest<B: Publisher, C: Publisher, D: Publisher, E: Publisher, F: Publisher>(
      _ b: B, _ c: C, _ d: D, _ e: E, _ f: F
    ) -> Publishers.CombineLatest6<Self, B, C, D, E, F>
    where
      B.Failure == Failure, C.Failure == Failure, D.Failure == Failure, E.Failure == Failure,
      F.Failure == Failure
    {
      Publishers.CombineLatest6(self, b, c, d, e, f)
    }

    /// What `transform` makes of the latest values of this publisher and five others.
    ///
    /// Combine's `combineLatest(_:_:)`.
    public func combineLatest<B: Publisher, C: Publisher, D: Publisher, E: Publisher, F: Publisher, T>(
      _ b: B, _ c: C, _ d: D, _ e: E, _ f: F,
      _ transform: @escaping (Output, B.Output, C.Output, D.Output, E.Output, F.Output) -> T
    ) -> LoopPublishers.Map<Publishers.CombineLatest6<Self, B, C, D, E, F>, T>
    where
      B.Failure == Failure, C.Failure == Failure, D.Failure == Failure, E.Failure == Failure,
      F.Failure == Failure
    {
      Publishers.CombineLatest6(self, b, c, d, e, f).map { transform($0.0, $0.1, $0.2, $0.3, $0.4, $0.5) }
    }

    /// The latest values of this publisher and six others, whenever one of them delivers, once all have.
    ///
    /// Combine's `combineLatest(_:)`.
    public func combineLatest<
      B: Publisher, C: Publisher, D: Publisher, E: Publisher, F: Publisher, G: Publisher
    >(_ b: B, _ c: C, _ d: D, _ e: E, _ f: F, _ g: G) -> Publishers.CombineLatest7<Self, B, C, D, E, F, G>
    where
      B.Failure == Failure, C.Failure == Failure, D.Failure == Failure, E.Failure == Failure,
      F.Failure == Failure, G.Failure == Failure
    {
      Publishers.CombineLatest7(self, b, c, d, e, f, g)
    }

    /// What `transform` makes of the latest values of this publisher and six others.
    ///
    /// Combine's `combineLatest(_:_:)`.
    public func combineLatest<
      B: Publisher, C: Publisher, D: Publisher, E: Publisher, F: Publisher, G: Publisher, T
    >(
      _ b: B, _ c: C, _ d: D, _ e: E, _ f: F, _ g: G,
      _ transform: @escaping (Output, B.Output, C.Output, D.Output, E.Output, F.Output, G.Output) -> T
    ) -> LoopPublishers.Map<Publishers.CombineLatest7<Self, B, C, D, E, F, G>, T>
    where
      B.Failure == Failure, C.Failure == Failure, D.Failure == Failure, E.Failure == Failure,
      F.Failure == Failure, G.Failure == Failure
    {
      Publishers.CombineLatest7(self, b, c, d, e, f, g).map {
        transform($0.0, $0.1, $0.2, $0.3, $0.4, $0.5, $0.6)
      }
    }

    /// The latest values of this publisher and seven others, whenever one of them delivers, once all have.
    ///
    /// Combine's `combineLatest(_:)`.
    public func combineLatest<
      B: Publisher, C: Publisher, D: Publisher, E: Publisher, F: Publisher, G: Publisher, H: Publisher
    >(_ b: B, _ c: C, _ d: D, _ e: E, _ f: F, _ g: G, _ h: H)
      -> Publishers.CombineLatest8<Self, B, C, D, E, F, G, H>
    where
      B.Failure == Failure, C.Failure == Failure, D.Failure == Failure, E.Failure == Failure,
      F.Failure == Failure, G.Failure == Failure, H.Failure == Failure
    {
      Publishers.CombineLatest8(self, b, c, d, e, f, g, h)
    }

    /// What `transform` makes of the latest values of this publisher and seven others.
    ///
    /// Combine's `combineLatest(_:_:)`.
    public func combineLatest<
      B: Publisher, C: Publisher, D: Publisher, E: Publisher, F: Publisher, G: Publisher, H: Publisher, T
    >(
      _ b: B, _ c: C, _ d: D, _ e: E, _ f: F, _ g: G, _ h: H,
      _ transform:
        @escaping (Output, B.Output, C.Output, D.Output, E.Output, F.Output, G.Output, H.Output) -> T
    ) -> LoopPublishers.Map<Publishers.CombineLatest8<Self, B, C, D, E, F, G, H>, T>
    where
      B.Failure == Failure, C.Failure == Failure, D.Failure == Failure, E.Failure == Failure,
      F.Failure == Failure, G.Failure == Failure, H.Failure == Failure
    {
      Publishers.CombineLatest8(self, b, c, d, e, f, g, h).map {
        transform($0.0, $0.1, $0.2, $0.3, $0.4, $0.5, $0.6, $0.7)
      }
    }
  }
#endif
