#if canImport(Combine) || Futures || Everything
import UV

extension LoopPublishers {
  /// A publisher that transforms each value of another.
  ///
  /// Combine's `Publishers.Map`.
  public struct Map<Upstream: Publisher, Output>: LoopPublisher, KnownMap {
    /// The upstream's failure.
    public typealias Failure = Upstream.Failure
    /// Several transformations become one.
    public typealias Mapping = LoopPublishers.OwnMapping

    /// Where the values come from.
    @usableFromInline let upstream: Upstream
    /// The function that each value goes through.
    @usableFromInline let transform: (Upstream.Output) -> Output

    /// Creates a publisher that transforms each value of `upstream`.
    @inlinable
    public init(upstream: Upstream, transform: @escaping (Upstream.Output) -> Output) {
      #if DEBUG
      noticeRequests(Output.self, "map", "write `flatMap { ….publisher() }`")
      #endif
      self.upstream = upstream
      self.transform = transform
    }

    /// Subscribes to the upstream publisher on behalf of `subscriber`.
    @inlinable
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      if S.self == MappedRequestTaker<Output, Failure>.self,
        let taker = subscriber as? MappedRequestTaker<Output, Failure>
      {
        // Sound: those that a `flatMap` keeps were all made here, where the types are the same each time.
        let mapped =
          taker.place.pointee.map { unsafeDowncast($0, to: MappedRequest<Upstream.Output, Output>.self) }
          ?? MappedRequest()
        mapped.purpose = MappedRequest.Purpose(transform, taker.answer)
        taker.place.pointee = mapped
        return upstream.receive(subscriber: RequestTaker<Upstream.Output, Failure> { mapped.start($0) })
      }
      if S.self == OutcomeTaker<Output, Failure>.self,
        let taker = subscriber as? OutcomeTaker<Output, Failure>
      {
        if let outcome = OutcomeTaker.outcome(of: upstream) { taker.take(outcome.map(transform)) }
        return
      }
      let next = Downstream(subscriber).grounded()
      // The subscription of a request has the function, too.
      if Upstream.self == RequestPublisher<Upstream.Output>.self {
        let subscription = RequestSubscription(next as! Downstream<Output, UVError>, transform)
        return upstream.receive(
          subscriber: RequestTaker<Upstream.Output, Failure> { subscription.begin($0) })
      }
      let step = Downstream<Upstream.Output, Failure>(
        next.combineIdentifier, MapStep.self, height: next.height + 1
      ) {
        [transform] signal in
        switch signal {
        case .value(let value): return next.receive(transform(value))
        case .subscription(let subscription): next.receive(link: subscription)
        case .completion(let completion): next.receive(completion: completion)
        }
        return .none
      }
      step.attach(to: upstream)
    }
  }
}

extension LoopPublishers.Map {
  @inlinable
  static var mapsRequests: Bool { Upstream.self == RequestPublisher<Upstream.Output>.self }

  @inlinable
  static var mapsFutures: Bool { Upstream.self == Future<Upstream.Output, Failure>.self }
}

/// Names the step of a `map`, which is no object.
@usableFromInline
enum MapStep: NamedOperator {
  @usableFromInline static var operatorName: String { "Map" }
}

extension LoopPublisher where Mapping == LoopPublishers.PlainMapping {
  /// Transforms each value.
  ///
  /// - Parameter transform: Called with each value, where it is delivered.
  @inlinable
  public func map<T>(_ transform: @escaping (Output) -> T) -> LoopPublishers.Map<Self, T> {
    LoopPublishers.Map(upstream: self, transform: transform)
  }
}

extension LoopPublishers.Map {
  /// Transforms each value once more.
  @inlinable
  public func map<T>(_ transform: @escaping (Output) -> T) -> LoopPublishers.Map<Upstream, T> {
    let first = self.transform
    return LoopPublishers.Map<Upstream, T>(upstream: upstream) { transform(first($0)) }
  }
}
#endif
