import CUV
import Synchronization

/// A libuv event loop: timers, files and sockets on one thread, in callbacks, promises, futures or
/// async/await.
///
/// Most programs call ``run(_:)``. It makes a loop, runs a body on it and returns what the body returned once
/// no work is left:
///
/// ```swift
/// try EventLoop.run { loop in
///   let listener = try loop.tcp.listen(port: 7)
///   for try await connection in listener {
///     loop.spawn {
///       do {
///         for try await chunk in connection { try await connection.write(chunk).value }
///       } catch { print(error) }
///     }
///   }
/// }
/// ```
///
/// A loop and everything made from it stay on the thread that runs the loop. None of it is `Sendable`, so the
/// compiler keeps it there. ``executor`` is the part that other threads may use.
///
/// For the same reason, `Task {}`, `async let` and a task group's `addTask` can't take a loop's objects. To
/// run several functions at once on the loop, use `spawn`.
///
/// The corresponding libuv type is `uv_loop_t`.
public final class EventLoop {
  /// The part of the loop that other threads may use. It sends work to the loop, and puts tasks and actors on
  /// it.
  public let executor: LoopExecutor

  let raw: UnsafeMutablePointer<uv_loop_t>
  let microtasks = MicrotaskQueue()
  let internals: LoopInternals
  /// The slot of the thread that made the loop, if it is that thread's loop.
  private var slot: CurrentLoop.Slot?
  let timers: TimerWheel
  /// The timers that don't keep the loop running; nil until there is one.
  @exclusivity(unchecked) var quietTimers: TimerWheel?
  let requests = RequestList()
  let fileQueue: FileQueue
  @exclusivity(unchecked) var standardStreams = StandardStreams()
  let readBuffer = ReadBuffer()
  let datagramBuffer = DatagramBuffer()
  @exclusivity(unchecked) private var firstBlock: UnsafeMutablePointer<HandleBlock.Header>?
  @exclusivity(unchecked) private(set) var handleCount = 0
  /// The descriptors that the loop's handles own. A descriptor has only one owner.
  @exclusivity(unchecked) var descriptors = DescriptorSet()
  /// Connections that came through a listener and are not closed yet.
  @exclusivity(unchecked) var acceptedCount = 0
  /// The listeners that wait until one of those closes. Sound: a listener that closes is taken out.
  @exclusivity(unchecked) var fullListeners: [Unmanaged<Handle>] = []
  /// The values of each `LoopLocal`, by its number.
  @exclusivity(unchecked) var locals: [Int: LoopLocalAnyPlace] = [:]
  @exclusivity(unchecked) var gracefulShutdown: GracefulShutdown?
  @exclusivity(unchecked) private var workCount = 0
  @exclusivity(unchecked) var tasks = TaskTable()
  /// The names of tasks that have one.
  @exclusivity(unchecked) var taskNames: [ObjectIdentifier: String] = [:]
  @exclusivity(unchecked) var checkpoints: [Microtask] = []
  @exclusivity(unchecked) var lastRound = LastRound()
  @exclusivity(unchecked) var adaptiveYield = AdaptiveYield()
  @exclusivity(unchecked) var tickets = TicketPool()
  @exclusivity(unchecked) var waiting = WaitingObjects()
  @exclusivity(unchecked) var turnWatch: TurnWatch?
  @exclusivity(unchecked) package internal(set) var turnObserver: (any TurnObserver)?
  /// Nil unless the loop measures it.
  @exclusivity(unchecked) package internal(set) var poolTimes: PoolTimes?
  @exclusivity(unchecked) var mainActorWatch = PendingRequest()
  private(set) lazy var actor = LoopActor(executor)
  /// How the loop is called in what is told of it, such as a report of a stall. It is "loop 1" for the first loop of the
  /// process and so on, unless you set it. Set it on the loop's thread. libuv has no corresponding field.
  public var name: String {
    get { executor.loopName.withLock { $0 } }
    set { executor.loopName.withLock { $0 = newValue } }
  }
  private(set) lazy var newer = NewerFunctions(of: raw)

  /// Whether the loop is inside one of its `run` functions.
  @exclusivity(unchecked) public internal(set) var isRunning = false
  @exclusivity(unchecked) var isStopRequested = false { didSet { noteEnd() } }
  /// Whether the body of `runCallbacks` is called, before the run proper.
  @exclusivity(unchecked) var isInBody = false
  /// Whether the loop has been shut down, or detached from its host.
  @exclusivity(unchecked) public internal(set) var isClosed = false
  /// Whether the loop belongs to a host, which runs and closes it; see ``init(adopting:)``.
  public let isAdopted: Bool
  @exclusivity(unchecked) var adoption = Adoption()

  /// Makes a loop on the calling thread. The loop does nothing until you run it, and holds descriptors until
  /// you call ``shutdown()``. The static function ``run(_:)`` makes, runs and shuts down a loop in one call.
  ///
  /// Once the first loop is made, the process ignores SIGPIPE, unless the program handles that signal itself.
  /// A write to a connection that the peer has closed then fails with `brokenPipe` instead of ending the
  /// process.
  ///
  /// A standard descriptor that is closed when the first loop is made then refers to the null device.
  ///
  /// - Throws: `tooManyOpenFiles` or `outOfMemory` if the system has no descriptor or memory left.
  ///
  /// The corresponding libuv function is `uv_loop_init`.
  public convenience init() throws(UVError) {
    _ = Self.fillStandardDescriptors
    let raw = UnsafeMutablePointer<uv_loop_t>.allocate(capacity: 1)
    let code = cuv_loop_init(raw)
    if code < 0 { raw.deallocate() }
    try check(code, "loop_init")
    try self.init(raw: raw, isAdopted: false)
  }

  init(raw: UnsafeMutablePointer<uv_loop_t>, isAdopted: Bool) throws(UVError) {
    // The header was checked when this was compiled; the program may run with another version.
    require(
      uv_version() >= 0x012C00,
      "libuv \(String(cString: uv_version_string())) is too old: install libuv 1.44 or later")
    cuv_ignore_sigpipe()
    self.raw = raw
    self.isAdopted = isAdopted
    let wakeup: Wakeup
    do throws(UVError) { wakeup = try Wakeup() } catch {
      // The object isn't complete yet, so its `deinit` won't run.
      microtasks.deallocate()
      tasks.deallocate()
      if !isAdopted {
        uv_loop_close(raw)
        raw.deallocate()
      }
      throw error
    }
    timers = TimerWheel(raw, microtasks, isAdopted: isAdopted)
    executor = LoopExecutor(wakeup: wakeup)
    executor.loopName.withLock { $0 = "loop \(EventLoop.numbers.next())" }
    internals = LoopInternals(wakeup: wakeup)
    fileQueue = FileQueue(wakeup: wakeup)
    fileQueue.attach(to: self)
    executor.attach(to: self)
    executor.bindToCurrentThread()
    if EventLoop.current == nil {
      EventLoop.current = self
      slot = CurrentLoop.slot
    }
    timers.loop = self
    do throws(UVError) { try internals.attach(to: self) } catch {
      if isAdopted { letGoOfHost() } else { shutdown() }
      throw error
    }
  }

  deinit {
    if isAdopted {
      letGoOfHost()
    } else {
      shutdown()
      raw.deallocate()
    }
    requests.clear()
    microtasks.deallocate()
    tasks.deallocate()
    tickets.deallocate()
  }

  /// The loop of the calling thread: the loop that runs there, or else the first that was made there. It is
  /// nil if there is none.
  public internal(set) static var current: EventLoop? {
    get { CurrentLoop.get() }
    set { CurrentLoop.set(newValue) }
  }

  private static let numbers = Numbering()

  /// Once in a process, before it has a descriptor of libuv's.
  private static let fillStandardDescriptors: Void = cuv_fill_standard_descriptors()

  /// Takes the loop out of the slots of all threads.
  func leaveThreads() {
    if EventLoop.current === self { EventLoop.current = nil }
    slot?.remove(self)
    // They may refer to the loop.
    locals = [:]
    executor.threadLeaves()
  }

  // MARK: Time

  /// The loop's time: the reading of its clock at the start of the current turn.
  ///
  /// The corresponding libuv function is `uv_now`.
  public var now: LoopClock.Instant {
    LoopClock.Instant(nanoseconds: isClosed ? uv_hrtime() : uv_now(raw) * 1_000_000)
  }

  /// Reads the clock again and updates ``now``. Use it after work that took long.
  ///
  /// The corresponding libuv function is `uv_update_time`.
  public func updateTime() { if !isClosed { uv_update_time(raw) } }

  // MARK: Work

  /// Whether there is work that keeps the loop running: an active handle, a pending request or a task.
  ///
  /// The corresponding libuv function is `uv_loop_alive`.
  public var isAlive: Bool {
    guard !isClosed else { return false }
    if microtasks.state.pointee.hasNewTimers { timers.placeNew() }
    return uv_loop_alive(raw) != 0 || !microtasks.isEmpty
  }

  /// Counts of what is open on the loop, for finding leaks. ``LoopActivity/isIdle`` is true once everything
  /// has been closed.
  public var activity: LoopActivity {
    LoopActivity(
      handles: handleCount, requests: requests.count,
      timers: timers.count + (quietTimers?.count ?? 0), tasks: tasks.count,
      jobsFromLoop: microtasks.state.pointee.jobsFromLoop,
      jobsFromOtherThreads: microtasks.state.pointee.jobsFromOtherThreads)
  }

  /// Runs `body` on this loop once the running callback has returned, after everything that was queued
  /// before.
  ///
  /// Call it on the loop's thread; from other threads, use ``LoopExecutor/execute(_:)``. After ``shutdown()``
  /// there is no later turn, so `body` runs at once.
  public func queueMicrotask(_ body: @escaping () -> Void) { enqueue(.closure(body)) }

  /// Queues a microtask, as ``queueMicrotask(_:)`` queues a closure, but without an allocation. Call it on
  /// the loop's thread.
  public func enqueue(_ microtask: Microtask) { enqueue(.object(microtask)) }

  @inline(__always)
  func enqueue(_ work: consuming Work) {
    microtasks.append(work)
    if !microtasks.state.pointee.isAttended { attend() }
  }

  /// Makes sure that the queue is drained although no callback is running that would drain it.
  @inline(never)
  func attend() {
    if microtasks.state.pointee.isEnding {
      notePlace()
      if microtasks.state.pointee.isDraining { return }
    }
    // After a shutdown there is no later turn to wait for.
    if !internals.pump() { drain() }
  }

  /// Does the same as ``answer(_:)``, without a closure. A close is answered in the last round too.
  func complete(_ done: @escaping Completion<Void>, _ operation: Work.Operation, _ code: Int32 = 0) {
    if lastRound.hasBegun, operation != .close, isAnswering { return }
    enqueue(.completion(done, operation, code))
  }

  func complete(_ done: @escaping Completion<Void>, _ operation: Work.Operation, _ code: UVError.Code) {
    complete(done, operation, code.rawValue)
  }

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
    workCount += 1
    if workCount == 1, internals.isAttached { internals.wakeup.keepLoopAlive(true) }
  }

  func ceaseToKeepRunning() {
    workCount -= 1
    if workCount == 0, internals.isAttached { internals.wakeup.keepLoopAlive(false) }
  }

  // MARK: Handles

  func link(_ block: HandleBlock) {
    block.header.pointee.next = firstBlock
    firstBlock?.pointee.previous = block.header
    firstBlock = block.header
    handleCount += 1
  }

  func unlink(_ block: HandleBlock) {
    let (previous, next) = (block.header.pointee.previous, block.header.pointee.next)
    if let previous { previous.pointee.next = next } else { firstBlock = next }
    next?.pointee.previous = previous
    handleCount -= 1
    guard block.header.pointee.role == .accepted else { return }
    acceptedCount -= 1
    for listener in fullListeners { listener.takeUnretainedValue().connectionClosed() }
    if acceptedCount == 0 { gracefulShutdown?.finishIfIdle() }
  }

  /// Calls `body` with each handle that is not closed yet.
  func forEachHandle(_ body: (HandleBlock) -> Void) {
    var header = firstBlock
    while let current = header {
      header = current.pointee.next
      body(HandleBlock(header: current))
    }
  }

  /// Closes every handle that is still open. Another thread may be dropping the owner of an idle handle at
  /// this moment. So this touches only an owner that retains itself.
  func closeHandles() {
    forEachHandle { block in
      if let owner = block.header.pointee.retainedOwner {
        owner.takeUnretainedValue().startClosing()
      } else {
        block.close()
      }
    }
    standardStreams.drop()
  }
}
