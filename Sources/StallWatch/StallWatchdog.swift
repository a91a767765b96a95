import CStallWatch
import Synchronization

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// The thread that looks for stalls, one for the process. It exists while something is watched.
final class StallWatchdog: Sendable {
  static let shared = StallWatchdog()

  private struct State {
    var watchers: [StallWatcher] = []
    /// The process whose thread is running; a child that was forked has none.
    var process: pid_t = 0
  }

  private let state = Mutex(State())

  /// Watches from now on. Returns 0 or `errno`.
  func add(_ watcher: StallWatcher) -> Int32 {
    state.withLock { state in
      let code = stall_install(watcher.signal)
      if code != 0 { return code }
      if state.process != getpid() {
        let code = stall_start_watchdog { StallWatchdog.shared.run() }
        if code != 0 { return code }
        state.process = getpid()
      }
      state.watchers.append(watcher)
      return 0
    }
  }

  /// Watches no longer. The watcher's handler may still be running.
  func remove(_ watcher: StallWatcher) {
    state.withLock { state in
      guard let index = state.watchers.firstIndex(where: { $0 === watcher }) else { return }
      state.watchers.remove(at: index)
      if !state.watchers.contains(where: { $0.signal == watcher.signal }) { stall_uninstall(watcher.signal) }
    }
  }

  /// Puts the handler back that has been replaced since, as by a loop that watches the same signal. The
  /// newer handler gets the signals that aren't this library's. Without our handler the signal would end the
  /// process, or be misread.
  ///
  /// - Returns: False if the watcher has been stopped, or the handler can't be put back.
  func renewHandler(of watcher: StallWatcher) -> Bool {
    state.withLock { state in
      state.watchers.contains { $0 === watcher } && stall_install(watcher.signal) == 0
    }
  }

  /// Counts a report, unless the watcher has been stopped meanwhile: its count stands from then on.
  func count(_ watcher: StallWatcher) -> Bool {
    state.withLock { state in
      let isWatched = state.watchers.contains { $0 === watcher }
      if isWatched { watcher.reports.add(1, ordering: .relaxed) }
      return isWatched
    }
  }

  /// The watcher of an object's thread.
  func watcher(of subject: ObjectIdentifier) -> StallWatcher? {
    state.withLock { $0.watchers.last { $0.subject == subject } }
  }

  /// Looks after the threads until there is none.
  private func run() {
    while let pause = lookAround() { usleep(UInt32(pause * 1000)) }
  }

  /// Looks at each thread once; returns for how many milliseconds to rest, and nil if there is nothing to
  /// watch any more.
  private func lookAround() -> UInt64? {
    let watchers = state.withLock { state in
      if state.watchers.isEmpty { state.process = 0 }
      return state.watchers
    }
    return watchers.map { $0.look() }.min().map { min($0, 100) }
  }
}
