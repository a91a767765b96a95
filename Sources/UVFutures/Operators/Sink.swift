public import UV

/// The end of a chain: two closures, which are let go as soon as they cannot be called any more.
@usableFromInline
final class Sink<Input, Failure: Error>: NamedOperator {
  @usableFromInline static var operatorName: String { "Sink" }

  @usableFromInline @exclusivity(unchecked) var isOver = false
  @usableFromInline @exclusivity(unchecked) var receiveValue: ((Input) -> Void)?
  @usableFromInline @exclusivity(unchecked)
  var receiveCompletion: ((Subscribers.Completion<Failure>) -> Void)?
  @usableFromInline @exclusivity(unchecked) var subscription: Link?
  /// The executor of the loop where it was made; nil where there was none.
  @usableFromInline let executor: LoopExecutor?
  /// The gate that every signal goes through where there is no loop.
  @usableFromInline let gate: Gate?

  @inlinable
  init(
    _ receiveCompletion: ((Subscribers.Completion<Failure>) -> Void)?,
    _ receiveValue: @escaping (Input) -> Void
  ) {
    self.receiveCompletion = receiveCompletion
    self.receiveValue = receiveValue
    executor = EventLoop.current?.executor
    gate = executor == nil ? Gate() : nil
  }

  @inlinable
  var downstream: Downstream<Input, Failure> {
    let end = Downstream<Input, Failure>(self, height: 0) { [self] in receive($0) }
    return gate?.guarding(end) ?? end
  }

  @inlinable
  func receive(_ signal: Signal<Input, Failure>) -> Subscribers.Demand {
    switch signal {
    case .value(let value): receiveValue?(value)
    case .subscription(let subscription):
      guard !isOver, self.subscription == nil else {
        subscription.cancel()
        break
      }
      self.subscription = subscription
      subscription.request(.unlimited)
    case .completion(let completion):
      let (receiveCompletion, receiveValue) = release()
      receiveCompletion?(completion)
      _ = receiveValue
    }
    return .none
  }

  @inlinable
  func release() -> (((Subscribers.Completion<Failure>) -> Void)?, ((Input) -> Void)?) {
    let closures = (receiveCompletion, receiveValue)
    isOver = true
    subscription = nil
    receiveCompletion = nil
    receiveValue = nil
    return closures
  }

  /// Cancels the subscription, from any thread.
  @inlinable
  func cancel() {
    if let executor, executor.isOnLoop { cancelNow() } else { cancelFromElsewhere() }
  }

  @usableFromInline
  func cancelFromElsewhere() {
    if let gate { return gate.run { [self] in cancelNow() } }
    executor?.cancelFromElsewhere { [self] in cancelNow() }
  }

  @inlinable
  func cancelNow() {
    let subscription = subscription
    // Kept to the end of this function: what the closures hold may do anything when it goes.
    let closures = release()
    subscription?.cancel()
    _ = closures
  }
}

extension LoopPublisher {
  /// Subscribes with closures and unlimited demand.
  ///
  /// - Parameters:
  ///   - receiveCompletion: Called once at the end, unless the subscription is cancelled before.
  ///   - receiveValue: Called with each value, where it is delivered.
  /// - Returns: The subscription; it is cancelled when this is let go.
  @inlinable
  public func sink(
    receiveCompletion: @escaping (Subscribers.Completion<Failure>) -> Void,
    receiveValue: @escaping (Output) -> Void
  ) -> AnyCancellable {
    let sink = Sink<Output, Failure>(receiveCompletion, receiveValue)
    receive(subscriber: sink.downstream)
    return AnyCancellable { sink.cancel() }
  }
}

extension LoopPublisher where Failure == Never {
  /// Subscribes with a closure and unlimited demand to a publisher that cannot fail.
  ///
  /// - Parameter receiveValue: Called with each value, where it is delivered.
  /// - Returns: The subscription; it is cancelled when this is let go.
  @inlinable
  public func sink(receiveValue: @escaping (Output) -> Void) -> AnyCancellable {
    let sink = Sink<Output, Failure>(nil, receiveValue)
    receive(subscriber: sink.downstream)
    return AnyCancellable { sink.cancel() }
  }
}
