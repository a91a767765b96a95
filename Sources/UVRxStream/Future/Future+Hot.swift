extension Future {
  /// A stream of the elements of what `transform` makes of the value, which then ends.
  @discardableResult
  public final func flatMap<Elements: Sequence>(
    _ transform: @escaping (Output) -> Elements
  ) -> Hot<Elements.Element, Failure> {
    deriveHot { settlement, stream in
      if case .value(let value) = settlement {
        for element in transform(value) { stream.receive(.next(element)) }
      }
    }
  }

  /// A stream of `values`, if a value comes, and then that.
  @discardableResult
  public final func start(with values: [Output]) -> Hot<Output, Failure> { flatMap { values + [$0] } }

  /// A stream of the value, if it comes, and then `values`, which come in any case but that of an error.
  @discardableResult
  public final func concat(_ values: [Output]) -> Hot<Output, Failure> {
    deriveHot { settlement, stream in
      if case .value(let value) = settlement { stream.receive(.next(value)) }
      if case .completed = settlement.termination { for value in values { stream.receive(.next(value)) } }
    }
  }

  /// A stream that ends as this future does, to which `body` passes values on before that.
  private func deriveHot<T>(
    _ body: @escaping (Settlement<Output, Failure>, Hot<T, Failure>) -> Void
  ) -> Hot<T, Failure> {
    let stream = Hot<T, Failure>()
    stream.gate = gate
    let way: Future<Never, Never> = derive { settlement, _ in
      body(settlement, stream)
      stream.receive(.terminate(reason: settlement.termination))
    }
    // A result that has already arrived is on its way here.
    stream.replayFromParent = { way.replay() }
    return stream
  }
}

extension Future where Output: Sequence {
  /// A stream of the value's elements, which then ends.
  @discardableResult
  public final func flatten() -> Hot<Output.Element, Failure> { flatMap { $0 } }
}
