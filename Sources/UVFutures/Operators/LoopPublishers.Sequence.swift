#if canImport(Combine) || Futures || Everything
import UV

extension LoopPublishers {
  /// A publisher of the elements of a sequence, for each subscriber anew.
  ///
  /// It delivers within the call that asks, so that on its loop's thread it stays there. `flatMap` on what
  /// `Sequence.publisher` returns takes this in its place: it is made for the type of the sequence, where the
  /// other's iterator is found at run time for each element.
  ///
  /// Combine's `Publishers.Sequence`.
  public struct Sequence<Elements: Swift.Sequence, Failure: Error>: LoopPublisher {
    /// The values that are delivered.
    public typealias Output = Elements.Element

    /// Where the elements come from.
    @usableFromInline let sequence: Elements

    @inlinable
    init(_ sequence: Elements) { self.sequence = sequence }

    /// Gives `subscriber` a subscription that delivers as many elements as are asked for.
    @inlinable
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      let downstream = Downstream(subscriber)
      let rest = SequenceRest(sequence)
      let subscription = SequenceSubscription { subscription in
        while let element = rest.next, subscription.isWanted {
          rest.next = rest.iterator.next()
          subscription.demand -= 1
          subscription.demand += downstream.receive(element)
        }
        if rest.next == nil, subscription.end() { downstream.receive(completion: .finished) }
      }
      downstream.receive(link: subscription)
      if rest.next == nil { subscription.deliver() }
    }
  }
}

/// The elements of a sequence that one subscriber hasn't received yet.
@usableFromInline
final class SequenceRest<Elements: Sequence> {
  @usableFromInline var iterator: Elements.Iterator
  @usableFromInline @exclusivity(unchecked) var next: Elements.Element?

  @inlinable
  init(_ sequence: Elements) {
    iterator = sequence.makeIterator()
    next = iterator.next()
  }
}

/// One subscriber's way through a sequence. The elements are delivered by a closure that is made where their
/// type is known: a method of a generic class would look it up each time.
@usableFromInline
final class SequenceSubscription: Subscription {
  @usableFromInline @exclusivity(unchecked) var demand = Subscribers.Demand.none
  @usableFromInline @exclusivity(unchecked) var deliverElements: ((SequenceSubscription) -> Void)?
  @exclusivity(unchecked) private var isDelivering = false

  @usableFromInline
  init(_ deliver: @escaping (SequenceSubscription) -> Void) { deliverElements = deliver }

  /// Whether another element may be delivered.
  @inlinable
  var isWanted: Bool { demand > 0 && deliverElements != nil }

  /// Ends the subscription; false if it has ended.
  @usableFromInline
  func end() -> Bool { deliverElements.take() != nil }

  @usableFromInline
  func deliver() {
    // Demand during a delivery is met by the call that is under way.
    guard !isDelivering, let deliverElements else { return }
    isDelivering = true
    deliverElements(self)
    isDelivering = false
  }

  @usableFromInline
  func request(_ more: Subscribers.Demand) {
    require(more > 0, "API violation: demand must not be zero")
    demand += more
    deliver()
  }

  @usableFromInline
  func cancel() { deliverElements = nil }
}
#endif
