// Written by Tests/run arities.
#if !canImport(Combine)

  extension Publishers {
    /// A publisher of the latest values of two publishers.
    ///
    /// Combine's `Publishers.CombineLatest`.
    public struct CombineLatest<A: Publisher, B: Publisher>: LoopPublisher where B.Failure == A.Failure {
      /// The values that are delivered.
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
      @inlinable
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

  extension Publishers.CombineLatest: Equatable where A: Equatable, B: Equatable {}

  extension Publishers {
    /// A publisher of the latest values of three publishers.
    ///
    /// Combine's `Publishers.CombineLatest3`.
    public struct CombineLatest3<A: Publisher, B: Publisher, C: Publisher>: LoopPublisher
    where B.Failure == A.Failure, C.Failure == A.Failure {
      /// The values that are delivered.
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
      @inlinable
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

  extension Publishers.CombineLatest3: Equatable where A: Equatable, B: Equatable, C: Equatable {}

  extension Publishers {
    /// A publisher of the latest values of four publishers.
    ///
    /// Combine's `Publishers.CombineLatest4`.
    public struct CombineLatest4<A: Publisher, B: Publisher, C: Publisher, D: Publisher>: LoopPublisher
    where B.Failure == A.Failure, C.Failure == A.Failure, D.Failure == A.Failure {
      /// The values that are delivered.
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
      @inlinable
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

  extension Publishers.CombineLatest4: Equatable
  where A: Equatable, B: Equatable, C: Equatable, D: Equatable {}

  extension Publishers {
    /// A publisher of the latest values of five publishers.
    ///
    /// Combine's `Publishers.CombineLatest4`, of more.
    public struct CombineLatest5<A: Publisher, B: Publisher, C: Publisher, D: Publisher, E: Publisher>:
      LoopPublisher
    where B.Failure == A.Failure, C.Failure == A.Failure, D.Failure == A.Failure, E.Failure == A.Failure {
      /// The values that are delivered.
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
      @inlinable
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

  extension Publishers.CombineLatest5: Equatable
  where A: Equatable, B: Equatable, C: Equatable, D: Equatable, E: Equatable {}

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
      /// The values that are delivered.
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
      @inlinable
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

  extension Publishers.CombineLatest6: Equatable
  where A: Equatable, B: Equatable, C: Equatable, D: Equatable, E: Equatable, F: Equatable {}

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
      /// The values that are delivered.
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
      @inlinable
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

  extension Publishers.CombineLatest7: Equatable
  where A: Equatable, B: Equatable, C: Equatable, D: Equatable, E: Equatable, F: Equatable, G: Equatable {}

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
      /// The values that are delivered.
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
      @inlinable
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

  extension Publishers.CombineLatest8: Equatable
  where
    A: Equatable, B: Equatable, C: Equatable, D: Equatable, E: Equatable, F: Equatable, G: Equatable,
    H: Equatable
  {}
#endif
