/// The completion of a request that a program has made itself. If it is released without a call, no answer can come any
/// more: it then gives `abandoned`, in place of silence. A task has ``SingleAnswer`` in its place, which costs no more.
///
/// The requests of this package do without it. They are answered in any case, and it costs an allocation.
@usableFromInline
final class LossNotice<Success> {
  private var done: Completion<Success>?

  @usableFromInline
  init(_ done: @escaping Completion<Success>) { self.done = done }

  deinit {
    guard let done, EventLoop.canStillAnswer else { return }
    EventLoop.current?.queueMicrotask { done(.failure(.abandonedAnswer)) }
  }

  /// Calls the completion, once.
  @usableFromInline
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
}

extension UVError {
  /// The error of a task whose answer was lost.
  @usableFromInline
  static var abandonedAnswer: UVError { UVError(.abandoned, operation: "await") }
}
