/// One of two values.
///
/// RxStream's `Either`.
public enum Either<Left, Right> {
  /// The value of the left side.
  case left(Left)
  /// The value of the right side.
  case right(Right)
}

extension Either {
  /// The value of the left side, if it is that.
  public var left: Left? { if case .left(let value) = self { value } else { nil } }

  /// The value of the right side, if it is that.
  public var right: Right? { if case .right(let value) = self { value } else { nil } }

  /// The value of the left side.
  public init(_ value: Left) { self = .left(value) }

  /// The value of the right side.
  public init(_ value: Right) { self = .right(value) }

  /// Calls `handler` with the value if it is the left side's.
  @discardableResult
  public func onLeft(_ handler: (Left) -> Void) -> Self {
    if let left { handler(left) }
    return self
  }

  /// Calls `handler` with the value if it is the right side's.
  @discardableResult
  public func onRight(_ handler: (Right) -> Void) -> Self {
    if let right { handler(right) }
    return self
  }
}

extension Either: Equatable where Left: Equatable, Right: Equatable {}
extension Either: Sendable where Left: Sendable, Right: Sendable {}

extension StreamFuture {
  /// A future of the first value of either side.
  ///
  /// An error of one side alone does not end it; it ends without a value when both sides have, as the later
  /// one.
  ///
  /// - Parameter other: Another future, or any stream.
  @discardableResult
  public func merge(_ other: some AnyStream<Output, Failure>) -> Future<Output, Failure> {
    let child = Future<Output, Failure>()
    Join(child, firstWins: true) {
      $0.firstWins($1)
    } right: {
      $0.firstWins($1)
    }.start(asFuture, other)
    return child
  }

  /// A future of the first value of either side, where the two differ in type.
  ///
  /// An error of one side alone does not end it; it ends without a value when both sides have, as the later
  /// one.
  ///
  /// - Parameter other: Another future, or any stream.
  @_disfavoredOverload
  @discardableResult
  public func merge<T>(_ other: some AnyStream<T, Failure>) -> Future<Either<Output, T>, Failure> {
    let child = Future<Either<Output, T>, Failure>()
    Join(child, firstWins: true) { (join, settlement: Settlement<Output, Failure>) in
      join.firstWins(settlement.map { .left($0) })
    } right: { (join, settlement: Settlement<T, Failure>) in
      join.firstWins(settlement.map { .right($0) })
    }
    .start(asFuture, other)
    return child
  }

  /// A future of a pair, of the first value of each side. An error of either ends it at once.
  ///
  /// - Parameter other: Another future, or any stream.
  @discardableResult
  public func zip<T>(_ other: some AnyStream<T, Failure>) -> Future<(Output, T), Failure> {
    let child = Future<(Output, T), Failure>()
    var (left, right): (Output?, T?)
    Join(child, firstWins: false) { (join, settlement: Settlement<Output, Failure>) in
      left = join.value(of: settlement)
      if let left, let right { join.end(.value((left, right))) }
    } right: { (join, settlement: Settlement<T, Failure>) in
      right = join.value(of: settlement)
      if let left, let right { join.end(.value((left, right))) }
    }
    .start(asFuture, other)
    return child
  }

  /// A future of a pair, of the first value of each side; the same as `zip(_:)` for a future.
  @discardableResult
  public func combine<T>(_ other: some AnyStream<T, Failure>) -> Future<(Output, T), Failure> {
    zip(other)
  }
}
