/// One of two values.
///
/// RxStream's `Either`.
public enum Either<Left, Right> {
  /// The value of the left side.
  case left(Left)
  /// The value of the right side.
  case right(Right)
}

extension Either: Equatable where Left: Equatable, Right: Equatable {}
extension Either: Sendable where Left: Sendable, Right: Sendable {}

extension Future {
  /// A future of the first value of either side.
  ///
  /// An error of one side alone does not end it; it ends without a value when both sides have, as the later one.
  ///
  /// - Parameter other: Another future, or any publisher.
  ///
  /// RxStream's `merge(_:)`.
  @discardableResult
  public final func merge(_ other: some Publisher<Output, Failure>) -> Future<Output, Failure> {
    let child = Future<Output, Failure>()
    let join = Join(2, child)
    derive(into: child) { settlement, _ in join.firstWins(settlement) }
    join.subscribe(to: other) { join.firstWins($0) }
    return child
  }

  /// A future of the first value of either side, where the two differ in type.
  ///
  /// An error of one side alone does not end it; it ends without a value when both sides have, as the later one.
  ///
  /// - Parameter other: Another future, or any publisher.
  ///
  /// RxStream's `merge(_:)`.
  @_disfavoredOverload
  @discardableResult
  public final func merge<T>(_ other: some Publisher<T, Failure>) -> Future<Either<Output, T>, Failure> {
    let child = Future<Either<Output, T>, Failure>()
    let join = Join(2, child)
    derive(into: child) { settlement, _ in join.firstWins(settlement.map { .left($0) }) }
    join.subscribe(to: other) { (settlement: Settlement<T, Failure>) in
      join.firstWins(settlement.map { .right($0) })
    }
    return child
  }

  /// A future of a pair, of the first value of each side. An error of either ends it at once.
  ///
  /// It is meant where a future is asked for; otherwise `zip` is Combine's, which makes a cold publisher.
  ///
  /// - Parameter other: Another future, or any publisher.
  ///
  /// RxStream's `zip(_:buffer:)`.
  @_disfavoredOverload
  @discardableResult
  public final func zip<T>(_ other: some Publisher<T, Failure>) -> Future<(Output, T), Failure> {
    let child = Future<(Output, T), Failure>()
    let pair = Pair<Output, T, Failure>(child)
    derive(into: child) { settlement, _ in pair.receive(left: settlement) }
    pair.subscribe(to: other)
    return child
  }

  /// A future of a pair, of the first value of each side; the same as ``zip(_:)`` for a future.
  ///
  /// RxStream's `combine(stream:)`.
  @discardableResult
  public final func combine<T>(_ other: some Publisher<T, Failure>) -> Future<(Output, T), Failure> {
    zip(other)
  }
}

extension Settlement {
  func map<T>(_ transform: (Output) -> T) -> Settlement<T, Failure> {
    if case .value(let value) = self { return .value(transform(value)) }
    return withoutValue()!
  }
}

extension Publisher {
  /// Calls `body` once: with the first value, or with the end if there is none.
  func settlement(_ body: @escaping (Settlement<Output, Failure>) -> Void) -> AnyCancellable {
    var body: ((Settlement<Output, Failure>) -> Void)? = body
    return prefix(1).sink(
      receiveCompletion: { completion in
        switch completion {
        case .finished: body.take()?(.completed)
        case .failure(let error): body.take()?(.failure(error))
        }
      },
      receiveValue: { body.take()?(.value($0)) })
  }
}

/// Several sides of which the first with a value decides.
private final class Join<Output, Failure: Error> {
  private var remaining: Int
  private let child: Future<Output, Failure>
  private var subscription: AnyCancellable?

  init(_ sides: Int, _ child: Future<Output, Failure>) {
    remaining = sides
    self.child = child
  }

  func subscribe<T>(
    to other: some Publisher<T, Failure>, _ body: @escaping (Settlement<T, Failure>) -> Void
  ) {
    let subscription = other.settlement(body)
    if child.isActive { self.subscription = subscription }
  }

  func firstWins(_ settlement: Settlement<Output, Failure>) {
    remaining -= 1
    if case .value = settlement {} else if remaining > 0 { return }
    subscription = nil
    child.settle(settlement)
  }
}

/// Two sides that both have to have a value.
private final class Pair<Left, Right, Failure: Error> {
  private let child: Future<(Left, Right), Failure>
  private var left: Left?
  private var right: Right?
  private var subscription: AnyCancellable?

  init(_ child: Future<(Left, Right), Failure>) { self.child = child }

  func subscribe(to other: some Publisher<Right, Failure>) {
    let subscription = other.settlement { [self] settlement in
      guard case .value(let value) = settlement else { return child.settle(settlement.withoutValue()!) }
      right = value
      finishIfBoth()
    }
    if child.isActive { self.subscription = subscription }
  }

  func receive(left settlement: Settlement<Left, Failure>) {
    guard case .value(let value) = settlement else {
      subscription = nil
      return child.settle(settlement.withoutValue()!)
    }
    left = value
    finishIfBoth()
  }

  private func finishIfBoth() {
    guard let left, let right else { return }
    subscription = nil
    child.settle(.value((left, right)))
  }
}
