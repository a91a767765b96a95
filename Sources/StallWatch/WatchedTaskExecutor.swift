import Dispatch
import Synchronization

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// Runs Swift tasks on as many threads as the machine has processors, and reports each part of a task that
/// takes longer than a limit, while it takes that long. Use it where tasks run on Swift's own threads, such as
/// the handlers of a server on SwiftNIO.
///
/// ```swift
/// let executor = try WatchedTaskExecutor("requests", longerThan: .milliseconds(50)) { stall in
///   print(stall.function ?? "something", "blocks", stall.name)
/// }
/// try await withTaskExecutorPreference(executor) {
///   try await application.runService()
/// }
/// executor.stop()
/// ```
///
/// A part of a task is what runs between two suspensions. A task that waits in `await` blocks no thread, and
/// isn't reported however long it takes. Structured children of the task, `async let` and task groups, run here
/// too; actors with an executor of their own and `Task { … }` don't.
///
/// Each thread is watched as by a ``StallWatcher``, which says how that works and which system calls return
/// early because of it.
public final class WatchedTaskExecutor: TaskExecutor {
  private struct State {
    /// Those that wait for a thread, from `first` on.
    var jobs: [UnownedJob] = []
    var first = 0
    /// One for each thread that may still be taken.
    var free: [StallWatcher] = []

    mutating func next() -> UnownedJob? {
      if first == jobs.count { return nil }
      // Seldom, and then of at least as many entries as have been added since the last time.
      if first >= 256, first * 2 >= jobs.count {
        jobs.removeFirst(first)
        first = 0
      }
      defer { first += 1 }
      return jobs[first]
    }
  }

  private let state = Mutex(State())
  private let watchers: [StallWatcher]

  /// Creates an executor whose threads are watched from now on.
  ///
  /// - Parameters:
  ///   - name: What the threads are called in reports: `NAME 1`, `NAME 2`, and so on.
  ///   - limit: How long a part of a task may take, 1 ms or more; it is counted in whole milliseconds.
  ///   - threads: On how many threads tasks may run at a time, 1 or more. By default there is one for each
  ///     processor.
  ///   - signal: The number of the signal that is used; see ``StallWatcher``.
  ///   - handler: What to do with a stall. It is called on the thread that watches, once for each part of a
  ///     task that takes too long; nothing is watched meanwhile.
  /// - Throws: ``StallWatchError`` for a shorter limit, for a signal that can't be caught, and if the system
  ///   has no thread left.
  public init(
    _ name: String, longerThan limit: Duration, threads: Int? = nil, signal: Int32? = nil,
    _ handler: @escaping @Sendable (Stall) -> Void
  ) throws(StallWatchError) {
    let count = threads ?? max(sysconf(Int32(_SC_NPROCESSORS_ONLN)), 1)
    precondition(count >= 1, "WatchedTaskExecutor(threads:): tasks need 1 thread or more")
    var watchers: [StallWatcher] = []
    do throws(StallWatchError) {
      for number in 1...count {
        watchers.append(try StallWatcher("\(name) \(number)", longerThan: limit, signal: signal, handler))
      }
    } catch {
      for watcher in watchers { watcher.stop() }
      throw error
    }
    self.watchers = watchers
    state.withLock { $0.free = watchers.reversed() }
  }

  deinit { stop() }

  /// How many stalls have been reported.
  public var count: Int { watchers.reduce(0) { $0 + $1.count } }

  /// Watches no longer, from any thread. Tasks run on. The handler may be called once more if it is running
  /// now. Dropping the last reference to the executor does the same.
  public func stop() { for watcher in watchers { watcher.stop() } }

  /// Takes a part of a task. The Swift runtime calls this.
  public func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    let watcher = state.withLock { state in
      state.jobs.append(job)
      return state.free.popLast()
    }
    if let watcher { DispatchQueue.global().async { self.run(watcher) } }
  }

  /// Runs what waits, on the calling thread, until nothing does.
  private func run(_ watcher: StallWatcher) {
    watcher.bind()
    while let job = next(watcher) {
      watcher.beginBound()
      job.runSynchronously(on: asUnownedTaskExecutor())
      watcher.end()
    }
  }

  /// The next part of a task; if there is none, the thread is given back.
  private func next(_ watcher: StallWatcher) -> UnownedJob? {
    state.withLock { state in
      if let job = state.next() { return job }
      state.jobs.removeAll(keepingCapacity: true)
      state.first = 0
      state.free.append(watcher)
      return nil
    }
  }
}
