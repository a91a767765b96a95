// Written by Tests/run arities.
#if !canImport(Combine) && (Futures || Everything)

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
    @usableFromInline let a: A
    /// The second publisher.
    @usableFromInline let b: B

    /// Creates a publisher of the latest values of two others.
    @inlinable
    public init(_ a: A, _ b: B) {
      self.a = a
      self.b = b
    }

    /// Subscribes to all on behalf of `subscriber`.
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
    @usableFromInline let a: A
    /// The second publisher.
    @usableFromInline let b: B
    /// The third publisher.
    @usableFromInline let c: C

    /// Creates a publisher of the latest values of three others.
    @inlinable
    public init(_ a: A, _ b: B, _ c: C) {
      self.a = a
      self.b = b
      self.c = c
    }

    /// Subscribes to all on behalf of `subscriber`.
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
    @usableFromInline let a: A
    /// The second publisher.
    @usableFromInline let b: B
    /// The third publisher.
    @usableFromInline let c: C
    /// The fourth publisher.
    @usableFromInline let d: D

    /// Creates a publisher of the latest values of four others.
    @inlinable
    public init(_ a: A, _ b: B, _ c: C, _ d: D) {
      self.a = a
      self.b = b
      self.c = c
      self.d = d
    }

    /// Subscribes to all on behalf of `subscriber`.
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

extension Publishers.CombineLatest4: Equatable where A: Equatable, B: Equatable, C: Equatable, D: Equatable {}
#endif
