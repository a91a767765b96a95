#if canImport(Combine) || Futures || Everything
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
#endif
