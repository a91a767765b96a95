extension Future {
  /// A stream of the elements of what `transform` makes of the value, which then ends.
  @discardableResult
  public final func flatMap<Elements: Sequence>(
    _ transform: @escaping (Output) -> Elements
  ) -> Hot<Elements.Element, Failure> {
    let stream = Hot<Elements.Element, Failure>()
    _ = derive { (settlement, _: Future<Never, Never>) in
      if case .value(let value) = settlement {
        for element in transform(value) { stream.receive(.next(element)) }
      }
      stream.receive(.terminate(reason: settlement.termination))
    }
    return stream
  }

  /// A stream of `values`, if a value comes, and then that.
  @discardableResult
  public final func start(with values: [Output]) -> Hot<Output, Failure> { flatMap { values + [$0] } }

  /// A stream of the value, if it comes, and then `values`, which come in any case but that of an error.
  @discardableResult
  public final func concat(_ values: [Output]) -> Hot<Output, Failure> {
    let stream = Hot<Output, Failure>()
    _ = derive { (settlement, _: Future<Never, Never>) in
      if case .value(let value) = settlement { stream.receive(.next(value)) }
      if case .completed = settlement.termination { for value in values { stream.receive(.next(value)) } }
      stream.receive(.terminate(reason: settlement.termination))
    }
    return stream
  }
}

extension Future where Output: Sequence {
  /// A stream of the value's elements, which then ends.
  @discardableResult
  public final func flatten() -> Hot<Output.Element, Failure> { flatMap { $0 } }
}
