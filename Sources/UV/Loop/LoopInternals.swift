import CUV

#if os(Linux)
import Dispatch
import Synchronization
#endif

/// An object that gathers writes and hands them to the system at the start of the next turn.
package protocol Flushable: AnyObject {
  func flush()
}

/// The libuv handles that a loop needs for itself. They keep the loop running only while there is work.
final class LoopInternals {
  let wakeup: Wakeup
  private let prepare = UnsafeMutablePointer<uv_prepare_t>.allocate(capacity: 1)
  private let idle = UnsafeMutablePointer<uv_idle_t>.allocate(capacity: 1)
  private var mainQueue: UnsafeMutablePointer<uv_poll_t>?
  /// Whether the handles exist; false again once they begin to close.
  private(set) var isAttached = false
  private var isClosed = false
  /// Whether a host may run the loop, which asks only libuv how long to wait.
  private var isDrivenByHost = false
  @exclusivity(unchecked) private var unflushed: [any Flushable] = []

  /// Of a loop that isn't closed.
  lazy var newer = NewerFunctions(of: prepare.pointee.loop)

  init(wakeup: Wakeup) { self.wakeup = wakeup }

  func attach(to loop: EventLoop) throws(UVError) {
    isDrivenByHost = loop.isAdopted
    try wakeup.attach(to: loop)
    // Sound: the loop closes these handles before it goes.
    let context = Unmanaged.passUnretained(loop).toOpaque()
    uv_prepare_init(loop.raw, prepare)
    cuv_handle_set_data(prepare, context)
    uv_prepare_start(prepare, prepareCallback)
    uv_unref(cuv_handle(prepare))
    uv_idle_init(loop.raw, idle)
    cuv_handle_set_data(idle, context)
    isAttached = true
    #if os(Linux)
    if cuv_is_main_thread() != 0 { try serveMainQueue(of: loop) }
    #endif
  }

  #if os(Linux)
  /// Takes the place of `dispatchMain()`, so that the main actor's work runs while this thread is in the
  /// loop.
  private func serveMainQueue(of loop: EventLoop) throws(UVError) {
    // Links libdispatch, which has the two hooks.
    _ = DispatchQueue.main
    let handle = UnsafeMutablePointer<uv_poll_t>.allocate(capacity: 1)
    let code = uv_poll_init(loop.raw, handle, _dispatch_get_main_queue_handle_4CF())
    if code < 0 { handle.deallocate() }
    // Either the host serves the main queue itself, or it has lent its loop to another adopter too.
    if code == UV_EEXIST.rawValue, loop.isAdopted { return }
    try check(code, "poll_init", "main queue")
    cuv_handle_set_data(handle, Unmanaged.passUnretained(loop).toOpaque())
    mainQueue = handle
    try check(
      uv_poll_start(handle, Int32(UV_READABLE.rawValue), mainQueueCallback), "poll_start", "main queue")
    uv_unref(cuv_handle(handle))
  }
  #endif

  #if os(Linux)
  private var hasSentProbe = false

  /// Sends a probe to the main queue when that has work for the first time; nil later.
  fileprivate func sendProbe() -> MainQueueProbe? {
    if hasSentProbe { return nil }
    hasSentProbe = true
    let probe = MainQueueProbe()
    DispatchQueue.main.async { probe.hasRun.store(true, ordering: .relaxed) }
    return probe
  }
  #endif

  /// Makes the loop run another turn without waiting, to run what is queued. Returns false if the loop has
  /// been shut down.
  func pump() -> Bool {
    guard isAttached else { return false }
    if !isPumping {
      uv_idle_start(idle, idleCallback)
      if isDrivenByHost { loop(of: idle).keepAlive() }
    }
    return true
  }

  /// Whether the loop will run another turn without waiting.
  var isPumping: Bool { isAttached && uv_is_active(cuv_handle(idle)) != 0 }

  /// Whether a writer waits to be flushed at the next turn.
  var hasUnflushed: Bool { !unflushed.isEmpty }

  /// How long libuv would wait if something kept it running, in milliseconds; -1 for any time. Of a loop that
  /// nothing keeps running it says that it doesn't wait.
  func timeToWait(on raw: UnsafeMutablePointer<uv_loop_t>) -> Int32 {
    guard isAttached, !hasUnflushed else { return 0 }
    uv_ref(cuv_handle(prepare))
    defer { uv_unref(cuv_handle(prepare)) }
    return uv_backend_timeout(raw)
  }

  /// Runs a turn that polls, even if nothing keeps the loop running. libuv would do nothing then: messages from
  /// other threads would find a descriptor that isn't polled.
  func runWithoutWaiting(_ raw: UnsafeMutablePointer<uv_loop_t>) {
    uv_ref(cuv_handle(prepare))
    uv_run(raw, UV_RUN_NOWAIT)
    // A writer that waits to be flushed keeps it.
    if isAttached, !hasUnflushed { uv_unref(cuv_handle(prepare)) }
  }

  /// Has libuv read the clock before a wait that a timer ends.
  ///
  /// libuv counts the wait from its own time, which is that of the turn's beginning. Without this, a timer
  /// would be late by as long as the turn took. A loop without timers, and one that doesn't wait, reads no
  /// clock.
  @inline(__always)
  fileprivate func readClockToWait(_ raw: UnsafeMutablePointer<uv_loop_t>) {
    // Zero is the answer too while descriptors wait to be polled for the first time.
    if uv_backend_timeout(raw) >= 0, !isPumping { uv_update_time(raw) }
  }

  func stopPumping() { uv_idle_stop(idle) }

  /// Flushes `writer` at the start of the next turn, before the loop waits.
  func flushNextTurn(_ writer: any Flushable) {
    if unflushed.isEmpty {
      uv_ref(cuv_handle(prepare))
      // A prepare handle doesn't shorten the time that libuv asks a host to wait.
      if isDrivenByHost { _ = pump() }
    }
    unflushed.append(writer)
  }

  func flush() {
    guard !unflushed.isEmpty else { return }
    let writers = unflushed
    unflushed.removeAll(keepingCapacity: true)
    uv_unref(cuv_handle(prepare))
    for writer in writers { writer.flush() }
  }

  func close(_ loop: EventLoop) {
    guard !isClosed else { return }
    isClosed = true
    guard isAttached else {
      prepare.deallocate()
      idle.deallocate()
      return
    }
    isAttached = false
    unflushed = []
    wakeup.close(loop)
    closeInternal(prepare, of: loop)
    closeInternal(idle, of: loop)
    if let mainQueue {
      closeInternal(mainQueue, of: loop)
      #if os(Linux)
      // Another loop that has adopted this loop of libuv's serves the main queue from now on. Without a descriptor
      // of the system left it can't, as if the host had none.
      if let other = CurrentLoop.slot.other(than: loop) { try? other.internals.serveMainQueue(of: other) }
      #endif
    }
  }
}

/// Closes one of the handles that a loop needs for itself. Its memory is freed when libuv has let go of the
/// handle. A loop that is being detached waits for that. A loop that is being shut down no longer exists then
/// and must not be touched.
func closeInternal(_ handle: UnsafeMutableRawPointer, of loop: EventLoop) {
  if loop.isHeld { loop.hold() } else { cuv_handle_set_data(handle, nil) }
  uv_close(cuv_handle(handle), internalHandleClosed)
}

private func internalHandleClosed(_ handle: UnsafeMutablePointer<uv_handle_t>?) {
  let isWaitedFor = cuv_handle_data(handle) != nil
  if isWaitedFor { loop(of: handle).letGo() }
  handle?.deallocate()
}

// Sound in all of these: a loop closes its internal handles before it goes.
private func loop(of handle: UnsafeRawPointer?) -> EventLoop {
  Unmanaged<EventLoop>.fromOpaque(cuv_handle_data(handle)).takeUnretainedValue()
}

/// Called once in each turn, right before the poll.
private func prepareCallback(_ handle: UnsafeMutablePointer<uv_prepare_t>?) {
  let isDone = Unmanaged<EventLoop>.fromOpaque(cuv_handle_data(handle))._withUnsafeGuaranteedRef { loop in
    let state = loop.microtasks.state
    loop.renewBudget()
    state.pointee.readShare.renew()
    if state.pointee.count == 0, !state.pointee.hasNewTimers, !loop.internals.hasUnflushed,
      loop.instrumentation.turns == nil
    {
      loop.internals.readClockToWait(loop.raw)
      return true
    }
    return false
  }
  if isDone { return }
  // Retained: a writer may let go of the loop.
  let loop = loop(of: handle)
  // A writer that learns here of the end of its write may write again, and the loop is about to wait.
  for _ in 0..<16 {
    loop.callback { loop.internals.flush() }
    if !loop.internals.hasUnflushed { break }
  }
  if loop.internals.hasUnflushed { _ = loop.internals.pump() }
  loop.internals.readClockToWait(loop.raw)
  if let watch = loop.instrumentation.turns { loop.endTurn(watch) }
}

private func idleCallback(_ handle: UnsafeMutablePointer<uv_idle_t>?) {
  let loop = loop(of: handle)
  loop.callback {
    loop.internals.stopPumping()
    loop.timers.fireImmediate()
  }
  loop.settle()
}

#if os(Linux)
/// Says whether the main queue runs what it is sent.
private final class MainQueueProbe: Sendable {
  let hasRun = Atomic(false)
}

private func mainQueueCallback(_ handle: UnsafeMutablePointer<uv_poll_t>?, _: Int32, _: Int32) {
  let loop = loop(of: handle)
  loop.callback {
    cuv_eventfd_clear(_dispatch_get_main_queue_handle_4CF())
    let probe = loop.internals.sendProbe()
    _dispatch_main_queue_callback_4CF(nil)
    // The thread is in a job of the main queue already, which runs no other before that has ended.
    if probe?.hasRun.load(ordering: .relaxed) == false { loop.watchMainActor() }
  }
}
#endif

/// The functions that a loop's libuv has beyond the oldest. Each function is nil if the loop's libuv doesn't
/// have it, whatever the header says that this was compiled with; see Design/0033.
struct NewerFunctions {
  /// `uv_metrics_info`, since 1.45.
  let metricsInfo: cuv_metrics_info?
  /// `uv_udp_try_send2`, since 1.50.
  var udpTrySend2: cuv_udp_try_send2?

  init(of loop: UnsafeMutablePointer<uv_loop_t>) {
    metricsInfo = cuv_find_metrics_info(loop)
    udpTrySend2 = cuv_find_udp_try_send2(loop)
  }
}
