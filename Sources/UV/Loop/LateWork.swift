import CUV
import Synchronization

/// Work for a loop that has ended: the jobs of tasks that outlive the loop, and the callbacks of futures that
/// fail because of the end. It can't be dropped, since somebody may wait for it. The threads that bring it
/// run it, one at a time.
///
/// While the loop is being taken down, its thread still uses what such work may use. So other threads only
/// leave their work here then, and the loop's thread runs it as the last thing that it does.
final class LateWork: Sendable {
  enum Entry {
    case job(UnownedJob)
    case body(@Sendable () -> Void)
  }

  private struct State {
    var entries = Queue<Entry>()
    var isRunning = false
    /// Whether the loop's thread has nothing more to do with the loop.
    var hasThreadLeft = false
  }

  // Sound: touched only under the lock.
  nonisolated(unsafe) private let state = UnsafeMutablePointer<State>.allocate(capacity: 1)
  // Sound: a pointer to a mutex; freed with this object.
  nonisolated(unsafe) private let lock = Lock()
  /// The thread that runs the work now; 0 if there is none.
  private let runner = Atomic<UInt>(0)

  init() { state.initialize(to: State()) }

  deinit {
    state.deinitialize(count: 1)
    state.deallocate()
    lock.deallocate()
  }

  /// Whether the calling thread runs such work now.
  var isHere: Bool { runner.load(ordering: .relaxed) == cuv_thread_id() }

  /// Adds work, and runs what there is if nobody else does.
  ///
  /// - Parameter isOnLoop: Whether this is the loop's thread, which needn't wait until it has left.
  func add(_ entry: Entry, isOnLoop: Bool, _ run: (Entry) -> Void) {
    let isMine = lock.withLock {
      state.pointee.entries.append(entry)
      return (isOnLoop || state.pointee.hasThreadLeft) && begin()
    }
    if isMine { runAll(run) }
  }

  /// The loop's thread leaves the loop: runs what others have left here.
  func threadLeaves(_ run: (Entry) -> Void) {
    let isMine = lock.withLock {
      state.pointee.hasThreadLeft = true
      return begin()
    }
    if isMine { runAll(run) }
  }

  /// Under the lock.
  private func begin() -> Bool {
    if state.pointee.isRunning { return false }
    state.pointee.isRunning = true
    return true
  }

  private func runAll(_ run: (Entry) -> Void) {
    assert(state.pointee.isRunning && runner.load(ordering: .relaxed) == 0, "late work runs one at a time")
    runner.store(cuv_thread_id(), ordering: .relaxed)
    while let next = takeNext() { run(next) }
  }

  private func takeNext() -> Entry? {
    lock.withLock {
      if let next = state.pointee.entries.popFirst() { return next }
      // Before another thread may begin.
      runner.store(0, ordering: .relaxed)
      state.pointee.isRunning = false
      return nil
    }
  }
}

/// Says once that a run, or the end of a loop, waits for threads of the pool whose requests have been cancelled.
///
/// Work that a thread has begun can't be ended: a lookup, a file of a server that doesn't answer, a closure that waits. Its
/// request is answered at its cancellation, but libuv keeps the loop until the thread comes back. The timer exists only
/// from such a cancellation on.
final class GivenUpWork {
  /// How long the loop waits in silence, in milliseconds.
  var patience: UInt64 = 5000
  private var timer: UnsafeMutablePointer<uv_timer_t>?
  private var hasReported = false
  /// The requests that were all that the loop waited for when it was looked at last.
  private var last: Set<ObjectIdentifier> = []

  /// Notes that a request has been given up whose work goes on.
  func begin(on loop: EventLoop) {
    // The run of an adopted loop is its host's.
    if hasReported || loop.isAdopted { return }
    let timer = timer ?? makeTimer(loop)
    if uv_is_active(cuv_handle(timer)) != 0 { return }
    // The loop's time may be old.
    uv_update_time(loop.raw)
    uv_timer_start(timer, lookCallback, patience, 0)
  }

  private func makeTimer(_ loop: EventLoop) -> UnsafeMutablePointer<uv_timer_t> {
    let timer = UnsafeMutablePointer<uv_timer_t>.allocate(capacity: 1)
    uv_timer_init(loop.raw, timer)
    uv_unref(cuv_handle(timer))
    // Sound: the loop closes this timer before it goes.
    cuv_handle_set_data(timer, Unmanaged.passUnretained(loop).toOpaque())
    self.timer = timer
    return timer
  }

  fileprivate func look(at loop: EventLoop) {
    var givenUp: [Awaited] = []
    var these: Set<ObjectIdentifier> = []
    loop.requests.forEach { request in
      guard let work = request.givenUp else { return }
      givenUp.append(work)
      these.insert(ObjectIdentifier(request))
    }
    if givenUp.isEmpty { return last = [] }
    let isAllThereIs =
      givenUp.count == loop.requests.count && loop.tasks.isEmpty && loop.work.count == 0
      && !hasOtherHandles(loop)
    // The same at two looks: then the loop has waited for nothing else in between.
    let isLasting = isAllThereIs && these == last
    last = isAllThereIs ? these : []
    guard isLasting else { return begin(on: loop) }
    hasReported = true
    let names = givenUp.prefix(3).map { [$0.operation, $0.subject].compactMap { $0 }.joined(separator: " ") }
    let more = givenUp.count > names.count ? " and \(givenUp.count - names.count) more" : ""
    printToStandardError(
      """
      EventLoop: the loop waits only for threads of libuv's pool whose requests have been cancelled: \
      \(names.joined(separator: ", "))\(more). Work that a thread has begun can't be interrupted; the loop ends when it returns. \
      Have the work itself end, or let the process end by `_exit`.
      """)
  }

  /// Whether a handle keeps the loop running.
  private func hasOtherHandles(_ loop: EventLoop) -> Bool {
    var isKept = false
    withUnsafeMutablePointer(to: &isKept) {
      uv_walk(
        loop.raw,
        { handle, context in
          guard uv_is_active(handle) != 0, uv_has_ref(handle) != 0 else { return }
          context!.assumingMemoryBound(to: Bool.self).pointee = true
        }, $0)
    }
    return isKept
  }

  func close(_ loop: EventLoop) {
    guard let timer = timer.take() else { return }
    hasReported = true
    closeInternal(timer, of: loop)
  }
}

private func lookCallback(_ timer: UnsafeMutablePointer<uv_timer_t>?) {
  // Sound: the loop closes the timer before it goes.
  let loop = Unmanaged<EventLoop>.fromOpaque(cuv_handle_data(timer)).takeUnretainedValue()
  loop.work.givenUp.look(at: loop)
}
