/// The operators that deal with errors and with the end.
extension StreamSteps {
  static func concat<T, E: Error>(_ last: [T]) -> StreamStep<T, T, E> {
    values { value, emit in
      emit(.next(value))
    } end: { _, emit in
      for value in last { emit(.next(value)) }
    }
  }

  static func defaultValue<T, E: Error>(_ value: T) -> StreamStep<T, T, E> {
    var isEmpty = true
    return values {
      isEmpty = false
      $1(.next($0))
    } end: { _, emit in
      if isEmpty { emit(.next(value)) }
    }
  }

  static func until<T, E: Error>(_ handler: @escaping (T?, T) -> Termination<E>?) -> StreamStep<T, T, E> {
    var prior: T?
    return values { value, emit in
      let reason = handler(prior, value)
      prior = value
      if let reason { emit(.terminate(reason: reason)) } else { emit(.next(value)) }
    }
  }

  static func onError<T, E: Error>(_ handler: @escaping (E) -> Void) -> StreamStep<T, T, E> {
    { event, emit in
      if case .error(let error) = event { handler(error) }
      emit(event)
      if case .terminate(.error(let error)) = event { handler(error) }
    }
  }

  static func mapError<T, E: Error>(_ handler: @escaping (E) -> Termination<E>?) -> StreamStep<T, T, E> {
    { event, emit in
      if case .error(let error) = event, let reason = handler(error) {
        emit(.terminate(reason: reason))
      } else {
        emit(event)
      }
    }
  }

  static func onTerminate<T, E: Error>(_ handler: @escaping (Termination<E>) -> Void) -> StreamStep<T, T, E> {
    { event, emit in
      emit(event)
      if case .terminate(let reason) = event { handler(reason) }
    }
  }
}
