import UV

/// An operator's step: it gets each event, and calls its second argument with the events that go on, any
/// number of times, now or later.
typealias StreamStep<Input, Output, Failure: Error> = (
  StreamEvent<Input, Failure>, @escaping (StreamEvent<Output, Failure>) -> Void
) -> Void

/// The same for an operator that may answer later: it calls its third argument once it is done with the event.
typealias AsyncStreamStep<Input, Output, Failure: Error> = (
  StreamEvent<Input, Failure>, @escaping (StreamEvent<Output, Failure>) -> Void, @escaping () -> Void
) -> Void

/// The operators that streams of many values share. Each call makes one with a state of its own.
enum StreamSteps {
  static func values<T, U, E: Error>(
    _ body: @escaping (T, (StreamEvent<U, E>) -> Void) -> Void
  ) -> StreamStep<T, U, E> {
    { event, emit in
      if case .next(let value) = event { body(value, emit) } else { emit(event.withoutValue()!) }
    }
  }

  /// As above; `end` comes before the end.
  static func values<T, U, E: Error>(
    _ body: @escaping (T, (StreamEvent<U, E>) -> Void) -> Void,
    end: @escaping (Termination<E>, (StreamEvent<U, E>) -> Void) -> Void
  ) -> StreamStep<T, U, E> {
    { event, emit in
      switch event {
      case .next(let value): body(value, emit)
      case .error(let error): emit(.error(error))
      case .terminate(let reason):
        end(reason, emit)
        emit(.terminate(reason: reason))
      }
    }
  }

  static func map<T, U, E: Error>(_ transform: @escaping (T) -> U) -> StreamStep<T, U, E> {
    noteRequests(U.self)
    return values { value, emit in emit(.next(transform(value))) }
  }

  static func on<T, E: Error>(_ handler: @escaping (T) -> Void) -> StreamStep<T, T, E> {
    map {
      handler($0)
      return $0
    }
  }

  static func onTransition<T, E: Error>(
    from prior: T? = nil, _ handler: @escaping (T?, T) -> Void
  ) -> StreamStep<T, T, E> {
    var prior = prior
    return on {
      handler(prior, $0)
      prior = $0
    }
  }

  static func compactMap<T, U, E: Error>(_ transform: @escaping (T) -> U?) -> StreamStep<T, U, E> {
    noteRequests(U.self)
    return values { value, emit in if let new = transform(value) { emit(.next(new)) } }
  }

  static func resultMap<T, U, E: Error>(_ transform: @escaping (T) -> Result<U, E>) -> StreamStep<T, U, E> {
    values { value, emit in
      switch transform(value) {
      case .success(let new): emit(.next(new))
      case .failure(let error): emit(.error(error))
      }
    }
  }

  static func flatMap<T, S: Sequence, E: Error>(_ transform: @escaping (T) -> S) -> StreamStep<
    T, S.Element, E
  > {
    values { value, emit in for element in transform(value) { emit(.next(element)) } }
  }

  static func scan<T, U, E: Error>(_ initial: U, _ scanner: @escaping (U, T) -> U) -> StreamStep<T, U, E> {
    var current = initial
    return map {
      current = scanner(current, $0)
      return current
    }
  }

  static func reduce<T, U, E: Error>(_ initial: U, _ reducer: @escaping (U, T) -> U) -> StreamStep<T, U, E> {
    var current = initial
    return values { value, _ in
      current = reducer(current, value)
    } end: { _, emit in
      emit(.next(current))
    }
  }

  static func first<T, E: Error>(_ count: Int, then reason: Termination<E>) -> StreamStep<T, T, E> {
    var left = max(1, count)
    return values { value, emit in
      left -= 1
      if left >= 0 { emit(.next(value)) }
      if left == 0 { emit(.terminate(reason: reason)) }
    }
  }

  static func last<T, E: Error>(_ count: Int, partial: Bool) -> StreamStep<T, T, E> {
    var values = Queue<T>()
    let count = max(1, count)
    return Self.values { value, _ in
      if values.count == count { _ = values.popFirst() }
      values.append(value)
    } end: { _, emit in
      if values.count == count || partial { for value in values { emit(.next(value)) } }
    }
  }

  static func buffer<T, E: Error>(_ size: Int, partial: Bool) -> StreamStep<T, [T], E> {
    var values: [T] = []
    return Self.values { value, emit in
      values.append(value)
      guard values.count >= max(1, size) else { return }
      let full = values
      values = []
      emit(.next(full))
    } end: { _, emit in
      if partial { emit(.next(values)) }
    }
  }

  static func window<T, E: Error>(_ size: Int, partial: Bool) -> StreamStep<T, [T], E> {
    var values: [T] = []
    let size = max(1, size)
    return Self.values { value, emit in
      if values.count == size { values.removeFirst() }
      values.append(value)
      if values.count == size || partial { emit(.next(values)) }
    } end: { _, emit in
      if partial, values.count < size { emit(.next(values)) }
    }
  }

  static func window<T, E: Error>(_ size: Duration, limit: Int?) -> StreamStep<T, [T], E> {
    var values: [(moment: LoopClock.Instant, value: T)] = []
    return map { value in
      let now = LoopClock.Instant.now
      values.append((now, value))
      values.removeAll { $0.moment.duration(to: now) >= size }
      if let limit, values.count > limit { values.removeFirst(values.count - limit) }
      return values.map(\.value)
    }
  }

  static func filter<T, E: Error>(_ include: @escaping (T) -> Bool) -> StreamStep<T, T, E> {
    values { value, emit in if include(value) { emit(.next(value)) } }
  }

  static func stride<T, E: Error>(_ stride: Int) -> StreamStep<T, T, E> {
    var count = 0
    return filter { _ in
      count += 1
      return count % max(1, stride) == 0
    }
  }

  /// Only values that are better than the one before, or the best before; the first is.
  static func improving<T, E: Error>(
    keepsBest: Bool, _ isBetter: @escaping (_ new: T, _ old: T) -> Bool
  ) -> StreamStep<T, T, E> {
    var prior: T?
    return filter { value in
      let passes = prior.map { isBetter(value, $0) } ?? true
      if passes || !keepsBest { prior = value }
      return passes
    }
  }

  static func delay<T, E: Error>(_ duration: Duration) -> StreamStep<T, T, E> {
    let loop = EventLoop.needed(for: "delay(_:)")
    return { event, emit in
      loop.sleep(for: duration) { result in
        // A loop that is being shut down ends the wait early.
        if case .success = result { emit(event) }
      }
    }
  }

  static func skip<T, E: Error>(_ count: Int) -> StreamStep<T, T, E> {
    var left = count
    return filter { _ in
      left -= 1
      return left < 0
    }
  }

  static func start<T, E: Error>(with first: [T]) -> StreamStep<T, T, E> {
    var first = first
    return values { value, emit in
      let before = first
      first = []
      for value in before { emit(.next(value)) }
      emit(.next(value))
    }
  }
}
