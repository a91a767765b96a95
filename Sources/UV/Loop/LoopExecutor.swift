import CUV
import Synchronization

/// The part of an event loop that may be used from any thread.
///
/// A `LoopExecutor` runs jobs on its loop's thread. It is a `SerialExecutor`: an actor that returns it from
/// `unownedExecutor` lives on the loop. It is also a `TaskExecutor`:
/// `Task(executorPreference: loop.executor)` keeps the rest of a task on the loop. With both together an
/// `await` stays on the thread; with only one of them each `await` costs more jobs. `run` and `spawn` of
/// ``EventLoop`` use both.
public final class LoopExecutor: SerialExecutor, TaskExecutor {
  private let loopThread = Atomic<UInt>(0)
  private let inbox: Inbox
  private let late = LateWork()
  private let isOver = Atomic(false)
  private let process = getpid()
  /// The loop's ``EventLoop/name``, for other threads.
  package let loopName = Mutex("")
  // Sound: set once before the executor is shared, and read only on the loop's thread while the inbox is
  // open. The loop closes the inbox before it goes.
  nonisolated(unsafe) private unowned(unsafe) var loop: EventLoop!

  init(wakeup: Wakeup) { inbox = Inbox(wakeup: wakeup) }

  // Sound: it is the loop's queue, so the same holds as for the loop.
  nonisolated(unsafe) private var queue: MicrotaskQueue!

  func attach(to loop: EventLoop) {
    self.loop = loop
    queue = loop.microtasks
  }

  /// Whether the calling thread is the loop's. It stays true on that thread when the loop has ended.
  public var isOnLoop: Bool {
    @inline(__always) get { loopThread.load(ordering: .relaxed) == cuv_thread_id() }
  }

  /// Stops the program with a sentence if the calling thread isn't the loop's; in debug builds alone. An
  /// object whose loop has ended does nothing, on any thread.
  @inline(__always)
  package func assertOnLoop(_ name: StaticString = #function) {
    assert(isOnLoop || hasEnded, LoopExecutor.wrongThread(name))
  }

  /// Does the same in release builds, too. Use it where another thread would break the loop's memory in
  /// silence, and where a comparison costs next to nothing.
  @inline(__always)
  package func requireOnLoop(_ name: StaticString = #function) {
    if !isOnLoop { requireEnd(name) }
  }

  @inline(never)
  private func requireEnd(_ name: StaticString) { require(hasEnded, LoopExecutor.wrongThread(name)) }

  private static func wrongThread(_ name: StaticString) -> String {
    "\(name) on a thread that isn't the event loop's: use executor.execute to get there"
  }

  /// Whether this process was forked after the loop was made. Neither libuv's loop nor Swift's threads
  /// survive a fork. A child that doesn't call `exec` at once can only make a loop of its own.
  var isInForkedChild: Bool { process != getpid() }

  func bindToCurrentThread() { loopThread.store(cuv_thread_id(), ordering: .relaxed) }

  /// Runs `body` on the loop's thread, with the loop as its argument, after the callback that is running
  /// there.
  ///
  /// You can call it from any thread. It is the one way to reach a loop from outside. Bodies that are sent
  /// from one thread run in the order in which they were sent. A body that is waiting to run doesn't keep the
  /// loop running. It does run if it is sent before the loop has been shut down.
  ///
  /// - Parameter body: What to run on the loop's thread.
  /// - Throws: `loopClosed` if the loop has been shut down; `body` is then dropped.
  ///
  /// The corresponding libuv function is `uv_async_send`.
  public func execute(_ body: @escaping @Sendable (EventLoop) -> Void) throws(UVError) {
    guard inbox.send(.body(body)) else { throw UVError(.loopClosed, operation: "execute") }
  }

  /// Sends an object to the loop, as ``execute(_:)`` sends a closure. Returns false if the loop has been shut
  /// down.
  func send(_ message: consuming any LoopMessage) -> Bool { inbox.send(.object(message)) }

  /// There is an answer for `object`; see ``EventLoop/stopKeeping(_:)``. On the loop's thread.
  func stopKeeping(_ object: (any Answerable)?) {
    assertOnLoop()
    if inbox.isOpenOnLoop { loop.stopKeeping(object) }
  }

  /// Asks the loop to stop, from any thread; see ``EventLoop/stop()``. It does nothing once the loop has been
  /// shut down.
  ///
  /// The corresponding libuv functions are `uv_async_send` and `uv_stop`.
  public func stop() {
    _ = inbox.send(.body { $0.stop() })
  }

  /// Takes a job. The Swift runtime calls this.
  public func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    if isOnLoop, inbox.isOpenOnLoop {
      append(.job(job))
    } else if !inbox.send(.job(job)) {
      // A task outlives its loop only if somebody has kept the executor for it. The task can't be dropped, so
      // it ends on a thread that resumes it. Each operation on the loop fails there with `loopClosed`.
      late.add(.job(job), isOnLoop: isOnLiveLoop, runLate)
    }
  }

  /// Takes a job of a task that belongs to none of the loop's actors.
  func enqueue(_ job: UnownedJob, for tasks: LoopTaskExecutor) {
    if isOnLoop, inbox.isOpenOnLoop {
      queue.state.pointee.jobsFromLoop &+= 1
      return loop.work.behindEvents.append(.taskJob(job, tasks), of: loop)
    }
    do throws(UVError) {
      try execute { loop in
        loop.microtasks.state.pointee.jobsFromOtherThreads &+= 1
        tasks.run(job)
      }
    } catch { executeLate { tasks.run(job) } }
  }

  /// Queues a job from the loop's own thread.
  @inline(__always)
  private func append(_ job: consuming Work) {
    queue.state.pointee.jobsFromLoop &+= 1
    queue.append(job)
    if !queue.state.pointee.isAttended { loop.attend() }
  }

  // MARK: After the end

  /// Whether the loop has ended, and its thread has left it.
  package var hasEnded: Bool { isOver.load(ordering: .acquiring) }

  /// Whether the calling thread is the loop's, and hasn't left it.
  package var isOnLiveLoop: Bool { isOnLoop && !hasEnded }

  /// Whether the calling thread runs the loop or, after the end, the work that still comes for it. It isn't
  /// true for ever on the thread that ran the loop, as ``isOnLoop`` is, nor on a later thread that gets that
  /// thread's number.
  package var isRunningHere: Bool { hasEnded ? late.isHere : isOnLoop }

  /// Runs `body` as the jobs of tasks that outlive the loop are run, one at a time with them. For a loop that
  /// has refused it.
  package func executeLate(_ body: @escaping @Sendable () -> Void) {
    late.add(.body(body), isOnLoop: isOnLiveLoop, runLate)
  }

  /// The loop's thread has nothing more to do with the loop.
  func threadLeaves() {
    isOver.store(true, ordering: .releasing)
    late.threadLeaves(runLate)
  }

  private func runLate(_ entry: LateWork.Entry) {
    // Not for longer than this takes. The thread may be another one's next time.
    let previous = loopThread.exchange(cuv_thread_id(), ordering: .relaxed)
    switch entry {
    case .job(let job): run(job)
    case .body(let body): body()
    }
    loopThread.store(previous, ordering: .relaxed)
  }

  @inline(__always)
  func run(_ job: UnownedJob) {
    job.runSynchronously(isolatedTo: asUnownedSerialExecutor(), taskExecutor: asUnownedTaskExecutor())
  }

  /// Takes what other threads have sent; see ``Inbox/receive(atMost:for:)``. On the loop's thread.
  func receive(atMost limit: Int) -> (count: Int, isMore: Bool) {
    assertOnLoop()
    return inbox.receive(atMost: limit, for: loop)
  }

  /// Whether others have sent messages that have not been taken yet.
  var hasMessages: Bool { inbox.hasMessages }

  /// Has the next message signal; see ``Inbox/awaitNext()``. On the loop's thread.
  func awaitMessages() -> Bool {
    assertOnLoop()
    return inbox.awaitNext()
  }

  /// Refuses further messages. Those that have come are still received. On the loop's thread.
  func close() {
    assertOnLoop()
    inbox.close()
  }

  /// Refuses further messages if none are waiting, and returns whether it does. On the loop's thread.
  func closeIfEmpty() -> Bool {
    assertOnLoop()
    return inbox.closeIfEmpty()
  }

  /// Whether messages are taken, so that tasks can run. On the loop's thread.
  var isOpenOnLoop: Bool { inbox.isOpenOnLoop }

  /// Has a goodbye said on the loop's thread, for the thread that dropped an owner's last reference. The
  /// handle's release follows.
  // Sound: nobody else has the object any more.
  func say(_ goodbye: any Goodbye) { _ = inbox.send(.goodbye(goodbye)) }

  /// Releases a handle's memory, on the thread that dropped its last reference.
  func release(_ block: HandleBlock) {
    let loop = block.header.pointee.loop
    if !inbox.send(.release(block, loop.isAdopted ? loop : nil)) { block.free() }
  }

  /// Stops the program with a message if the calling thread isn't the loop's, or if the loop has ended. The
  /// Swift runtime calls this.
  public func checkIsolated() {
    require(isRunningHere, "not on the event loop's thread: use executor.execute to get there")
  }

  /// Whether the calling thread is the loop's, and the loop hasn't ended. The Swift runtime calls this.
  public func isIsolatingCurrentContext() -> Bool? { isRunningHere }
}

/// Runs tasks on a loop's thread that belong to no actor there, such as those of SwiftNIO's asynchronous
/// channels.
///
/// A job that ``LoopExecutor`` runs counts as work of the loop's actors. So a task that belongs to none would
/// leave it for each function that it calls, by a job on the same thread. Jobs of this executor belong to
/// nobody, and such a task has one job for each time it waits. A task that does belong to the loop is better
/// off with the ``LoopExecutor``.
package final class LoopTaskExecutor: TaskExecutor {
  private let executor: LoopExecutor

  package init(_ executor: LoopExecutor) { self.executor = executor }

  /// Takes a job. The Swift runtime calls this.
  package func enqueue(_ job: consuming ExecutorJob) { executor.enqueue(UnownedJob(job), for: self) }

  @inline(__always)
  func run(_ job: UnownedJob) { job.runSynchronously(on: asUnownedTaskExecutor()) }
}
