public import UV

/// The end of a chain: two closures, which are let go as soon as they cannot be called any more.
@usableFromInline
final class Sink<Input, Failure: Error>: NamedOperator {
  @usableFromInline static var operatorName: String { "Sink" }

  /// Where the sink was made.
  @usableFromInline
  enum Place {
    /// On a loop, which has this executor.
    case loop(LoopExecutor)
    /// Where there was none: every signal goes through the gate.
    case elsewhere(Gate)
  }

  /// Nil once the subscription is over.
  @usableFromInline @exclusivity(unchecked) var receiveValue: ((Input) -> Void)?
  @usableFromInline @exclusivity(unchecked)
  var receiveCompletion: ((Subscribers.Completion<Failure>) -> Void)?
  @usableFromInline @exclusivity(unchecked) var subscription: Link?
  @usableFromInline let place: Place

  @inlinable
  init(
    _ receiveCompletion: ((Subscribers.Completion<Failure>) -> Void)?,
    _ receiveValue: @escaping (Input) -> Void
  ) {
    self.receiveCompletion = receiveCompletion
    self.receiveValue = receiveValue
    place = EventLoop.current.map { .loop($0.executor) } ?? .elsewhere(Gate())
  }

  @inlinable
  var downstream: Downstream<Input, Failure> {
    let end = Downstream<Input, Failure>(self, height: 0) { [self] in receive($0) }
    return if case .elsewhere(let gate) = place { gate.guarding(end) } else { end }
  }

  @inlinable
  func receive(_ signal: Signal<Input, Failure>) -> Subscribers.Demand {
    switch signal {
    case .value(let value): receiveValue?(value)
    case .subscription(let subscription):
      guard receiveValue != nil, self.subscription == nil else {
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
    subscription = nil
    receiveCompletion = nil
    receiveValue = nil
    return closures
  }

  /// Cancels the subscription, from any thread.
  @inlinable
  func cancel() {
    if case .loop(let executor) = place, executor.isOnLoop { cancelNow() } else { cancelFromElsewhere() }
  }

  @usableFromInline
  func cancelFromElsewhere() {
    switch place {
    case .loop(let executor): executor.cancelFromElsewhere { [self] in cancelNow() }
    case .elsewhere(let gate): gate.run { [self] in cancelNow() }
    }
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
