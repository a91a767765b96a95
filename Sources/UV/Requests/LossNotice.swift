import Synchronization

/// The completion of a request that a program has made itself. If it is released without a call, no answer can come any more:
/// it then gives `abandoned` on the request's loop, in place of silence.
///
/// A task that awaits such a request itself has ``NoticedAnswer`` in its place, which costs no more. The requests of this package
/// do without: they are answered in any case.
@usableFromInline
final class LossNotice<Success> {
  @exclusivity(unchecked) @usableFromInline private(set) var done: Completion<Success>
  /// The loop's; nil once there has been an answer.
  @exclusivity(unchecked) @usableFromInline var executor: LoopExecutor?
  private let name: RequestName

  @usableFromInline
  init(_ done: @escaping Completion<Success>, _ executor: LoopExecutor, _ name: RequestName) {
    (self.done, self.executor, self.name) = (done, executor, name)
  }

  /// Starts a program's own work, with a completion that notices its loss.
  @inlinable
  static func start(
    _ start: (@escaping Completion<Success>) -> PendingRequest, _ loop: EventLoop, _ name: RequestName,
    _ done: @escaping Completion<Success>
  ) -> PendingRequest {
    let notice = LossNotice(done, loop.executor, name)
    return start { notice.give($0) }
  }

  deinit {
    guard let executor else { return }
    let error = UVError(.abandoned, operation: name.operation)
    if let loop = EventLoop.current, loop.executor === executor {
      return loop.queueMicrotask { [done] in done(.failure(error)) }
    }
    // Sound: only the loop's thread takes the completion out. A loop that is closed has let go of all that waited.
    let lost = UnsafeTransfer(takeAway())
    try? executor.execute { _ in lost.value.done.take()?(.failure(error)) }
  }

  /// Calls the completion. A second call reaches it too: it may say what is wrong with that.
  @inlinable
  func give(_ outcome: Result<Success, UVError>) {
    executor = nil
    done(outcome)
  }

  /// Moves the completion to an object that a loop can empty. A function of its own: nothing of it is left on this thread
  /// once it has returned.
  @inline(never)
  private func takeAway() -> LostCompletion<Success> {
    let lost = LostCompletion(done)
    done = { _ in }
    return lost
  }
}

/// Takes a completion to its loop, which is the last to let go of it: it may hold what only the loop's thread may release.
private final class LostCompletion<Success> {
  @exclusivity(unchecked) var done: Completion<Success>?

  init(_ done: @escaping Completion<Success>) { self.done = done }
}

/// A value that is a request, or that is made of requests; for ``noticeRequests(_:_:)``.
@usableFromInline
package protocol HoldsRequests {}

extension Request: HoldsRequests {}
extension Array: HoldsRequests where Element: HoldsRequests {}
extension Optional: HoldsRequests where Wrapped: HoldsRequests {}

#if DEBUG
/// Whether values of a type are requests.
@usableFromInline
package func holdsRequests<Value>(_ type: Value.Type) -> Bool { type is any HoldsRequests.Type }

/// Says, once for each type of a value, that a closure of a chain's method returns requests, which nobody starts.
@usableFromInline
package func noticeRequests<Value>(_ type: Value.Type, _ method: String, _ remedy: String) {
  guard holdsRequests(type), noticed.withLock({ $0.insert("\(method) \(type)").inserted }) else { return }
  printToStandardError("UV: `\(method)` starts no request that its closure returns (\(type)); \(remedy)")
}

private let noticed = Mutex<Set<String>>([])
#endif
