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
