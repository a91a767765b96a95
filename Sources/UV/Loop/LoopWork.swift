import CUV

/// A loop's work beside the callbacks of libuv and the queue of microtasks.
struct LoopWork {
  /// Whether the loop is inside one of its `run` functions.
  var isRunning = false
  /// Whether the body of `runCallbacks` is called, before the run proper.
  var isInBody = false
  /// Whether the run is to return, and to leave all that is pending to the next; see
  /// ``EventLoop/returnFromRun()``.
  var isToReturn = false
  /// How many pieces of work keep the loop running that libuv knows nothing of; see
  /// ``EventLoop/beginWork()``.
  var count = 0
  /// Microtasks that run when the queue has run empty; see ``EventLoop/enqueueAfterMicrotasks(_:)``.
  var checkpoints: [_Microtask] = []
  let behindEvents = WorkBehindEvents()
  let givenUp = GivenUpWork()
  var adaptiveYield = AdaptiveYield()
}

extension EventLoop {
  /// Whether there is work that keeps the loop running: an active handle, a pending request or a task.
  ///
  /// The corresponding libuv function is `uv_loop_alive`.
  public var isAlive: Bool {
    assertOnLoop()
    guard !isClosed else { return false }
    if microtasks.state.pointee.hasNewTimers { timers.placeNew() }
    return uv_loop_alive(raw) != 0 || !microtasks.isEmpty
  }

  /// Whether nothing is open; see ``LoopStatistics/isIdle``.
  var isIdle: Bool {
    openHandles.count == 0 && requests.count == 0 && timers.count + (timers.quiet?.count ?? 0) == 0
      && tasks.count == 0
  }

  /// How many jobs have been enqueued since the loop was made.
  var jobCount: Int { microtasks.state.pointee.jobsFromLoop + microtasks.state.pointee.jobsFromOtherThreads }

  /// Runs `body` on this loop once the running callback has returned, after everything that was queued
  /// before.
  ///
  /// Call it on the loop's thread; from other threads, use ``LoopExecutor/execute(_:)``. After ``shutdown()``
  /// there is no later turn, so `body` runs at once.
  @inlinable
  public func queueMicrotask(_ body: @escaping () -> Void) { takeMicrotask(body) }

  /// Does the same, and takes `body` over: a closure that the caller makes for it isn't retained and released.
  @usableFromInline
  func takeMicrotask(_ body: consuming @escaping () -> Void) {
    requireOnLoop("queueMicrotask(_:)")
    enqueue(.closure(consume body))
  }

  /// Queues a microtask, as ``queueMicrotask(_:)`` queues a closure, but without an allocation. Call it on
  /// the loop's thread.
  public func _enqueue(_ microtask: _Microtask) {
    requireOnLoop()
    enqueue(.object(microtask))
  }

  @inline(__always)
  func enqueue(_ work: consuming Work) {
    assertOnLoop()
    microtasks.append(work)
    if !microtasks.state.pointee.isAttended { attend() }
  }

  /// Makes sure that the queue is drained although no callback is running that would drain it.
  @inline(never)
  func attend() {
    requireOnLoop()
    if microtasks.state.pointee.isEnding {
      notePlace()
      if microtasks.state.pointee.isDraining { return }
    }
    // After a shutdown there is no later turn to wait for.
    if !internals.pump() { drain() }
  }

  /// Does the same as ``answer(_:)``, without a closure. A close is answered in the last round too.
  func complete(_ done: @escaping Completion<Void>, _ operation: Work.Operation, _ code: Int32 = 0) {
    if ending.lastRound.hasBegun, operation != .close, isAnswering { return }
    enqueue(.completion(done, operation, code))
  }

  func complete(_ done: @escaping Completion<Void>, _ operation: Work.Operation, _ code: UVError.Code) {
    complete(done, operation, code.rawValue)
  }

  /// Notifies a writer in a microtask that its bytes are on their way, without a closure.
  package func completeWrite(_ done: @escaping Completion<Void>) { complete(done, .write) }

  /// Has `writer` flushed at the start of the next turn, before the loop waits.
  package func flushNextTurn(_ writer: any Flushable) { internals.flushNextTurn(writer) }

  /// Keeps the loop running until the matching ``endWork()``; on the loop's thread.
  package func beginWork() {
    hold()
    keepRunning()
  }

  /// Ends one ``beginWork()``.
  package func endWork() {
    ceaseToKeepRunning()
    letGo()
  }

  /// The part of ``beginWork()`` that keeps libuv's loop running.
  func keepRunning() {
    assertOnLoop()
    work.count += 1
    if work.count == 1, internals.isAttached { internals.wakeup.keepLoopAlive(true) }
  }

  func ceaseToKeepRunning() {
    assertOnLoop()
    assert(work.count > 0, "work ends that hasn't begun")
    work.count -= 1
    if work.count == 0, internals.isAttached { internals.wakeup.keepLoopAlive(false) }
  }

  /// How long the loop waits in silence for work that has been given up, in milliseconds; for tests.
  package var patienceWithGivenUpWork: UInt64 {
    get { work.givenUp.patience }
    set { work.givenUp.patience = newValue }
  }

  // MARK: Checkpoints

  /// Runs `microtask` at the end of this turn, when the queue of microtasks is empty. It can look at what the
  /// turn has left behind, such as a rejected promise that nobody handles. On the loop's thread.
  package func enqueueAfterMicrotasks(_ microtask: _Microtask) {
    assertOnLoop()
    // An entry in the queue makes sure that the queue is drained, and the checkpoints run after that.
    if work.checkpoints.isEmpty { enqueue(.closure {}) }
    work.checkpoints.append(microtask)
  }

  /// Runs the checkpoints. The microtasks that they queue are drained next.
  func runCheckpoints() {
    let due = work.checkpoints
    work.checkpoints = []
    for microtask in due { microtask.run() }
    if !microtasks.isEmpty, !internals.pump() { drain() }
  }
}

/// Work that runs when the callbacks have returned of all events that the system has reported, before the loop
/// waits.
///
/// The code of the events and that of the work run one after the other then, and don't drive each other out of
/// the processor's caches. With its work right behind each event, a request over NIO's channels missed a
/// cache of 256 KiB 1,436 times for code; behind all events it does so 441 times.
final class WorkBehindEvents: Flushable {
  private var work: [Work] = []
  private unowned var loop: EventLoop?

  /// Adds work, on the thread of `loop`. While the loop ends, it runs as everything else does.
  func append(_ work: consuming Work, of loop: EventLoop) {
    if loop.microtasks.state.pointee.isEnding { return loop.enqueue(work) }
    if self.work.isEmpty {
      self.loop = loop
      loop.flushNextTurn(self)
    }
    self.work.append(work)
  }

  /// Queues what has waited.
  func flush() {
    guard !work.isEmpty, let loop else { return }
    let due = work
    work.removeAll(keepingCapacity: due.count <= 1024)
    for work in due { loop.enqueue(work) }
  }
}
