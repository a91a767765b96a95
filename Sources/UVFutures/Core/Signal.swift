/// What a publisher tells a subscriber, in one value, so that a subscriber is one closure.
@usableFromInline
enum Signal<Input, Failure: Error> {
  case subscription(any Subscription)
  case value(Input)
  case completion(Subscribers.Completion<Failure>)
}
