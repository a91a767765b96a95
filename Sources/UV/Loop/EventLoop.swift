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
  /// Whether the loop belongs to a host, which runs and closes it; see ``init(adopting:)``.
  public let isAdopted: Bool

  // The parts of the loop. Each room that needs something of every loop has a part of its own here.

  let raw: UnsafeMutablePointer<uv_loop_t>
  let microtasks = MicrotaskQueue()
  let internals: LoopInternals
  let timers: TimerWheel
  let requests = RequestList()
  let fileQueue: FileQueue
  let readBuffer = ReadBuffer()
  let datagramBuffer = DatagramBuffer()
  @exclusivity(unchecked) var work = LoopWork()
  @exclusivity(unchecked) var tasks = TaskTable()
  @exclusivity(unchecked) var ties = ThreadTies()
  @exclusivity(unchecked) var openHandles = OpenHandles()
  @exclusivity(unchecked) var instrumentation = Instrumentation()
  @exclusivity(unchecked) var ending = LoopEnding()

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
      uv_version() >= 1 << 16 | CUV_OLDEST_MINOR << 8,
      "libuv \(String(cString: uv_version_string())) is too old: install libuv 1.\(CUV_OLDEST_MINOR) or later"
    )
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
      ties.slot = CurrentLoop.slot
    }
    if isAdopted { CurrentLoop.slot.adopt(self) }
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
    ties.tickets.deallocate()
  }

  /// The loop of the calling thread: the loop that runs there, or else the first that was made there. It is
  /// nil if there is none. If a host's thread has several adopted loops, it is the one that was called last,
  /// and in each callback the one whose callback it is.
  public internal(set) static var current: EventLoop? {
    get { CurrentLoop.get() }
    set { CurrentLoop.set(newValue) }
  }

  private static let numbers = Numbering()

  /// Once in a process, before it has a descriptor of libuv's.
  private static let fillStandardDescriptors: Void = cuv_fill_standard_descriptors()

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
  public func updateTime() {
    requireOnLoop()
    if !isClosed { uv_update_time(raw) }
  }

  // MARK: Threads

  /// Stops a debug build with a sentence if the calling thread isn't the loop's; see
  /// ``LoopExecutor/assertOnLoop(_:)``.
  @usableFromInline
  @inline(__always)
  package func assertOnLoop(_ name: StaticString = #function) { executor.assertOnLoop(name) }

  /// Stops every build then; see ``LoopExecutor/requireOnLoop(_:)``.
  @inline(__always)
  package func requireOnLoop(_ name: StaticString = #function) { executor.requireOnLoop(name) }

  // MARK: State

  /// Whether the loop is inside one of its `run` functions.
  public var isRunning: Bool { work.isRunning }

  /// Whether the loop has been shut down, or detached from its host.
  public var isClosed: Bool { ending.isClosed }

  /// The loop's name in logs, stall reports and snapshots. It is "loop 1" for the first
  /// loop of the process and so on, unless you set it. Set it on the loop's thread.
  public var name: String {
    get { executor.loopName.withLock { $0 } }
    set { executor.loopName.withLock { $0 = newValue } }
  }
}
