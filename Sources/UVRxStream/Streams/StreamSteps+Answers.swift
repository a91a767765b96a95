import UV

/// The operator whose results come later, and what brings them.
extension StreamSteps {
  /// The end waits for what has not been answered.
  ///
  /// - Parameter gate: The stream's, where there is no loop.
  static func asyncMap<T, U, E: Error>(
    through gate: Gate?, _ transform: @escaping (T, @escaping @Sendable (Result<U, E>?) -> Void) -> Void
  ) -> AsyncStreamStep<T, U, E> {
    var pending = 0
    var end: StreamEvent<U, E>?
    return { event, emit, done in
      guard case .next(let value) = event else {
        if case .terminate = event, pending > 0 { return end = event.withoutValue() }
        return emit(event.withoutValue()!)
      }
      pending += 1
      transform(
        value,
        answer(through: gate) { result in
          pending -= 1
          switch result {
          case .success(let new)?: emit(.next(new))
          case .failure(let error)?: emit(.error(error))
          case nil: break
          }
          done()
          if pending == 0, let end { emit(end) }
        })
    }
  }

  /// A function that calls `body` once: on the current loop, which it keeps running until then, whatever
  /// thread calls it. Where there is no loop, it does so inside the gate of what it answers.
  static func answer<T>(through gate: Gate?, _ body: @escaping (T) -> Void) -> @Sendable (T) -> Void {
    // Sound: the first caller takes it out, and no other thread comes in after that.
    let once = UnsafeTransfer(Once(body))
    guard gate == nil, let loop = EventLoop.current else {
      let gate = gate ?? Gate()
      return { value in gate.run { once.value.body.take()?(value) } }
    }
    let ticket = RemoteTicket(keeping: loop)
    return { value in
      guard ticket.claim() else { return }
      // Sound: the caller gives the value up, and the loop takes it.
      let transfer = UnsafeTransfer((once.value.body.take(), value))
      ticket.completeNow { _ in transfer.value.0?(transfer.value.1) }
    }
  }

  /// A function that is let go once it has been called.
  private final class Once<T> {
    var body: ((T) -> Void)?
    init(_ body: @escaping (T) -> Void) { self.body = body }
  }
}
