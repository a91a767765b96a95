import CUV

/// The common part of tasks of all types.
///
/// A task notes here what it waits for, so that cancelling the task can cancel that too. A cancellation
/// handler for each wait would cost more than most waits do.
@usableFromInline
package class LoopTaskBase {
  typealias PlainBody = nonisolated(nonsending) () async -> Void

  unowned(unsafe) let loop: EventLoop
  /// The runtime's task that runs the body, until the body has ended or is left. Children that the body starts
  /// are other tasks, and wait separately.
  @exclusivity(unchecked) private var task: Task<Void, Never>?
  @exclusivity(unchecked) private(set) var wait = PendingRequest()
  /// When the task began to wait, on the loop's clock in milliseconds. It counts while the task waits.
  @exclusivity(unchecked) private(set) var waitStart: UInt64 = 0
  /// Where the task was spawned, and when.
  let origin: SourcePlace
  let start: UInt64
  @exclusivity(unchecked) private var tie: Tie?
  /// The continuation of a sleep, as a pointer, which is its smallest form.
  @exclusivity(unchecked) private var sleeper: UnsafeRawPointer?

  // Properties of one byte stand together. With seven of them a task that waits for good takes 160 bytes.
  @exclusivity(unchecked) private var state = State.unbegun
  /// Whether the task was cancelled before it had ended.
  @exclusivity(unchecked) package private(set) var isCancelled = false
  /// Whether the end of the loop leaves the task alone; see ``EventLoop/withShield(file:line:_:)``.
  @exclusivity(unchecked) var isShielded = false
  /// Whether the body has returned or thrown.
  @exclusivity(unchecked) final var hasResult = false
  @exclusivity(unchecked) private var isToKeep = true
  /// Whether the loop's `run` returns what the task returns, so that it has to be waited for.
  @exclusivity(unchecked) var isBody = false
  /// Whether the task has been cancelled but still waits for something that can't be cancelled. A loop that
  /// is stopped doesn't wait for such a task.
  @exclusivity(unchecked) package var waitsForGood = false {
    didSet { if waitsForGood, loop.isStopRequested { leave() } }
  }
  /// The task's place in a line of tasks that were spawned while the loop ended and spawned each other, from
  /// 1. Such a task is cancelled from its start. The place of other tasks is 0.
  @exclusivity(unchecked) var place: UInt8 = 0

  private enum State {
    /// The task begins later, or, if it was spawned at the loop's end, when somebody waits for it.
    case unbegun
    case running
    /// The loop has stopped without the task, which goes on if what it waits for comes after all.
    case left
    case finished
  }

  /// The group or the loop that a task holds. It never holds both.
  private enum Tie {
    /// The group that waits for the task.
    case group(LoopTaskGroup)
    /// The loop, which might be gone otherwise: of a task without a group that begins only when somebody waits
    /// for it, and of one that was left when its loop was detached, and uses the loop when it wakes, on any
    /// thread.
    case loop(EventLoop)
  }

  /// Grows from task to task; 0 if the task doesn't run.
  var number: UInt64 { identity.map { cuv_task_number($0) } ?? 0 }

  // Sound: a `Task` is a reference to the runtime's task and nothing else.
  private var identity: UnsafeMutableRawPointer? {
    unsafeBitCast(task, to: UnsafeMutableRawPointer?.self)
  }

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
    loop.assertOnLoop()
    self.task = task
    loop.tasks.insert(self, identity!)
  }

  func end() {
    // The loop has stopped without it, and may have gone.
    if state == .left {
      state = .finished
      tie = nil
      return
    }
    if isToKeep { loop.ceaseToKeepRunning() }
    state = .finished
    loop.dropName(of: self)
    guard let identity else { return loop.letGo() }
    // Another task may get the same address later.
    task = nil
    loop.taskEnded(identity)
  }

  /// Cancels the task; see ``LoopTask/cancel()``.
  package func cancel() {
    guard let task else { return }
    loop.requireOnLoop()
    isCancelled = true
    task.cancel()
    // Only this function can cancel the task, so that no cancellation handler is needed.
    wait.cancel()
  }

  var isFinished: Bool { state == .finished }

  /// Whether the task hasn't ended, and its loop hasn't left it. Later the loop may be gone.
  var hasLoop: Bool { state == .unbegun || state == .running }

  /// The group that waits for the task.
  var group: LoopTaskGroup? { if case .group(let group) = tie { group } else { nil } }

  /// Called before the task begins.
  func join(_ group: LoopTaskGroup) { tie = .group(group) }

  @inline(__always)
  func takeGroup() -> LoopTaskGroup? {
    guard case .group(let group) = tie else { return nil }
    tie = nil
    return group
  }

  // MARK: What keeps the loop running

  /// Whether the task keeps its loop running until it has ended; see ``LoopTask/keepsLoopRunning``.
  var keepsLoopRunning: Bool {
    get { isToKeep && hasLoop }
    set {
      guard hasLoop else { return }
      loop.requireOnLoop()
      // A loop that ends waits for its tasks. It would turn without a pause if it didn't run on for them.
      guard isToKeep != newValue, newValue || !loop.microtasks.state.pointee.isEnding else { return }
      isToKeep = newValue
      guard state == .running else { return }
      if newValue { loop.keepRunning() } else { loop.ceaseToKeepRunning() }
    }
  }

  /// Keeps the loop running from now on, if the task is to.
  func beginToKeep() {
    state = .running
    if isToKeep { loop.keepRunning() }
  }

  // MARK: What nobody can cancel

  /// Lets the loop stop without the task. The task goes on if what it waits for comes after all.
  func leave() {
    if waitsForGood { leaveAnyway() }
  }

  /// As ``leave()``, whatever the task waits for.
  func leaveAnyway() {
    guard !isBody, state == .running, let identity else { return }
    if isToKeep { loop.ceaseToKeepRunning() }
    loop.dropName(of: self)
    state = .left
    let group = group
    tie = loop.isClosed ? .loop(loop) : nil
    task = nil
    group?.didEnd(self, nil)
    loop.taskEnded(identity)
  }

  /// The result that the task waits for can't come any more, and the wait can't fail. The loop goes on without a task
  /// that was cancelled. For another one, and for the body of a run, this stops the program with `sentence`,
  /// because the task could only wait in silence.
  package func neverResumes(_ sentence: String) {
    if isCancelled || loop.isClosed { leaveAnyway() }
    require(state == .left || loop.isClosed, sentence)
  }

  // MARK: At the end of the loop

  /// Begins the task when somebody waits for it.
  func waitToBegin() { tie = .loop(loop) }

  /// Begins a task that has waited for this.
  @inline(__always)
  func beginIfUnbegun() {
    guard state == .unbegun, case .loop(let loop) = tie else { return }
    tie = nil
    loop.begin(self)
  }

  // MARK: What the task waits for

  /// Whether the runtime's `task` is this one.
  @inline(__always)
  func isRun(by task: UnsafeMutableRawPointer?) -> Bool { identity == task }

  #if os(Linux)
  /// Whether the task waits for its turn on the main queue, and the run of the loop waits for the task.
  var isKeptOnMainQueue: Bool {
    guard let identity, keepsRunElsewhere else { return false }
    return cuv_task_is_on_main_queue(identity)
  }

  /// Whether the task waits for something that isn't the loop's, and the run of the loop waits for the
  /// task.
  var keepsRunElsewhere: Bool { wait.isEmpty && (keepsLoopRunning || isBody) && !isFinished }
  #endif

  /// Notes what the task waits for. Called on the loop's thread by the task itself, which hasn't been
  /// cancelled.
  @usableFromInline
  @inline(__always)
  func willWait(for request: consuming PendingRequest) {
    wait = request
    // Sound: see `loop`. A use of the property itself would count a reference.
    waitStart = Unmanaged.passUnretained(loop)._withUnsafeGuaranteedRef { uv_now($0.raw) }
  }

  @usableFromInline
  @inline(__always)
  func didWait() { wait = PendingRequest() }

  @usableFromInline typealias Sleeper = UnsafeContinuation<UnsafeTransfer<Result<Void, UVError>>, Never>

  /// Starts a sleep of the task, which is resumed at its end. The completion captures the task and nothing else, and so
  /// isn't allocated.
  @usableFromInline
  func sleep(_ duration: Duration, on loop: EventLoop, _ continuation: Sleeper) {
    // Sound: a continuation is a pointer and nothing else, and the task has one at a time.
    sleeper = unsafeBitCast(continuation, to: UnsafeRawPointer.self)
    willWait(for: loop.startSleep(duration) { [self] in endSleep($0) })
  }

  private func endSleep(_ result: Result<Void, UVError>) {
    // Sound: as above. The result is made and taken on the loop's thread.
    unsafeBitCast(sleeper.take()!, to: Sleeper.self).resume(returning: UnsafeTransfer(result))
  }
}

/// A task that another task waits for.
extension LoopTaskBase: Cancelling {
  /// Cancelling the task that waits doesn't cancel this one.
  package func cancel(slot: UInt, generation: UInt) {}

  package func awaited(slot: UInt, generation: UInt) -> Awaited? {
    if isFinished { return nil }
    let place = origin.description
    return Awaited(operation: "task", subject: loop.name(of: self).map { "\($0), \(place)" } ?? place)
  }
}

/// The actor that a loop's tasks run in, so that the compiler and the runtime know that they share its
/// thread.
actor LoopActor {
  private nonisolated let executor: LoopExecutor

  init(_ executor: LoopExecutor) { self.executor = executor }

  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  /// Runs a task's body, which was made on the loop's thread and runs there.
  func run(_ task: UnsafeTransfer<LoopTaskBase>) async {
    let task = task.value
    cancelIfLate(task)
    await task.run()
  }

  /// Does the same for a task that has a plain body. It stands alone because each call of an asynchronous
  /// function takes memory as long as the task waits.
  func runPlain(_ task: UnsafeTransfer<OutcomeTask<Void, Never>>) async {
    let task = task.value
    cancelIfLate(task)
    // The closure and its captures are released as soon as the closure has ended.
    let body = task.takePlainBody()
    await body()
    task.finish(.success(()))
  }

  /// Cancels a task that may begin only because somebody waits for it.
  private func cancelIfLate(_ task: LoopTaskBase) {
    if task.place > 0 { withUnsafeCurrentTask { $0?.cancel() } }
  }
}
