import CUV

/// A task on an event loop, made by ``EventLoop/spawn(_:)``. On the loop's thread only.
public final class LoopTask<Success, Failure: Error>: LoopTaskBase {
  typealias Body = nonisolated(nonsending) () async throws(Failure) -> Success

  private var body: Body?
  private var result: Result<Success, Failure>?
  private var waiters: [UnsafeContinuation<Void, Never>] = []

  init(loop: EventLoop, _ body: @escaping Body) {
    self.body = body
    super.init(loop: loop)
  }

  nonisolated(nonsending) func run() async {
    identify()
    // The closure, and what it captured, goes as soon as it has ended.
    let body = self.body.take()!
    do throws(Failure) {
      finish(.success(try await body()))
    } catch {
      finish(.failure(error))
    }
  }

  private func finish(_ result: Result<Success, Failure>) {
    self.result = result
    let waiters = self.waiters
    self.waiters = []
    for waiter in waiters { waiter.resume() }
    end()
  }

  /// The outcome, nil while the task runs.
  public var resultIfFinished: Result<Success, Failure>? { result }

  /// Waits for the task to end. Cancelling the task that waits does not cancel this one.
  ///
  /// - Throws: What the body threw.
  public var value: Success {
    get async throws(Failure) {
      if result == nil { await withContinuation { waiters.append($0) } }
      return try result!.get()
    }
  }
}

/// What tasks of all types have in common: the list that they are on, and their cancellation.
///
/// What a task waits for is written down here, so that its cancellation finds it: a cancellation handler for each
/// wait would cost more than most waits do.
public class LoopTaskBase {
  unowned(unsafe) let loop: EventLoop
  fileprivate var index = 0
  private var task: Task<Void, Never>?
  private(set) var isFinished = false
  @exclusivity(unchecked) private var wait = PendingRequest()
  /// Who runs the body: children that it starts are other tasks, and wait on their own account.
  @exclusivity(unchecked) private var identity: UnsafeMutableRawPointer?

  init(loop: EventLoop) { self.loop = loop }

  func begin(_ task: Task<Void, Never>) {
    if !isFinished { self.task = task }
  }

  /// Called by the task that is to run the body.
  func identify() { identity = cuv_current_task() }

  func end() {
    isFinished = true
    task = nil
    // Another task may come to lie at the same address.
    identity = nil
    loop.taskEnded(self)
  }

  /// Cancels the task: what it waits for on the loop ends with `cancelled`, and `Task.isCancelled` is true in it.
  public func cancel() { task?.cancel() }

  // MARK: What the task waits for

  @TaskLocal private static var local: UnsafeTransfer<LoopTaskBase>?

  /// The task that the caller is, nil if it is another: a child task, or one that a loop did not start.
  static var current: LoopTaskBase? {
    // Sound: a task local is seen by the task's children too, which compare and leave it alone.
    guard let task = local?.value, task.isCurrent else { return nil }
    return task
  }

  /// The same for a task that is about to wait; throws if the caller, whichever task it is, has been cancelled.
  @usableFromInline
  static func currentUnlessCancelled() throws(UVError) -> LoopTaskBase? {
    if cuv_task_is_cancelled(cuv_current_task()) { throw UVError(.cancelled, operation: "await") }
    return current
  }

  /// Whether the caller is this task.
  var isCurrent: Bool {
    @inline(__always) get { identity == cuv_current_task() }
  }

  func withCurrent(isolation: isolated (any Actor)?, _ body: () async -> Void) async {
    await Self.$local.withValue(UnsafeTransfer(self)) {
      _ = isolation
      await body()
    }
  }

  /// Notes what the task waits for; on the loop, by the task itself, which has not been cancelled.
  @usableFromInline
  @inline(__always)
  func willWait(for request: PendingRequest) { wait = request }

  @usableFromInline
  @inline(__always)
  func didWait() { wait = PendingRequest() }

  /// Cancels what the task waits for. On the loop.
  func cancelWait() { wait.cancel() }
}

/// The tasks of a loop that have not ended.
struct TaskList {
  private var tasks: [LoopTaskBase] = []

  var count: Int { tasks.count }
  var isEmpty: Bool { tasks.isEmpty }

  mutating func append(_ task: LoopTaskBase) {
    task.index = tasks.count
    tasks.append(task)
  }

  mutating func remove(_ task: LoopTaskBase) {
    let last = tasks.removeLast()
    if last !== task {
      last.index = task.index
      tasks[task.index] = last
    }
  }

  func cancelAll() { for task in tasks { task.cancel() } }
}
