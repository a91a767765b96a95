/// A subscription that is an object. Passing one costs a retain, where a subscription of any type is copied
/// through a table of functions.
@usableFromInline
typealias Link = any Subscription & AnyObject

/// A publisher's message to a subscriber, in one value, so that a subscriber is one closure.
@usableFromInline
enum Signal<Input, Failure: Error> {
  case subscription(Link)
  case value(Input)
  case completion(Subscribers.Completion<Failure>)
}

/// A subscription to a publisher that is no loop's.
@usableFromInline
protocol ForeignSubscription: Subscription, AnyObject {}

/// Makes an object of a subscription that comes from elsewhere.
@usableFromInline
final class ForeignLink: ForeignSubscription {
  private let base: any Subscription

  @usableFromInline
  init(_ base: any Subscription) { self.base = base }

  @usableFromInline
  func request(_ demand: Subscribers.Demand) { base.request(demand) }

  @usableFromInline
  func cancel() { base.cancel() }
}
