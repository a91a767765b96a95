/// An event of a stream of many values.
///
/// RxStream's `Event`.
public enum StreamEvent<Output, Failure: Error> {
  /// A value.
  case next(Output)
  /// An error after which the stream goes on.
  case error(Failure)
  /// The end, after which nothing comes.
  case terminate(reason: Termination<Failure>)
}

extension StreamEvent {
  /// The error or the end as it is for a stream of other values; nil if there is a value.
  func withoutValue<T>(as _: T.Type = T.self) -> StreamEvent<T, Failure>? {
    switch self {
    case .next: nil
    case .error(let error): .error(error)
    case .terminate(let reason): .terminate(reason: reason)
    }
  }
}

/// A stream that knows its latest value.
///
/// Operators whose result has a value from the beginning return an observable, the others a ``Hot``.
///
/// RxStream's `Observable`.
public class Observable<Output, Failure: Error>: Hot<Output, Failure> {
  /// The latest value.
  public private(set) final var value: Output

  init(value: Output) {
    self.value = value
    super.init(last: value)
  }

  override func willDeliver(_ value: Output) { self.value = value }

  /// An observable of the same values that nobody can set.
  public final func observable() -> Observable { deriveObservable(StreamSteps.map { $0 }) }

  /// A stream of the values from now on.
  public final func hot() -> Hot<Output, Failure> { derive(StreamSteps.map { $0 }) }

  /// An observable of the transformed values.
  @discardableResult
  public final func map<T>(_ transform: @escaping (Output) -> T) -> Observable<T, Failure> {
    derive(into: Observable<T, Failure>(value: transform(value)), StreamSteps.map(transform))
  }

  /// A stream of the transformed values from now on; where `transform` returns nil, none is passed on.
  @discardableResult
  public final func map<T>(_ transform: @escaping (Output) -> T?) -> Hot<T, Failure> {
    derive(StreamSteps.compactMap(transform))
  }

  /// An observable of the results of `scanner`, which gets its previous result, initially `initial`, and the
  /// next value.
  @discardableResult
  public final func scan<T>(
    initial: T, scanner: @escaping (_ current: T, _ next: Output) -> T
  ) -> Observable<T, Failure> {
    derive(into: Observable<T, Failure>(value: initial), StreamSteps.scan(initial, scanner))
  }

  func deriveObservable(_ step: @escaping StreamStep<Output, Output, Failure>) -> Observable {
    derive(into: Observable<Output, Failure>(value: value), step)
  }
}

/// An observable whose value is set, from any thread.
///
/// A stream that is created on a loop keeps the loop running until the stream ends or is released, and
/// delivers on that loop. Releasing the stream ends it as completed.
///
/// RxStream's `ObservableInput`.
public final class ObservableInput<Output, Failure: Error>: Observable<Output, Failure> {
  private let root = HotRoot()

  /// Creates an observable with its first value.
  public init(_ value: Output) {
    super.init(value: value)
    gate = root.gate
  }

  deinit { if isActive { root.end(ending()) } }

  override func didTerminate() { root.release() }

  /// Sets the value, on the loop's thread before this returns; ignored once the observable has ended.
  @discardableResult
  public func set(_ value: Output) -> Self {
    root.receive(.next(value), self)
    return self
  }

  /// Delivers an error after which the observable goes on; ignored once it has ended.
  public func push(error: Failure) { root.receive(.error(error), self) }

  /// Ends the observable; ignored once it has ended.
  public func terminate(withReason reason: Termination<Failure> = .completed) {
    root.receive(.terminate(reason: reason), self)
  }
}

extension Observable {
  /// Calls `handler` with each value.
  @discardableResult
  public final func on(_ handler: @escaping (Output) -> Void) -> Observable {
    deriveObservable(StreamSteps.on(handler))
  }

  /// Calls `handler` with each value and the one before it, which for the first is the value of now.
  @discardableResult
  public final func onTransition(
    _ handler: @escaping (_ prior: Output?, _ next: Output) -> Void
  ) -> Observable {
    deriveObservable(StreamSteps.onTransition(from: value, handler))
  }

  /// Calls `handler` with each error, whether the stream goes on after it or ends with it.
  @discardableResult
  public final func onError(_ handler: @escaping (Failure) -> Void) -> Observable {
    deriveObservable(StreamSteps.onError(handler))
  }

  /// Calls `handler` with how the stream ends, after everything further down the chain has received the end.
  @discardableResult
  public final func onTerminate(_ handler: @escaping (Termination<Failure>) -> Void) -> Observable {
    deriveObservable(StreamSteps.onTerminate(handler))
  }

  /// The first value, and each value that differs from the one before it according to `isDistinct`.
  @discardableResult
  public final func distinct(
    _ isDistinct: @escaping (_ prior: Output, _ next: Output) -> Bool
  ) -> Observable {
    deriveObservable(StreamSteps.improving(keepsBest: false) { isDistinct($1, $0) })
  }

  /// The values after the first `count`.
  @discardableResult
  public final func skip(_ count: Int) -> Observable {
    deriveObservable(StreamSteps.skip(count))
  }
}
