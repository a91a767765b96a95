import CUV

/// A task on an event loop, made by `spawn` of ``EventLoop`` or ``LoopTaskGroup``. On the loop's thread only.
public final class LoopTask<Success, Failure: Error>: LoopTaskBase {
  typealias Body = nonisolated(nonsending) () async throws(Failure) -> Success

  /// The task's body. A body without a value that can't fail is kept as it is. In the other form its frame wouldn't fit into the
  /// memory that the runtime gives a task at first, and a task that waits would take twice as much.
  enum Form {
    case general(Body)
    case plain(PlainBody)
  }

  @exclusivity(unchecked) private var work: Form?
  @exclusivity(unchecked) private var result: Result<Success, Failure>?
  @exclusivity(unchecked) private var waiters: [UnsafeContinuation<Void, Never>] = []

  init(loop: EventLoop, _ origin: SourcePlace, _ work: Form) {
    self.work = work
    super.init(loop: loop, origin)
  }

  private func takeBody() -> Body {
    switch work.take()! {
    case .general(let body): body
    case .plain(let body):
      {
        await body()
        return () as! Success
      }
    }
  }

  override nonisolated(nonsending) func run() async {
    // The closure and its captures are released as soon as the closure has ended.
    let body = takeBody()
    do throws(Failure) { finish(.success(try await body())) } catch { finish(.failure(error)) }
  }

  func finish(_ result: Result<Success, Failure>) {
    self.result = result
    let waiters = self.waiters
    self.waiters = []
    for waiter in waiters { waiter.resume() }
    if let group = group.take() {
      if case .failure(let error) = result { group.didEnd(self, error) } else { group.didEnd(self, nil) }
    }
    end()
  }

  /// The outcome of the task, or nil while the task runs.
  public var resultIfFinished: Result<Success, Failure>? { result }

  /// Waits for the task to end, and returns its value. Cancelling the waiting task doesn't cancel this one.
  ///
  /// - Throws: What the body threw.
  public var value: Success {
    get async throws(Failure) {
      await waitForEnd()
      return try result!.get()
    }
  }

  @inline(__always)
  nonisolated(nonsending) func waitForEnd() async {
    guard result == nil else {
      if EventLoop.spendOnAnswer() { await EventLoop.giveWay() }
      return
    }
    if let loop = unbegunOn.take() { loop.begin(self) }
    // The result is checked again: a caller that wasn't on the loop gets there in between, and the task may
    // have ended meanwhile.
    let waiting = EventLoop.current?.currentTask
    await withContinuation {
      guard result == nil else { return $0.resume() }
      waiters.append($0)
      waiting?.willWait(for: PendingRequest(self))
    }
    waiting?.didWait()
  }
}

extension LoopTask<Void, Never> {
  /// The body of a task that was made with a plain one.
  func takePlainBody() -> PlainBody {
    guard case .plain(let body)? = work.take() else { fatalError("the task has no plain body") }
    return body
  }
}

extension LoopTask where Failure == Never {
  /// Waits for the task to end, and returns its value. Cancelling the waiting task doesn't cancel this one.
  public var value: Success {
    // This isn't for convenience: Swift 6.3.1 crashes on a call of the other getter if its failure is
    // `Never`.
    get async {
      await waitForEnd()
      return result!.get()
    }
  }
}

/// The common part of tasks of all types. Use it to keep tasks with different values in one collection.
///
/// ```swift
/// let tasks: [LoopTaskBase] = [loop.spawn { 1 }, loop.spawn { try await connection.write("hello").value }]
/// for task in tasks { task.cancel() }
/// ```
///
/// A task notes here what it waits for, so that cancelling the task can cancel that too. A cancellation
/// handler for each wait would cost more than most waits do.
public class LoopTaskBase {
  typealias PlainBody = nonisolated(nonsending) () async -> Void

  unowned(unsafe) let loop: EventLoop
  @exclusivity(unchecked) private var task: Task<Void, Never>?
  @exclusivity(unchecked) private(set) var wait = PendingRequest()
  /// When the task began to wait, on the loop's clock in milliseconds. It counts while the task waits.
  @exclusivity(unchecked) private(set) var waitStart: UInt64 = 0
  /// Where the task was spawned, and when.
  let origin: SourcePlace
  let start: UInt64
  /// The runtime's task that runs the body. Children that the body starts are other tasks, and wait
  /// separately.
  @exclusivity(unchecked) private var identity: UnsafeMutableRawPointer?

  init(loop: EventLoop, _ origin: SourcePlace) {
    self.loop = loop
    self.origin = origin
    start = uv_now(loop.raw)
  }

  /// Runs the body, in the loop's actor. The task of each type overrides it.
  nonisolated(nonsending) func run() async {}

  /// Called with the task that will run the body.
  func begin(_ task: Task<Void, Never>) {
    // A task that begins after the end of its loop runs at once, and may have ended.
    if isFinished { return }
    self.task = task
    // Sound: a `Task` is a reference to the runtime's task and nothing else.
    let identity = unsafeBitCast(task, to: UnsafeMutableRawPointer.self)
    self.identity = identity
    loop.tasks.insert(self, identity)
  }

  func end() {
    isFinished = true
    // The loop has stopped without it, and may have gone.
    if hasBeenLeft {
      leftLoop = nil
      return
    }
    ceaseToKeep()
    // Another task may get the same address later.
    guard let identity = identity.take() else { return loop.letGo() }
    task = nil
    loop.taskEnded(identity)
  }

  /// Cancels the task. A request that the task waits for on the loop ends with `cancelled`, and
  /// `Task.isCancelled` is true in the task. Call it on the loop's thread.
  public func cancel() {
    guard let task else { return }
    isCancelled = true
    task.cancel()
    // Only this function can cancel the task, so that no cancellation handler is needed.
    wait.cancel()
  }

  /// The group that waits for the task.
  @exclusivity(unchecked) var group: LoopTaskGroup?

  // Here and below, properties of one byte stand together, so that they share a word.
  /// Whether the task was cancelled before it had ended.
  @exclusivity(unchecked) public private(set) var isCancelled = false

  @exclusivity(unchecked) private(set) var isFinished = false
  /// Whether the end of the loop leaves the task alone; see ``EventLoop/withShield(file:line:_:)``.
  @exclusivity(unchecked) var isShielded = false

  // MARK: What keeps the loop running

  /// Whether the task keeps its loop running until it has ended. It is true at first.
  ///
  /// Set it to false for a task that only serves what others ask for, such as one that iterates over a listener
  /// which doesn't keep the loop running either. A run then ends although the task waits. The task goes on in the
  /// next run, and is cancelled when the loop is shut down. A loop that is told to stop waits for it all the same.
  /// The sleep, the read or the listener that the task waits for may keep the loop running too.
  ///
  /// ```swift
  /// listener.keepsLoopRunning = false
  /// let server = loop.spawn { for try await connection in listener { serve(connection) } }
  /// server.keepsLoopRunning = false
  /// ```
  ///
  /// The corresponding libuv functions are `uv_has_ref`, `uv_ref` and `uv_unref`.
  public var keepsLoopRunning: Bool {
    get { isToKeep && !isFinished }
    set {
      isToKeep = newValue
      guard isKeeping != newValue, identity != nil else { return }
      if newValue { beginToKeep() } else { ceaseToKeep() }
    }
  }

  @exclusivity(unchecked) private var isToKeep = true
  /// Whether the task keeps the loop running now: from its beginning to its end, if it is to.
  @exclusivity(unchecked) private var isKeeping = false

  /// Keeps the loop running from now on, if the task is to.
  func beginToKeep() {
    guard isToKeep else { return }
    isKeeping = true
    loop.keepRunning()
  }

  private func ceaseToKeep() {
    guard isKeeping else { return }
    isKeeping = false
    loop.ceaseToKeepRunning()
  }

  // MARK: What nobody can cancel

  /// Whether the loop's `run` returns what the task returns, so that it has to be waited for.
  @exclusivity(unchecked) var isBody = false
  @exclusivity(unchecked) private var hasBeenLeft = false
  /// Whether the task has been cancelled but still waits for something that can't be cancelled. A loop that
  /// is stopped doesn't wait for such a task.
  @exclusivity(unchecked) package var waitsForGood = false {
    didSet { if waitsForGood, loop.isStopRequested { leave() } }
  }

  /// Lets the loop stop without the task. The task goes on if what it waits for comes after all.
  func leave() {
    if waitsForGood { leaveAnyway() }
  }

  /// The loop of a task that was left when its loop was detached. When the task wakes, on any thread, it uses
  /// the loop.
  @exclusivity(unchecked) private var leftLoop: EventLoop?

  /// As ``leave()``, whatever the task waits for.
  func leaveAnyway() {
    guard !isBody, !isFinished, !hasBeenLeft, let identity = identity.take() else { return }
    ceaseToKeep()
    hasBeenLeft = true
    if loop.isClosed { leftLoop = loop }
    task = nil
    group.take()?.didEnd(self, nil)
    loop.taskEnded(identity)
  }

  // MARK: At the end of the loop

  /// The task's place in a line of tasks that were spawned while the loop ended and spawned each other, from
  /// 1. Such a task is cancelled from its start. The place of other tasks is 0.
  @exclusivity(unchecked) var place = 0
  /// The loop of a task that hasn't begun and begins only when somebody waits for it. Otherwise the loop
  /// might be gone by then.
  @exclusivity(unchecked) var unbegunOn: EventLoop?

  // MARK: What the task waits for

  /// Whether the runtime's `task` is this one.
  @inline(__always)
  func isRun(by task: UnsafeMutableRawPointer?) -> Bool { identity == task }

  /// Notes what the task waits for. Called on the loop's thread by the task itself, which hasn't been
  /// cancelled.
  @usableFromInline
  @inline(__always)
  func willWait(for request: consuming PendingRequest) {
    wait = request
    waitStart = uv_now(loop.raw)
  }

  @usableFromInline
  @inline(__always)
  func didWait() { wait = PendingRequest() }
}

/// A task that another task waits for.
extension LoopTaskBase: Cancelling {
  /// Cancelling the task that waits doesn't cancel this one.
  func cancel(slot: UInt, generation: UInt) {}

  func awaited(slot: UInt, generation: UInt) -> Awaited? {
    isFinished ? nil : Awaited(operation: "task", subject: origin.description)
  }
}

extension EventLoop {
  /// The task of this loop that is calling; nil if another task is.
  package var callingTask: LoopTaskBase? { currentTask }

  /// The task of this loop that is calling. It is nil for a child task, and for a task that no loop started.
  var currentTask: LoopTaskBase? {
    @inline(__always) get { tasks.find(cuv_current_task()) }
  }

  /// The same for a task that is about to wait. It fails if the calling task has been cancelled, even if that
  /// is a child task. If the turn's budget is used up, the result for a cancelled task is nil instead, so
  /// that the task gives way before it gets the error.
  @usableFromInline
  func currentTaskUnlessCancelled() -> Result<LoopTaskBase?, UVError> {
    let task = cuv_current_task()
    if cuv_task_is_cancelled(task) {
      return spend(1) ? .success(nil) : .failure(UVError(.cancelled, operation: "await"))
    }
    return .success(tasks.find(task))
  }
}
