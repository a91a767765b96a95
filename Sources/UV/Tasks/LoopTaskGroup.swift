/// Tasks that belong together and end together; see ``EventLoop/withTasks(file:line:_:)``. On the loop's
/// thread only.
///
/// Trio calls this a nursery. It does for a loop's tasks what `withThrowingTaskGroup` does for others, and
/// its tasks may use what isn't `Sendable`.
public final class LoopTaskGroup {
  private let loop: EventLoop
  private var tasks: [ObjectIdentifier: LoopTaskBase] = [:]
  /// The first error of a task.
  private var failure: (any Error)?
  /// Whether the task that waits for the group has been cancelled.
  private(set) var wasCancelled = false
  /// Whether a task has ended because it was cancelled.
  private var hasCancelledTask = false
  private var hasEnded = false
  private var whenEnded: Completion<Void>?
  /// Called with each task that has ended.
  var whenOneEnds: ((LoopTaskBase) -> Void)?
  /// How many callers are about to start a task, for whom the group stays open.
  private(set) var comingCount = 0

  init(_ loop: EventLoop) { self.loop = loop }

  /// A group that calls `didEnd` once the tasks that it has been given have ended, or their loop has gone
  /// without them.
  convenience init(_ loop: EventLoop, didEnd: @escaping () -> Void) {
    self.init(loop)
    whenEnded = { _ in didEnd() }
  }

  /// Whether the group's tasks have been cancelled. A task that is started afterwards is cancelled from its
  /// start.
  public private(set) var isCancelled = false

  /// Starts a task in the group, as `spawn` of ``EventLoop`` does. If it throws, the other tasks of the group
  /// are cancelled, and `withTasks` throws the error.
  ///
  /// After `withTasks` has returned, this stops the program with a message.
  ///
  /// - Parameters:
  ///   - name: A name for the task, which distinguishes it from others of the same place in
  ///     ``EventLoop/snapshot(limit:)``, and is its `Task.name`.
  ///   - file: Where this is called, for ``EventLoop/snapshot(limit:)``.
  ///   - line: The line there.
  ///   - body: What to do; it need not be `Sendable`.
  /// - Returns: The task, to cancel it alone or wait for its value.
  @discardableResult
  public func spawn<T, E: Error>(
    name: String? = nil, file: StaticString = #fileID, line: UInt = #line,
    _ body: nonisolated(nonsending) @escaping () async throws(E) -> T
  ) -> LoopTask<T, E> {
    requireOpen()
    let task = ValueTask(loop: loop, SourcePlace(file: file, line: line), .general(body))
    task.join(self)
    task.isShielded = loop.currentTask?.isShielded ?? false
    tasks[ObjectIdentifier(task)] = task
    loop.setName(name, of: task)
    loop.start(task)
    if isCancelled { task.cancel() }
    return LoopTask(task)
  }

  func requireOpen() {
    require(!hasEnded, "spawn: the group has ended; start the task before `withTasks` returns")
  }

  /// Keeps the group open for a caller that starts a task later, until ``didCome()``.
  func willCome() {
    requireOpen()
    comingCount += 1
  }

  func didCome() {
    comingCount -= 1
    endIfEmpty()
  }

  /// Cancels all tasks of the group, the body of `withTasks` included. Their `cancelled` errors are not the
  /// group's.
  public func cancelAll() {
    isCancelled = true
    for task in tasks.values.sorted(by: { $0.number < $1.number }) { task.cancel() }
  }

  /// Runs `body` as the group's first task, and waits until all have ended.
  nonisolated(nonsending) func run<T>(
    _ origin: SourcePlace, _ body: nonisolated(nonsending) @escaping (LoopTaskGroup) async throws -> T
  ) async throws -> T {
    // It does a part of the caller's work.
    let name = loop.name(of: loop.currentTask)
    let first = spawn(name: name, file: origin.file, line: origin.line) { try await body(self) }
    await end()
    if let failure { throw failure }
    let value = try first.resultIfFinished!.get()
    if wasCancelled, hasCancelledTask { throw UVError(.cancelled, operation: "withTasks") }
    return value
  }

  /// Waits until all tasks have ended; they are cancelled if the task that waits is.
  private nonisolated(nonsending) func end() async {
    let allEnded = Request<Void>(of: loop, operation: "withTasks") { done in
      self.whenEnded = done
      return PendingRequest("withTasks") { self.cancelWithParent() }
    }
    do throws(UVError) { try await allEnded.value } catch {
      // The task that waits had been cancelled before it could wait, so it waits for what cannot be
      // cancelled.
      cancelWithParent()
      await withContinuation { continuation in
        if hasEnded { continuation.resume() } else { whenEnded = { _ in continuation.resume() } }
      }
    }
  }

  private func cancelWithParent() {
    wasCancelled = true
    cancelAll()
  }

  /// Called when a task of the group ends.
  func didEnd(_ task: LoopTaskBase, _ error: (any Error)?) {
    tasks[ObjectIdentifier(task)] = nil
    if let error {
      if task.isCancelled, error.isCancellation {
        hasCancelledTask = true
      } else if failure == nil {
        failure = error
        cancelAll()
      }
    }
    whenOneEnds?(task)
    endIfEmpty()
  }

  private func endIfEmpty() {
    guard tasks.isEmpty, comingCount == 0, !hasEnded else { return }
    hasEnded = true
    whenOneEnds = nil
    whenEnded.take()?(.success(()))
  }
}

extension Error {
  /// Whether this is a cancellation: libuv's or Swift's.
  var isCancellation: Bool { self is CancellationError || (self as? UVError)?.isCancelled == true }
}
