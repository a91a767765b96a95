#if canImport(Combine) || Futures || Everything
public import UV

/// A publisher that is merged with others, without its type.
@usableFromInline
struct MergeSource<Output, Failure: Error>: LoopPublisher, NamedOperator {
  @usableFromInline static var operatorName: String { "Merge" }

  @usableFromInline let attach: (Downstream<Output, Failure>) -> Void

  @inlinable
  init<P: Publisher>(_ publisher: P) where P.Output == Output, P.Failure == Failure {
    attach = { $0.attach(toAny: publisher, through: nil) }
  }

  @inlinable
  func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
    attach(Downstream(subscriber))
  }

  /// To merge is to flatten the publishers that there are.
  @inlinable
  static func subscribe<S: Subscriber>(
    _ subscriber: S, to sources: [MergeSource]
  ) where S.Input == Output, S.Failure == Failure {
    let node = FlatMapNode<MergeSource, Failure, MergeSource, Failure>(
      Downstream(subscriber), .unlimited, { $0 })
    node.begin()
    if let gate = node.gate { gate.run { node.receive(all: sources) } } else { node.receive(all: sources) }
  }
}

extension FlatMapNode {
  /// Takes what an upstream publisher would send, all of it.
  @inlinable
  func receive(all sources: [Input]) {
    for source in sources { receiveOuter(source) }
    receiveOuter(.finished)
  }
}

#if !canImport(Combine)
extension Publishers {
  /// A publisher of the values of any number of publishers of one type, as they come.
  ///
  /// Combine's `Publishers.MergeMany`.
  public struct MergeMany<Upstream: Publisher>: LoopPublisher {
    /// The values that are delivered.
    public typealias Output = Upstream.Output
    /// How it may fail.
    public typealias Failure = Upstream.Failure

    /// The publishers that are merged.
    @usableFromInline let publishers: [Upstream]

    /// Creates a publisher of the values of `upstream`; of none it finishes at once.
    @inlinable
    public init(_ upstream: Upstream...) { publishers = upstream }

    /// Creates a publisher of the values of `upstream`; of none it finishes at once.
    @inlinable
    public init(_ upstream: some Swift.Sequence<Upstream>) { publishers = Array(upstream) }

    /// Subscribes to all on behalf of `subscriber`.
    @inlinable
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      MergeSource.subscribe(subscriber, to: publishers.map { MergeSource($0) })
    }

    /// The same publisher with one more.
    @inlinable
    public func merge(with other: Upstream) -> MergeMany<Upstream> { MergeMany(publishers + [other]) }
  }
}

extension Publishers.MergeMany: Equatable where Upstream: Equatable {}

extension Publisher {
  /// The values of this publisher and another of its type, as they come.
  @inlinable
  public func merge(with other: Self) -> Publishers.MergeMany<Self> { Publishers.MergeMany([self, other]) }
}
#endif
#endif
