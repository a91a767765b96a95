// Written by Tests/run arities.
#if !canImport(Combine) && (Futures || Everything)

extension Publishers {
  /// A publisher of the values of two publishers, as they come.
  ///
  /// Combine's `Publishers.Merge`.
  public struct Merge<A: Publisher, B: Publisher>: LoopPublisher
  where B.Output == A.Output, B.Failure == A.Failure {
    /// The values that are delivered.
    public typealias Output = A.Output
    /// How it may fail.
    public typealias Failure = A.Failure

    /// The first publisher.
    @usableFromInline let a: A
    /// The second publisher.
    @usableFromInline let b: B

    /// Creates a publisher of the values of two others.
    @inlinable
    public init(_ a: A, _ b: B) {
      self.a = a
      self.b = b
    }

    /// Subscribes to all on behalf of `subscriber`.
    @inlinable
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      MergeSource.subscribe(subscriber, to: [MergeSource(a), MergeSource(b)])
    }
  }
}

extension Publishers.Merge: Equatable where A: Equatable, B: Equatable {}

extension Publishers {
  /// A publisher of the values of three publishers, as they come.
  ///
  /// Combine's `Publishers.Merge3`.
  public struct Merge3<A: Publisher, B: Publisher, C: Publisher>: LoopPublisher
  where B.Output == A.Output, B.Failure == A.Failure, C.Output == A.Output, C.Failure == A.Failure {
    /// The values that are delivered.
    public typealias Output = A.Output
    /// How it may fail.
    public typealias Failure = A.Failure

    /// The first publisher.
    @usableFromInline let a: A
    /// The second publisher.
    @usableFromInline let b: B
    /// The third publisher.
    @usableFromInline let c: C

    /// Creates a publisher of the values of three others.
    @inlinable
    public init(_ a: A, _ b: B, _ c: C) {
      self.a = a
      self.b = b
      self.c = c
    }

    /// Subscribes to all on behalf of `subscriber`.
    @inlinable
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      MergeSource.subscribe(subscriber, to: [MergeSource(a), MergeSource(b), MergeSource(c)])
    }
  }
}

extension Publishers.Merge3: Equatable where A: Equatable, B: Equatable, C: Equatable {}

extension Publishers {
  /// A publisher of the values of four publishers, as they come.
  ///
  /// Combine's `Publishers.Merge4`.
  public struct Merge4<A: Publisher, B: Publisher, C: Publisher, D: Publisher>: LoopPublisher
  where
    B.Output == A.Output, B.Failure == A.Failure, C.Output == A.Output, C.Failure == A.Failure,
    D.Output == A.Output, D.Failure == A.Failure
  {
    /// The values that are delivered.
    public typealias Output = A.Output
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

    /// Creates a publisher of the values of four others.
    @inlinable
    public init(_ a: A, _ b: B, _ c: C, _ d: D) {
      self.a = a
      self.b = b
      self.c = c
      self.d = d
    }

    /// Subscribes to all on behalf of `subscriber`.
    @inlinable
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      MergeSource.subscribe(subscriber, to: [MergeSource(a), MergeSource(b), MergeSource(c), MergeSource(d)])
    }
  }
}

extension Publishers.Merge4: Equatable where A: Equatable, B: Equatable, C: Equatable, D: Equatable {}

extension Publishers {
  /// A publisher of the values of five publishers, as they come.
  ///
  /// Combine's `Publishers.Merge5`.
  public struct Merge5<A: Publisher, B: Publisher, C: Publisher, D: Publisher, E: Publisher>: LoopPublisher
  where
    B.Output == A.Output, B.Failure == A.Failure, C.Output == A.Output, C.Failure == A.Failure,
    D.Output == A.Output, D.Failure == A.Failure, E.Output == A.Output, E.Failure == A.Failure
  {
    /// The values that are delivered.
    public typealias Output = A.Output
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
    /// The fifth publisher.
    @usableFromInline let e: E

    /// Creates a publisher of the values of five others.
    @inlinable
    public init(_ a: A, _ b: B, _ c: C, _ d: D, _ e: E) {
      self.a = a
      self.b = b
      self.c = c
      self.d = d
      self.e = e
    }

    /// Subscribes to all on behalf of `subscriber`.
    @inlinable
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      MergeSource.subscribe(
        subscriber, to: [MergeSource(a), MergeSource(b), MergeSource(c), MergeSource(d), MergeSource(e)])
    }
  }
}

extension Publishers.Merge5: Equatable
where A: Equatable, B: Equatable, C: Equatable, D: Equatable, E: Equatable {}

extension Publishers {
  /// A publisher of the values of six publishers, as they come.
  ///
  /// Combine's `Publishers.Merge6`.
  public struct Merge6<A: Publisher, B: Publisher, C: Publisher, D: Publisher, E: Publisher, F: Publisher>:
    LoopPublisher
  where
    B.Output == A.Output, B.Failure == A.Failure, C.Output == A.Output, C.Failure == A.Failure,
    D.Output == A.Output, D.Failure == A.Failure, E.Output == A.Output, E.Failure == A.Failure,
    F.Output == A.Output, F.Failure == A.Failure
  {
    /// The values that are delivered.
    public typealias Output = A.Output
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
    /// The fifth publisher.
    @usableFromInline let e: E
    /// The sixth publisher.
    @usableFromInline let f: F

    /// Creates a publisher of the values of six others.
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
    @inlinable
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      MergeSource.subscribe(
        subscriber,
        to: [MergeSource(a), MergeSource(b), MergeSource(c), MergeSource(d), MergeSource(e), MergeSource(f)])
    }
  }
}

extension Publishers.Merge6: Equatable
where A: Equatable, B: Equatable, C: Equatable, D: Equatable, E: Equatable, F: Equatable {}

extension Publishers {
  /// A publisher of the values of seven publishers, as they come.
  ///
  /// Combine's `Publishers.Merge7`.
  public struct Merge7<
    A: Publisher, B: Publisher, C: Publisher, D: Publisher, E: Publisher, F: Publisher, G: Publisher
  >: LoopPublisher
  where
    B.Output == A.Output, B.Failure == A.Failure, C.Output == A.Output, C.Failure == A.Failure,
    D.Output == A.Output, D.Failure == A.Failure, E.Output == A.Output, E.Failure == A.Failure,
    F.Output == A.Output, F.Failure == A.Failure, G.Output == A.Output, G.Failure == A.Failure
  {
    /// The values that are delivered.
    public typealias Output = A.Output
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
    /// The fifth publisher.
    @usableFromInline let e: E
    /// The sixth publisher.
    @usableFromInline let f: F
    /// The seventh publisher.
    @usableFromInline let g: G

    /// Creates a publisher of the values of seven others.
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
    @inlinable
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      MergeSource.subscribe(
        subscriber,
        to: [
          MergeSource(a), MergeSource(b), MergeSource(c), MergeSource(d), MergeSource(e), MergeSource(f),
          MergeSource(g),
        ])
    }
  }
}

extension Publishers.Merge7: Equatable
where A: Equatable, B: Equatable, C: Equatable, D: Equatable, E: Equatable, F: Equatable, G: Equatable {}

extension Publishers {
  /// A publisher of the values of eight publishers, as they come.
  ///
  /// Combine's `Publishers.Merge8`.
  public struct Merge8<
    A: Publisher, B: Publisher, C: Publisher, D: Publisher, E: Publisher, F: Publisher, G: Publisher,
    H: Publisher
  >: LoopPublisher
  where
    B.Output == A.Output, B.Failure == A.Failure, C.Output == A.Output, C.Failure == A.Failure,
    D.Output == A.Output, D.Failure == A.Failure, E.Output == A.Output, E.Failure == A.Failure,
    F.Output == A.Output, F.Failure == A.Failure, G.Output == A.Output, G.Failure == A.Failure,
    H.Output == A.Output, H.Failure == A.Failure
  {
    /// The values that are delivered.
    public typealias Output = A.Output
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
    /// The fifth publisher.
    @usableFromInline let e: E
    /// The sixth publisher.
    @usableFromInline let f: F
    /// The seventh publisher.
    @usableFromInline let g: G
    /// The eighth publisher.
    @usableFromInline let h: H

    /// Creates a publisher of the values of eight others.
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
    @inlinable
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      MergeSource.subscribe(
        subscriber,
        to: [
          MergeSource(a), MergeSource(b), MergeSource(c), MergeSource(d), MergeSource(e), MergeSource(f),
          MergeSource(g), MergeSource(h),
        ])
    }
  }
}

extension Publishers.Merge8: Equatable
where
  A: Equatable, B: Equatable, C: Equatable, D: Equatable, E: Equatable, F: Equatable, G: Equatable,
  H: Equatable
{}
#endif
