import UV

extension HotStream {
  /// The values of both sides, until both have ended.
  ///
  /// - Parameter other: A future, or another stream.
  @discardableResult
  public func merge(_ other: some AnyStream<Output, Failure>) -> Hot<Output, Failure> {
    let child = Hot<Output, Failure>()
    HotJoin(child) { (join, event: StreamEvent<Output, Failure>) in
      if join.leftHasEnded, !join.rightHasEnded { return }
      join.emit(event)
    } right: { (join, event: StreamEvent<Output, Failure>) in
      if join.rightHasEnded, !join.leftHasEnded { return }
      join.emit(event)
    }
    .start(asHot, other)
    return child
  }

  /// The values of both sides, where they differ in type, until both have ended.
  ///
  /// - Parameter other: A future, or another stream.
  @_disfavoredOverload
  @discardableResult
  public func merge<T>(_ other: some AnyStream<T, Failure>) -> Hot<Either<Output, T>, Failure> {
    let child = Hot<Either<Output, T>, Failure>()
    HotJoin(child) { (join, event: StreamEvent<Output, Failure>) in
      if join.leftHasEnded, !join.rightHasEnded { return }
      if case .next(let value) = event {
        join.emit(.next(.left(value)))
      } else {
        join.emit(event.withoutValue()!)
      }
    } right: { (join, event: StreamEvent<T, Failure>) in
      if join.rightHasEnded, !join.leftHasEnded { return }
      if case .next(let value) = event {
        join.emit(.next(.right(value)))
      } else {
        join.emit(event.withoutValue()!)
      }
    }
    .start(asHot, other)
    return child
  }

  /// Pairs of the first values of both sides, the second, and so on. It ends when a side ends whose values
  /// have all found another.
  ///
  /// - Parameters:
  ///   - other: A future, or another stream.
  ///   - buffer: How many values of a side may wait, 0 or more; later ones are dropped. Without it there is
  ///     no limit.
  @discardableResult
  public func zip<T>(_ other: some AnyStream<T, Failure>, buffer: Int? = nil) -> Hot<(Output, T), Failure> {
    let child = Hot<(Output, T), Failure>()
    var (lefts, rights) = (Queue<Output>(), Queue<T>())
    HotJoin(child) { (join, event: StreamEvent<Output, Failure>) in
      switch event {
      case .next(let value):
        if let right = rights.popFirst() { return join.emit(.next((value, right))) }
        if lefts.count < buffer ?? .max { lefts.append(value) }
      case .error: join.emit(event.withoutValue()!)
      case .terminate: if lefts.isEmpty || join.rightHasEnded { join.emit(event.withoutValue()!) }
      }
    } right: { (join, event: StreamEvent<T, Failure>) in
      switch event {
      case .next(let value):
        if let left = lefts.popFirst() { return join.emit(.next((left, value))) }
        if rights.count < buffer ?? .max { rights.append(value) }
      case .error: join.emit(event.withoutValue()!)
      case .terminate: if rights.isEmpty || join.leftHasEnded { join.emit(event.withoutValue()!) }
      }
    }
    .start(asHot, other)
    return child
  }

  /// Pairs of the latest values of both sides, whenever one comes.
  ///
  /// - Parameters:
  ///   - latest: Whether a value may be in several pairs. If not, each is in one, and those that another of
  ///     their side follows are dropped.
  ///   - other: A future, or another stream.
  @discardableResult
  public func combine<T>(
    latest: Bool = true, stream other: some AnyStream<T, Failure>
  ) -> Hot<(Output, T), Failure> {
    let child = Hot<(Output, T), Failure>()
    var (left, right): (Output?, T?)
    func pair(_ join: HotJoin<Output, T, (Output, T), Failure>) {
      guard let one = left, let other = right else { return }
      if !latest { (left, right) = (nil, nil) }
      join.emit(.next((one, other)))
    }
    HotJoin(child) { (join, event: StreamEvent<Output, Failure>) in
      switch event {
      case .next(let value):
        left = value
        pair(join)
      case .error: join.emit(event.withoutValue()!)
      case .terminate: if !latest || left == nil || join.rightHasEnded { join.emit(event.withoutValue()!) }
      }
    } right: { (join, event: StreamEvent<T, Failure>) in
      switch event {
      case .next(let value):
        right = value
        pair(join)
      case .error: join.emit(event.withoutValue()!)
      case .terminate: if !latest || right == nil || join.leftHasEnded { join.emit(event.withoutValue()!) }
      }
    }
    .start(asHot, other)
    return child
  }
}
