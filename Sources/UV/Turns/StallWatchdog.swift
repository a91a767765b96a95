import CStack
import CUV
import Synchronization

/// The thread that looks for stalls, one for the process. It exists while a loop is watched.
final class StallWatchdog: Sendable {
  static let shared = StallWatchdog()

  private struct State {
    var watches: [StallWatch] = []
    /// The process whose thread is running; a child that was forked has none.
    var process: pid_t = 0
  }

  // Sound: touched only under the lock.
  nonisolated(unsafe) private let state = UnsafeMutablePointer<State>.allocate(capacity: 1)
  // Sound: a pointer to a mutex; it is never freed.
  nonisolated(unsafe) private let lock = Lock()

  private init() { state.initialize(to: State()) }

  /// Watches a loop from now on.
  func add(_ watch: StallWatch) throws(UVError) {
    let code = lock.withLock { () -> Int32 in
      let code = cstack_install(watch.signal)
      if code != 0 { return uv_translate_sys_error(code) }
      if state.pointee.process != getpid() {
        let code = start()
        if code < 0 { return code }
        state.pointee.process = getpid()
      }
      state.pointee.watches.append(watch)
      return 0
    }
    try check(code, "watchStalls")
  }

  /// No longer watches a loop. Its handler may still be running.
  func remove(_ watch: StallWatch) {
    lock.withLock {
      state.pointee.watches.removeAll { $0 === watch }
      if !state.pointee.watches.contains(where: { $0.signal == watch.signal }) {
        cstack_uninstall(watch.signal)
      }
    }
  }

  /// Starts the thread. Nobody joins it.
  private func start() -> Int32 {
    cuv_stay_loaded()
    var thread = uv_thread_t()
    let code = uv_thread_create(&thread, watchdogThread, nil)
    if code == 0 { pthread_detach(thread) }
    return code
  }

  /// Looks after the loops until there is none.
  fileprivate func run() {
    cstack_become_watchdog()
    while let pause = lookAround() { usleep(UInt32(pause * 1000)) }
  }

  /// Looks at each loop once; returns for how many milliseconds to rest, and nil if there is no loop any more.
  private func lookAround() -> UInt64? {
    let watches = lock.withLock { () -> [StallWatch] in
      if state.pointee.watches.isEmpty { state.pointee.process = 0 }
      return state.pointee.watches
    }
    for watch in watches { look(at: watch) }
    return watches.map(\.limit).min().map { min(max($0 / 4, 1), 100) }
  }

  private func look(at watch: StallWatch) {
    let now = uv_hrtime() / 1_000_000
    let turn = watch.mark.turn
    let start = cstack_turn_start(turn)
    guard watch.isDue(start: start, now: now) else { return }
    // The loop's thread doesn't end meanwhile, because it would have to take the lock first.
    let (isRunning, isSent) = watch.mark.lock.withLock {
      (turn.pointee.thread != 0, cstack_send(turn, start, watch.signal))
    }
    guard isRunning else { return }
    let stack = isSent ? cstack_wait().map { Stack($0) } : nil
    watch.count.add(1, ordering: .relaxed)
    watch.handler(
      Stall(
        loop: watch.name, duration: .milliseconds(Int64(now - cstack_turn_time(start))),
        spawnedAt: stack?.spawnedAt,
        addresses: stack?.addresses() ?? []))
  }
}

private func watchdogThread(_: UnsafeMutableRawPointer?) { StallWatchdog.shared.run() }
