#if canImport(Combine) || Futures || Everything
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

  /// In a structure, since an optional function would get a wrapper where it is only asked whether it is there.
  @usableFromInline
  struct Handlers {
    @usableFromInline let receiveCompletion: ((Subscribers.Completion<Failure>) -> Void)?
    @usableFromInline let receiveValue: (Input) -> Void

    @inlinable
    init(
      _ receiveCompletion: ((Subscribers.Completion<Failure>) -> Void)?,
      _ receiveValue: @escaping (Input) -> Void
    ) {
      (self.receiveCompletion, self.receiveValue) = (receiveCompletion, receiveValue)
    }
  }

  /// Nil once the subscription is over.
  @usableFromInline @exclusivity(unchecked) var handlers: Handlers?
  @usableFromInline @exclusivity(unchecked) var subscription: Link?
  @usableFromInline let place: Place

  // Not inlinable: with the cases in sight, the compiler allocates the function that `downstream` makes.
  @usableFromInline var gate: Gate? { if case .elsewhere(let gate) = place { gate } else { nil } }

  @inlinable
  init(
    _ receiveCompletion: ((Subscribers.Completion<Failure>) -> Void)?,
    _ receiveValue: @escaping (Input) -> Void
  ) {
    handlers = Handlers(receiveCompletion, receiveValue)
    place = EventLoop.current.map { .loop($0.executor) } ?? .elsewhere(Gate())
  }

  @inlinable
  var downstream: Downstream<Input, Failure> {
    let end = Downstream<Input, Failure>(self, height: 0) { [self] in receive($0) }
    return gate?.guarding(end) ?? end
  }

  @inlinable
  func receive(_ signal: Signal<Input, Failure>) -> Subscribers.Demand {
    switch signal {
    case .value(let value): handlers?.receiveValue(value)
    case .subscription(let subscription):
      guard handlers != nil, self.subscription == nil else {
        subscription.cancel()
        break
      }
      self.subscription = subscription
      subscription.request(.unlimited)
    case .completion(let completion):
      let last = release()
      last?.receiveCompletion?(completion)
      _ = last
    }
    return .none
  }

  @inlinable
  func release() -> Handlers? {
    subscription = nil
    return handlers.take()
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
    let last = release()
    subscription?.cancel()
    _ = last
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
#endif
