/// The completion of a request that a program has made itself, where a promise, a publisher or an operator waits for it. If
/// it is released without a call, no answer can come any more: it then gives `abandoned`, in place of silence.
///
/// A task has ``SingleAnswer`` in its place, which costs no more. A callback does without: nobody waits for it. So do the
/// requests of this package, which are answered in any case.
@usableFromInline
final class LossNotice<Success> {
  @usableFromInline var done: Completion<Success>?

  @inlinable
  init(_ done: @escaping Completion<Success>) { self.done = done }

  @inlinable
  deinit {
    guard let done, EventLoop.canStillAnswer else { return }
    EventLoop.queueLostAnswer { done(.failure(.abandonedAnswer)) }
  }

  /// Calls the completion, once.
  @inlinable
  func give(_ outcome: Result<Success, UVError>) { done.take()?(outcome) }
}

extension EventLoop {
  /// Whether a lost answer is worth an error here. A loop that ends has its own answer for all that is pending, or has let
  /// go of it; and off a loop's thread nobody knows in which state that loop is.
  @usableFromInline
  static var canStillAnswer: Bool {
    guard let current else { return false }
    return !current.isClosed && !current.isStopRequested
  }

  /// Queues the failure of a lost answer on the loop of this thread.
  @usableFromInline
  static func queueLostAnswer(_ body: @escaping () -> Void) { current?.queueMicrotask(body) }
}

extension UVError {
  /// The error of a task whose answer was lost.
  @usableFromInline
  static var abandonedAnswer: UVError { UVError(.abandoned, operation: "await") }
}
