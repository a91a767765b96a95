/// Resumes a task with the answer to its request, once. A second answer stops the program: by then the task may wait for
/// something else, or have ended. As large as the closure that would hold the continuation alone.
///
/// If it is released without an answer, none can come any more, and the task gets `abandoned`.
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
  deinit {
    if let continuation, EventLoop.canStillAnswer {
      continuation.resume(returning: UnsafeTransfer(.failure(.abandonedAnswer)))
    }
  }

  @inlinable
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
