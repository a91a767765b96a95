#if Everything
import UVFutures

/// A publisher that delivers what a test sends once its subscriber has asked for it, and keeps the rest. It notes what it
/// was asked for.
final class AskedSource<Output, Failure: Error>: Publisher, Subscription {
  private var subscriber: AnySubscriber<Output, Failure>?
  private var waiting: [Output] = []
  private var completion: Subscribers.Completion<Failure>?
  private(set) var demand = Subscribers.Demand.none
  private var isDelivering = false
  private(set) var isCancelled = false
  private(set) var subscriptionCount = 0

  init(_ waiting: [Output] = []) { self.waiting = waiting }

  /// How many values nobody has asked for.
  var waitingCount: Int { waiting.count }

  func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
    subscriptionCount += 1
    self.subscriber = AnySubscriber(subscriber)
    subscriber.receive(subscription: self)
  }

  func send(_ value: Output) {
    waiting.append(value)
    deliver()
  }

  func send(completion: Subscribers.Completion<Failure>) {
    self.completion = completion
    deliver()
  }

  func request(_ more: Subscribers.Demand) {
    demand += more
    deliver()
  }

  func cancel() {
    isCancelled = true
    subscriber = nil
  }

  private func deliver() {
    if isDelivering { return }
    isDelivering = true
    defer { isDelivering = false }
    while demand > 0, !waiting.isEmpty, let subscriber {
      demand -= 1
      demand += subscriber.receive(waiting.removeFirst())
    }
    guard waiting.isEmpty, let completion, let last = subscriber else { return }
    subscriber = nil
    last.receive(completion: completion)
  }
}
#endif
