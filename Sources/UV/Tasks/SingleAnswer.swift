/// Resumes a task with the answer to its request, once. A second answer stops the program: by then the task may wait for
/// something else, or have ended. As large as the closure that would hold the continuation alone.
@usableFromInline
final class SingleAnswer<Success> {
  @usableFromInline typealias Outcome = Result<Success, UVError>

  @exclusivity(unchecked)
  @usableFromInline
  var continuation: UnsafeContinuation<UnsafeTransfer<Outcome>, Never>?

  @inlinable
  init(_ continuation: UnsafeContinuation<UnsafeTransfer<Outcome>, Never>) {
    self.continuation = continuation
  }

  @inlinable
  func give(_ outcome: Outcome) {
    guard let continuation = continuation.take() else { stopAtSecondAnswer() }
    // Sound: the result is made and taken on the loop's thread.
    continuation.resume(returning: UnsafeTransfer(outcome))
  }
}

/// The same for a request that a program has made itself, which may lose its completion: then no answer can come any more,
/// and the task gets `abandoned`, or `cancelled` if it has been cancelled.
@usableFromInline
final class NoticedAnswer<Success> {
  @usableFromInline typealias Outcome = Result<Success, UVError>

  @exclusivity(unchecked) private var continuation: UnsafeContinuation<UnsafeTransfer<Outcome>, Never>?
  private let task: LoopTaskBase
  private let name: RequestName

  @usableFromInline
  init(
    _ continuation: UnsafeContinuation<UnsafeTransfer<Outcome>, Never>, _ task: LoopTaskBase,
    _ name: RequestName
  ) {
    (self.continuation, self.task, self.name) = (continuation, task, name)
  }

  deinit {
    // A task that its loop has left isn't woken. Otherwise the loop waits for it, and so is there.
    guard let continuation, task.hasLoop else { return }
    let code: UVError.Code = task.isCancelled ? .cancelled : .abandoned
    let outcome = UnsafeTransfer(Outcome.failure(UVError(code, operation: name.operation)))
    // Sound: the outcome is an error alone, which any thread may pass on, and so may the continuation be resumed.
    continuation.resume(returning: outcome)
  }

  @usableFromInline
  func give(_ outcome: Outcome) {
    guard let continuation = continuation.take() else { stopAtSecondAnswer() }
    // Sound: the result is made and taken on the loop's thread.
    continuation.resume(returning: UnsafeTransfer(outcome))
  }
}

@usableFromInline
@inline(never)
func stopAtSecondAnswer() -> Never {
  stop(
    "the completion of a request was called twice; in `Request(loop) { done in … }`, call `done` once and note that you have, "
      + "above all where a time limit or a cancellation may come first")
}
