#if canImport(Combine) || Futures || Everything
/// A subscription that passes calls on to another one.
@usableFromInline
protocol PassingSubscription: Subscription, AnyObject {
  /// The other one; nil once it is over.
  var upstream: (any Subscription)? { get }
}

/// A subscription that stands in front of another one, and shows itself as that one.
@usableFromInline
protocol FrontSubscription: PassingSubscription, CustomStringConvertible, CustomReflectable,
  CustomPlaygroundDisplayConvertible
{}

extension FrontSubscription {
  /// The subscription behind this and all others that only pass calls on.
  private var shown: any Subscription {
    var last: any Subscription = self
    while let next = (last as? any PassingSubscription)?.upstream { last = next }
    return last
  }

  @usableFromInline
  var description: String { "\(shown)" }

  @usableFromInline
  var customMirror: Mirror { Mirror(reflecting: shown) }

  @usableFromInline
  var playgroundDescription: Any {
    (shown as? any CustomPlaygroundDisplayConvertible)?.playgroundDescription ?? shown
  }
}

/// A subscription to a publisher that is no loop's.
@usableFromInline
protocol ForeignSubscription: Subscription, AnyObject {}

/// Makes an object of a subscription that comes from elsewhere.
@usableFromInline
final class ForeignLink: FrontSubscription, ForeignSubscription {
  let base: any Subscription

  @usableFromInline
  init(_ base: any Subscription) { self.base = base }

  @usableFromInline
  var upstream: (any Subscription)? { base }

  @usableFromInline
  func request(_ demand: Subscribers.Demand) { base.request(demand) }

  @usableFromInline
  func cancel() { base.cancel() }
}
#endif
