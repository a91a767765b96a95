/// A stream of many values that flows whether or not somebody listens.
///
/// What RxStream's operators on a future return where one value becomes many, and what they merge with. It is a
/// publisher like any other, so Combine's operators work on it; a subscriber without demand misses values.
///
/// It belongs to the thread on which it is made, usually a loop's. Handlers are called there, when a value is pushed or
/// comes.
///
/// RxStream's `Hot`.
public class Hot<Output, Failure: Error>: LoopPublisher {
  private let subject = PassthroughSubject<Output, Failure>()
  private var handlers: [(StreamEvent<Output, Failure>) -> Void] = []

  /// How the stream ended, nil while it flows.
  ///
  /// RxStream's `state`.
  public private(set) final var termination: Termination<Failure>?

  init() {}

  /// Subscribes to the values from now on.
  ///
  /// Combine's `Publisher.receive(subscriber:)`.
  public final func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
    subject.receive(subscriber: subscriber)
  }

  final func deliver(_ value: Output) {
    guard termination == nil else { return }
    // One of them may end the stream.
    for handler in handlers where termination == nil { handler(.value(value)) }
    subject.send(value)
  }

  final func terminate(_ termination: Termination<Failure>) {
    guard self.termination == nil else { return }
    self.termination = termination
    let handlers = handlers
    self.handlers = []
    for handler in handlers { handler(.end(termination)) }
    if case .error(let error) = termination {
      subject.send(completion: .failure(error))
    } else {
      subject.send(completion: .finished)
    }
  }

  final func attach(_ handler: @escaping (StreamEvent<Output, Failure>) -> Void) {
    if let termination { handler(.end(termination)) } else { handlers.append(handler) }
  }

  private func derive<T>(
    _ body: @escaping (StreamEvent<Output, Failure>, Hot<T, Failure>) -> Void
  ) -> Hot<T, Failure> {
    let child = Hot<T, Failure>()
    attach { body($0, child) }
    return child
  }

  /// Calls `handler` with each value.
  ///
  /// RxStream's `on(_:)`.
  @discardableResult
  public final func on(_ handler: @escaping (Output) -> Void) -> Hot<Output, Failure> {
    derive { event, child in
      if case .value(let value) = event { handler(value) }
      child.receive(event)
    }
  }

  /// Calls `handler` with the error, if the stream ends with one.
  ///
  /// RxStream's `onError(_:)`.
  @discardableResult
  public final func onError(_ handler: @escaping (Failure) -> Void) -> Hot<Output, Failure> {
    derive { event, child in
      child.receive(event)
      if case .end(.error(let error)) = event { handler(error) }
    }
  }

  /// Calls `handler` with how the stream ends, after everything further down the chain has been told.
  ///
  /// RxStream's `onTerminate(_:)`.
  @discardableResult
  public final func onTerminate(_ handler: @escaping (Termination<Failure>) -> Void) -> Hot<Output, Failure> {
    derive { event, child in
      child.receive(event)
      if case .end(let termination) = event { handler(termination) }
    }
  }

  /// The values of both sides, until both have ended.
  ///
  /// - Parameter other: A future, another stream, or any publisher.
  ///
  /// RxStream's `merge(_:)`.
  @discardableResult
  public final func merge(_ other: some Publisher<Output, Failure>) -> Hot<Output, Failure> {
    let child = Hot<Output, Failure>()
    var remaining = 2
    func receive(_ event: StreamEvent<Output, Failure>) {
      if case .end = event {
        remaining -= 1
        if remaining > 0 { return }
      }
      child.receive(event)
    }
    attach(receive)
    Downstream<Output, Failure>(child, height: 0) { signal in
      switch signal {
      case .subscription(let link): link.request(.unlimited)
      case .value(let value): receive(.value(value))
      case .completion(.finished): receive(.end(.completed))
      case .completion(.failure(let error)): receive(.end(.error(error)))
      }
      return .none
    }
    .attach(to: other)
    return child
  }

  /// Passes values on as `throttle` allows.
  ///
  /// RxStream's `throttled(_:)`.
  @discardableResult
  public final func throttled(_ throttle: any Throttle) -> Hot<Output, Failure> {
    derive { event, child in
      switch event {
      case .value(let value): throttle.process { child.deliver(value) }
      case .end: throttle.finish { child.receive(event) }
      }
    }
  }

  final func receive(_ event: StreamEvent<Output, Failure>) {
    switch event {
    case .value(let value): deliver(value)
    case .end(let termination): terminate(termination)
    }
  }
}

/// What a stream tells.
enum StreamEvent<Output, Failure: Error> {
  case value(Output)
  case end(Termination<Failure>)
}

/// A stream that values are pushed into.
///
/// RxStream's `HotInput`.
public final class HotInput<Output, Failure: Error>: Hot<Output, Failure> {
  /// Creates a stream that waits for values.
  ///
  /// RxStream's `HotInput.init()`.
  public override init() { super.init() }

  /// Delivers a value before this returns; ignored once the stream has ended. On the stream's thread.
  ///
  /// RxStream's `HotInput.push(_:)`.
  public func push(_ value: Output) { deliver(value) }

  /// Ends the stream before this returns; ignored once it has ended. On the stream's thread.
  ///
  /// RxStream's `HotInput.terminate(withReason:)`.
  public func terminate(withReason reason: Termination<Failure> = .completed) { terminate(reason) }
}

extension Future {
  /// A stream of the elements of what `transform` makes of the value, which then ends.
  ///
  /// RxStream's `flatMap(_:)`.
  @discardableResult
  public final func flatMap<Elements: Sequence>(
    _ transform: @escaping (Output) -> Elements
  ) -> Hot<Elements.Element, Failure> {
    let stream = Hot<Elements.Element, Failure>()
    _ = derive { (settlement, _: Future<Never, Never>) in
      if case .value(let value) = settlement { for element in transform(value) { stream.deliver(element) } }
      stream.terminate(settlement.termination)
    }
    return stream
  }

  /// A stream of `values`, if a value comes, and then that.
  ///
  /// RxStream's `start(with:)`.
  @discardableResult
  public final func start(with values: [Output]) -> Hot<Output, Failure> { flatMap { values + [$0] } }

  /// A stream of the value, if it comes, and then `values`, which come in any case but that of an error.
  ///
  /// RxStream's `concat(_:)`.
  @discardableResult
  public final func concat(_ values: [Output]) -> Hot<Output, Failure> {
    let stream = Hot<Output, Failure>()
    _ = derive { (settlement, _: Future<Never, Never>) in
      if case .value(let value) = settlement { stream.deliver(value) }
      if case .completed = settlement.termination { for value in values { stream.deliver(value) } }
      stream.terminate(settlement.termination)
    }
    return stream
  }
}

extension Future where Output: Sequence {
  /// A stream of the value's elements, which then ends.
  ///
  /// RxStream's `flatten()`.
  @discardableResult
  public final func flatten() -> Hot<Output.Element, Failure> { flatMap { $0 } }
}
