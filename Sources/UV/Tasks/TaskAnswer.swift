import CUV
import Synchronization

/// How far a ``TaskAnswer`` is.
private enum Stage {
  /// Nobody waits yet.
  static let open: UInt8 = 0
  static let waiting: UInt8 = 1
  /// Somebody works on the answer, and is notified of a cancellation.
  static let begun: UInt8 = 2
  /// The task has been resumed, or won't have to wait.
  static let over: UInt8 = 3
}

/// An answer that a task waits for and that comes from any thread. If the task is cancelled first, it waits
/// no longer.
// Sound: the continuation is written before the stage says that there is one, and read by the only caller
// that has changed the stage from that.
class TaskAnswer<Success: Sendable>: Cancelling, @unchecked Sendable {
  typealias Outcome = Result<Success, UVError>

  private let stage = Atomic(Stage.open)
  private var continuation: UnsafeContinuation<Outcome, Never>?
  let operation: StaticString

  init(_ operation: StaticString) { self.operation = operation }

  // MARK: The task

  /// Calls `ask`, which has somebody answer, and waits.
  nonisolated(nonsending) final func wait(_ ask: () -> Void) async -> Outcome {
    if cuv_task_is_cancelled(cuv_current_task()) {
      // A task that ignores its errors doesn't hold the loop up.
      if EventLoop.spendOnAnswer() { await EventLoop.giveWay() }
      return .failure(cancellation)
    }
    guard let task = EventLoop.current?.currentTask else {
      return await waitWithHandler(isolation: #isolation, ask)
    }
    // The loop has no other way to cancel its tasks than this, so no handler is needed.
    let outcome: Outcome = await withContinuation { continuation in
      task.willWait(for: PendingRequest(self))
      begin(continuation, ask)
    }
    task.didWait()
    return outcome
  }

  /// The same for a task that the loop didn't start.
  private func waitWithHandler(isolation: isolated (any Actor)?, _ ask: () -> Void) async -> Outcome {
    await withTaskCancellationHandler {
      // Keeps the closure on its caller's executor.
      _ = isolation
      return await withUnsafeContinuation { begin($0, ask) }
    } onCancel: {
      cancel(slot: 0, generation: 0)
    }
  }

  private func begin(_ continuation: UnsafeContinuation<Outcome, Never>, _ ask: () -> Void) {
    self.continuation = continuation
    let (begins, _) = stage.compareExchange(
      expected: Stage.open, desired: Stage.waiting, ordering: .acquiringAndReleasing)
    // Otherwise the task was cancelled on its way here.
    if begins { ask() } else { continuation.resume(returning: .failure(cancellation)) }
  }

  // MARK: Any thread

  private var cancellation: UVError { UVError(.cancelled, operation: operation.description) }

  /// Whether the task waits for the answer.
  final var isAwaited: Bool {
    let stage = stage.load(ordering: .acquiring)
    return stage == Stage.waiting || stage == Stage.begun
  }

  /// Notes that work has begun that ends with an answer, even if the task is cancelled: then ``cancelWork()``
  /// is called.
  ///
  /// - Returns: False if nobody waits any more, so that the work isn't to begin.
  final func beginWork() -> Bool {
    stage.compareExchange(expected: Stage.waiting, desired: Stage.begun, ordering: .acquiringAndReleasing)
      .exchanged
  }

  /// Has the work end. Called on any thread.
  func cancelWork() {}

  /// Resumes the task, unless it has been resumed; the answer is then dropped.
  final func answer(_ outcome: Outcome) {
    let before = stage.exchange(Stage.over, ordering: .acquiringAndReleasing)
    if before == Stage.waiting || before == Stage.begun { continuation!.resume(returning: outcome) }
  }

  final func cancel(slot: UInt, generation: UInt) {
    var before = stage.load(ordering: .acquiring)
    while before == Stage.open || before == Stage.waiting {
      let (isOver, current) = stage.compareExchange(
        expected: before, desired: Stage.over, ordering: .acquiringAndReleasing)
      if isOver {
        if before == Stage.waiting { continuation!.resume(returning: .failure(cancellation)) }
        return
      }
      before = current
    }
    if before == Stage.begun { cancelWork() }
  }

  /// The thing that the task waits for, for a snapshot.
  var subject: String? { nil }

  final func awaited(slot: UInt, generation: UInt) -> Awaited? {
    isAwaited ? Awaited(operation: operation.description, subject: subject) : nil
  }
}

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

/// A request whose answer comes from an asynchronous function, which runs in a task of its own. Cancelling it ends
/// the waiting; the function itself runs to its end.
final class AnswerRequest<Success: Sendable>: OutsideRequest<Success> {
  /// Starts the function.
  ///
  /// - Parameters:
  ///   - body: The function that returns the answer.
  ///   - release: Called in the function's task if nobody waits for the answer any more.
  func start(
    _ body: @escaping @Sendable () async throws(UVError) -> Success,
    release: @escaping @Sendable (Success) async -> Void = { _ in }
  ) -> PendingRequest {
    guard begin() else { return PendingRequest() }
    // Sound: used on the loop's thread alone, by the closure that is sent there.
    let transfer = UnsafeTransfer(self)
    let executor = loop.executor
    Task.detached {
      let result: Result<Success, UVError>
      do throws(UVError) { result = .success(try await body()) } catch { result = .failure(error) }
      let isAnswered = try? await executor.submit { _ in transfer.value.finish(result) }
      if isAnswered != true, case .success(let value) = result { await release(value) }
    }
    return pending
  }
}

/// Suspends the task until the continuation is resumed. It does the same as `withUnsafeContinuation` without
/// a change of executor.
///
/// `withUnsafeContinuation` takes an isolation and so begins by changing to it. That costs as much as a read,
/// even if it changes nothing. This function stays on its caller's executor.
@inlinable
@inline(__always)
nonisolated(nonsending) func withContinuation<T>(
  _ body: (UnsafeContinuation<T, Never>) -> Void
) async -> sending T {
  await _unsafeInheritExecutor_withUnsafeContinuation(body)
}
