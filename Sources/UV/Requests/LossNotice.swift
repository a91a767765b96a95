/// The completion of a request that a program has made itself. If it is released without a call, no answer can come any more:
/// it then gives `abandoned` on the request's loop, in place of silence.
///
/// A task that awaits such a request itself has ``NoticedAnswer`` in its place, which costs no more. The requests of this package
/// do without: they are answered in any case.
@usableFromInline
final class LossNotice<Success> {
  @usableFromInline let done: Completion<Success>
  /// The loop's; nil once there has been an answer.
  @usableFromInline var executor: LoopExecutor?
  private let name: RequestName

  @usableFromInline
  init(_ done: @escaping Completion<Success>, _ executor: LoopExecutor, _ name: RequestName) {
    (self.done, self.executor, self.name) = (done, executor, name)
  }

  deinit {
    guard let executor else { return }
    let error = UVError(.abandoned, operation: name.operation)
    if let loop = EventLoop.current, loop.executor === executor {
      return loop.queueMicrotask { [done] in done(.failure(error)) }
    }
    // Sound: it is called on the loop's thread alone. This thread may be the last to let go of it, which is why a completion
    // isn't `Sendable`. A loop that is closed has let go of all that waited.
    let transfer = UnsafeTransfer(done)
    try? executor.execute { _ in transfer.value(.failure(error)) }
  }

  /// Calls the completion. A second call reaches it too: it may say what is wrong with that.
  @inlinable
  func give(_ outcome: Result<Success, UVError>) {
    executor = nil
    done(outcome)
  }
}
