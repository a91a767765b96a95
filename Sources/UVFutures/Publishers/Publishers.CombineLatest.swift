#if !canImport(Combine)
  extension Publishers {
    /// A publisher of the latest values of two publishers.
    ///
    /// Combine's `Publishers.CombineLatest`.
    public struct CombineLatest<A: Publisher, B: Publisher>: LoopPublisher
    where B.Failure == A.Failure {
      /// What is delivered.
      public typealias Output = (A.Output, B.Output)
      /// How it may fail.
      public typealias Failure = A.Failure

      /// The first publisher.
      public let a: A
      /// The second publisher.
      public let b: B

      /// Creates a publisher of the latest values of two others.
      ///
      /// Combine's `Publishers.CombineLatest`.
      public init(_ a: A, _ b: B) {
        self.a = a
        self.b = b
      }

      /// Subscribes to all on behalf of `subscriber`.
      ///
      /// Combine's `Publisher.receive(subscriber:)`.
      public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
        let node = CombineLatestNode<Output, Failure>(Downstream(subscriber), sources: 2)
        let a = node.source(a, 0)
        let b = node.source(b, 1)
        node.start { (a.value!, b.value!) }
      }
    }
  }

  extension Publishers {
    /// A publisher of the latest values of three publishers.
    ///
    /// Combine's `Publishers.CombineLatest3`.
    public struct CombineLatest3<A: Publisher, B: Publisher, C: Publisher>: LoopPublisher
    where B.Failure == A.Failure, C.Failure == A.Failure {
      /// What is delivered.
      public typealias Output = (A.Output, B.Output, C.Output)
      /// How it may fail.
      public typealias Failure = A.Failure

      /// The first publisher.
      public let a: A
      /// The second publisher.
      public let b: B
      /// The third publisher.
      public let c: C

      /// Creates a publisher of the latest values of three others.
      ///
      /// Combine's `Publishers.CombineLatest3`.
      public init(_ a: A, _ b: B, _ c: C) {
        self.a = a
        self.b = b
        self.c = c
      }

      /// Subscribes to all on behalf of `subscriber`.
      ///
      /// Combine's `Publisher.receive(subscriber:)`.
      public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
        let node = CombineLatestNode<Output, Failure>(Downstream(subscriber), sources: 3)
        let a = node.source(a, 0)
        let b = node.source(b, 1)
        let c = node.source(c, 2)
        node.start { (a.value!, b.value!, c.value!) }
      }
    }
  }

  extension Publishers {
    /// A publisher of the latest values of four publishers.
    ///
    /// Combine's `Publishers.CombineLatest4`.
    public struct CombineLatest4<A: Publisher, B: Publisher, C: Publisher, D: Publisher>: LoopPublisher
    where B.Failure == A.Failure, C.Failure == A.Failure, D.Failure == A.Failure {
      /// What is delivered.
      public typealias Output = (A.Output, B.Output, C.Output, D.Output)
      /// How it may fail.
      public typealias Failure = A.Failure

      /// The first publisher.
      public let a: A
      /// The second publisher.
      public let b: B
      /// The third publisher.
      public let c: C
      /// The fourth publisher.
      public let d: D

      /// Creates a publisher of the latest values of four others.
      ///
      /// Combine's `Publishers.CombineLatest4`.
      public init(_ a: A, _ b: B, _ c: C, _ d: D) {
        self.a = a
        self.b = b
        self.c = c
        self.d = d
      }

      /// Subscribes to all on behalf of `subscriber`.
      ///
      /// Combine's `Publisher.receive(subscriber:)`.
      public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
        let node = CombineLatestNode<Output, Failure>(Downstream(subscriber), sources: 4)
        let a = node.source(a, 0)
        let b = node.source(b, 1)
        let c = node.source(c, 2)
        let d = node.source(d, 3)
        node.start { (a.value!, b.value!, c.value!, d.value!) }
      }
    }
  }

  extension Publishers {
    /// A publisher of the latest values of five publishers.
    ///
    /// Combine's `Publishers.CombineLatest4`, of more.
    public struct CombineLatest5<A: Publisher, B: Publisher, C: Publisher, D: Publisher, E: Publisher>:
      LoopPublisher
    where B.Failure == A.Failure, C.Failure == A.Failure, D.Failure == A.Failure, E.Failure == A.Failure {
      /// What is delivered.
      public typealias Output = (A.Output, B.Output, C.Output, D.Output, E.Output)
      /// How it may fail.
      public typealias Failure = A.Failure

      /// The first publisher.
      public let a: A
      /// The second publisher.
      public let b: B
      /// The third publisher.
      public let c: C
      /// The fourth publisher.
      public let d: D
      /// The fifth publisher.
      public let e: E

      /// Creates a publisher of the latest values of five others.
      ///
      /// Combine's `Publishers.CombineLatest4`, of more.
      public init(_ a: A, _ b: B, _ c: C, _ d: D, _ e: E) {
        self.a = a
        self.b = b
        self.c = c
        self.d = d
        self.e = e
      }

      /// Subscribes to all on behalf of `subscriber`.
      ///
      /// Combine's `Publisher.receive(subscriber:)`.
      public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
        let node = CombineLatestNode<Output, Failure>(Downstream(subscriber), sources: 5)
        let a = node.source(a, 0)
        let b = node.source(b, 1)
        let c = node.source(c, 2)
        let d = node.source(d, 3)
        let e = node.source(e, 4)
        node.start { (a.value!, b.value!, c.value!, d.value!, e.value!) }
      }
    }
  }

  extension Publishers {
    /// A publisher of the latest values of six publishers.
    ///
    /// Combine's `Publishers.CombineLatest4`, of more.
    public struct CombineLatest6<
      A: Publisher, B: Publisher, C: Publisher, D: Publisher, E: Publisher, F: Publisher
    >: LoopPublisher
    where
      B.Failure == A.Failure, C.Failure == A.Failure, D.Failure == A.Failure, E.Failure == A.Failure,
      F.Failure == A.Failure
    {
      /// What is delivered.
      public typealias Output = (A.Output, B.Output, C.Output, D.Output, E.Output, F.Output)
      /// How it may fail.
      public typealias Failure = A.Failure

      /// The first publisher.
      public let a: A
      /// The second publisher.
      public let b: B
      /// The third publisher.
      public let c: C
      /// The fourth publisher.
      public let d: D
      /// The fifth publisher.
      public let e: E
      /// The sixth publisher.
      public let f: F

      /// Creates a publisher of the latest values of six others.
      ///
      /// Combine's `Publishers.CombineLatest4`, of more.
      public init(_ a: A, _ b: B, _ c: C, _ d: D, _ e: E, _ f: F) {
        self.a = a
        self.b = b
        self.c = c
        self.d = d
        self.e = e
        self.f = f
      }

      /// Subscribes to all on behalf of `subscriber`.
      ///
      /// Combine's `Publisher.receive(subscriber:)`.
      public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
        let node = CombineLatestNode<Output, Failure>(Downstream(subscriber), sources: 6)
        let a = node.source(a, 0)
        let b = node.source(b, 1)
        let c = node.source(c, 2)
        let d = node.source(d, 3)
        let e = node.source(e, 4)
        let f = node.source(f, 5)
        node.start { (a.value!, b.value!, c.value!, d.value!, e.value!, f.value!) }
      }
    }
  }

  extension Publishers {
    /// A publisher of the latest values of seven publishers.
    ///
    /// Combine's `Publishers.CombineLatest4`, of more.
    public struct CombineLatest7<
      A: Publisher, B: Publisher, C: Publisher, D: Publisher, E: Publisher, F: Publisher, G: Publisher
    >: LoopPublisher
    where
      B.Failure == A.Failure, C.Failure == A.Failure, D.Failure == A.Failure, E.Failure == A.Failure,
      F.Failure == A.Failure, G.Failure == A.Failure
    {
      /// What is delivered.
      public typealias Output = (A.Output, B.Output, C.Output, D.Output, E.Output, F.Output, G.Output)
      /// How it may fail.
      public typealias Failure = A.Failure

      /// The first publisher.
      public let a: A
      /// The second publisher.
      public let b: B
      /// The third publisher.
      public let c: C
      /// The fourth publisher.
      public let d: D
      /// The fifth publisher.
      public let e: E
      /// The sixth publisher.
      public let f: F
      /// The seventh publisher.
      public let g: G

      /// Creates a publisher of the latest values of seven others.
      ///
      /// Combine's `Publishers.CombineLatest4`, of more.
      public init(_ a: A, _ b: B, _ c: C, _ d: D, _ e: E, _ f: F, _ g: G) {
        self.a = a
        self.b = b
        self.c = c
        self.d = d
        self.e = e
        self.f = f
        self.g = g
      }

      /// Subscribes to all on behalf of `subscriber`.
      ///
      /// Combine's `Publisher.receive(subscriber:)`.
      public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
        let node = CombineLatestNode<Output, Failure>(Downstream(subscriber), sources: 7)
        let a = node.source(a, 0)
        let b = node.source(b, 1)
        let c = node.source(c, 2)
        let d = node.source(d, 3)
        let e = node.source(e, 4)
        let f = node.source(f, 5)
        let g = node.source(g, 6)
        node.start { (a.value!, b.value!, c.value!, d.value!, e.value!, f.value!, g.value!) }
      }
    }
  }

  extension Publishers {
    /// A publisher of the latest values of eight publishers.
    ///
    /// Combine's `Publishers.CombineLatest4`, of more.
    public struct CombineLatest8<
      A: Publisher, B: Publisher, C: Publisher, D: Publisher, E: Publisher, F: Publisher, G: Publisher,
      H: Publisher
    >: LoopPublisher
    where
      B.Failure == A.Failure, C.Failure == A.Failure, D.Failure == A.Failure, E.Failure == A.Failure,
      F.Failure == A.Failure, G.Failure == A.Failure, H.Failure == A.Failure
    {
      /// What is delivered.
      public typealias Output = (
        A.Output, B.Output, C.Output, D.Output, E.Output, F.Output, G.Output, H.Output
      )
      /// How it may fail.
      public typealias Failure = A.Failure

      /// The first publisher.
      public let a: A
      /// The second publisher.
      public let b: B
      /// The third publisher.
      public let c: C
      /// The fourth publisher.
      public let d: D
      /// The fifth publisher.
      public let e: E
      /// The sixth publisher.
      public let f: F
      /// The seventh publisher.
      public let g: G
      /// The eighth publisher.
      public let h: H

      /// Creates a publisher of the latest values of eight others.
      ///
      /// Combine's `Publishers.CombineLatest4`, of more.
      public init(_ a: A, _ b: B, _ c: C, _ d: D, _ e: E, _ f: F, _ g: G, _ h: H) {
        self.a = a
        self.b = b
        self.c = c
        self.d = d
        self.e = e
        self.f = f
        self.g = g
        self.h = h
      }

      /// Subscribes to all on behalf of `subscriber`.
      ///
      /// Combine's `Publisher.receive(subscriber:)`.
      public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
        let node = CombineLatestNode<Output, Failure>(Downstream(subscriber), sources: 8)
        let a = node.source(a, 0)
        let b = node.source(b, 1)
        let c = node.source(c, 2)
        let d = node.source(d, 3)
        let e = node.source(e, 4)
        let f = node.source(f, 5)
        let g = node.source(g, 6)
        let h = node.source(h, 7)
        node.start { (a.value!, b.value!, c.value!, d.value!, e.value!, f.value!, g.value!, h.value!) }
      }
    }
  }

  extension Publisher {
    /// The latest values of this publisher and another, whenever one of them delivers, once both have.
    ///
    /// An error of either ends both; it finishes when both have. Values for which there is no demand are not told,
    /// but remembered. All sides deliver on one thread.
    ///
    /// Combine's `combineLatest(_:)`.
    public func combineLatest<P: Publisher>(_ other: P) -> Publishers.CombineLatest<Self, P>
    where P.Failure == Failure {
      Publishers.CombineLatest(self, other)
    }

    /// What `transform` makes of the latest values of this publisher and another.
    ///
    /// Combine's `combineLatest(_:_:)`.
    public func combineLatest<P: Publisher, T>(
      _ other: P, _ transform: @escaping (Output, P.Output) -> T
    ) -> LoopPublishers.Map<Publishers.CombineLatest<Self, P>, T>
    where P.Failure == Failure {
      Publishers.CombineLatest(self, other).map { transform($0.0, $0.1) }
    }

    /// The latest values of this publisher and two others, whenever one of them delivers, once all have.
    ///
    /// Combine's `combineLatest(_:)`.
    public func combineLatest<B: Publisher, C: Publisher>(_ b: B, _ c: C)
      -> Publishers.CombineLatest3<Self, B, C>
    where B.Failure == Failure, C.Failure == Failure {
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
