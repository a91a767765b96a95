#if Everything
import UVFutures

/// What a subscriber heard, in order.
enum Heard<Input: Equatable, Failure: Error & Equatable>: Equatable {
  case subscription
  case value(Input)
  case completion(Subscribers.Completion<Failure>)
}

/// A subscriber that asks only when a test says so, and writes down what it hears.
final class Probe<Input: Equatable, Failure: Error & Equatable>: Subscriber {
  private(set) var heard: [Heard<Input, Failure>] = []
  private(set) var subscription: (any Subscription)?
  var initialDemand: Subscribers.Demand
  var furtherDemand: Subscribers.Demand
  var onValue: ((Input) -> Void)?
  var onCompletion: ((Subscribers.Completion<Failure>) -> Void)?

  init(_ initialDemand: Subscribers.Demand = .unlimited, then furtherDemand: Subscribers.Demand = .none) {
    self.initialDemand = initialDemand
    self.furtherDemand = furtherDemand
  }

  var values: [Input] { heard.compactMap { if case .value(let value) = $0 { value } else { nil } } }
  var completions: [Subscribers.Completion<Failure>] {
    heard.compactMap { if case .completion(let completion) = $0 { completion } else { nil } }
  }

  func request(_ demand: Subscribers.Demand) { subscription?.request(demand) }
  func cancel() { subscription?.cancel() }

  func receive(subscription: any Subscription) {
    heard.append(.subscription)
    self.subscription = subscription
    if initialDemand > 0 { subscription.request(initialDemand) }
  }

  func receive(_ input: Input) -> Subscribers.Demand {
    heard.append(.value(input))
    onValue?(input)
    return furtherDemand
  }

  func receive(completion: Subscribers.Completion<Failure>) {
    heard.append(.completion(completion))
    onCompletion?(completion)
  }
}
#endif
