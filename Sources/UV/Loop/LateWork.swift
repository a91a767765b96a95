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
