import CStallWatch
import Synchronization

/// Reports each turn of a thread that takes longer than a limit, while it takes that long, with the calls
/// that the thread is in. Use it to find the function that blocks a thread which others wait for, such as an
/// event loop's.
///
/// The thread says when it begins to work and when it waits for work again:
///
/// ```swift
/// let watcher = try StallWatcher("worker 1", longerThan: .milliseconds(50)) { stall in
///   print(stall.function ?? "something", "blocks", stall.name)
/// }
/// while let job = jobs.next() {
///   watcher.begin()
///   job()
///   watcher.end()
/// }
/// watcher.stop()
/// ```
///
/// One thread watches all watchers of the process. It looks at a watcher once in each limit, and again when the
/// turn that it has seen reaches the limit. A turn pays a reading of the clock and two stores for that. When a
/// turn takes too long, the watching thread sends a signal to the one that is late, which copies its stack. So
/// a system call that the thread is blocked in is interrupted once for each stall. The system goes on with
/// `read`, `write`, `accept`, `flock` and `waitpid` as if nothing had happened. It doesn't go on with `usleep`,
/// `nanosleep`, `poll`, `select`, `epoll_wait`, `sem_timedwait`, and sockets that have a timeout of their own:
/// these return early, with `EINTR`.
///
/// A watcher watches until you call ``stop()``, whether or not you keep it.
public final class StallWatcher: Sendable {
  let name: String
  let limit: UInt64
  package let signal: Int32
  private let handler: @Sendable (Stall) -> Void
  /// Has a function run where the watched thread's work is; nil where that says itself when it works.
  private let enqueue: (@Sendable (@escaping @Sendable () -> Void) -> Void)?
  /// How many stalls have been reported.
  let reports: Atomic<Int>
  /// The object whose thread is watched, such as a loop's executor; ``watcher(of:)`` finds the watcher by it.
  let subject: ObjectIdentifier?
  private let latest = Mutex<[StallReport]>([])
  /// The beginning of the turn that was reported last.
  private let reported = Atomic<UInt64>(0)
  /// The turn as the watching thread sees it.
  // Sound: the watched thread writes to it by atomic stores, and under the lock. It is freed with this
  // object.
  nonisolated(unsafe) package let turn = UnsafeMutablePointer<stall_turn>.allocate(capacity: 1)
  /// Held while the thread is interrupted, so that it doesn't end meanwhile.
  private let lock = Mutex(())

  /// Watches a thread from now on.
  ///
  /// - Parameters:
  ///   - name: What the thread is called in reports.
  ///   - limit: How long a turn may take, 1 ms or more; it is counted in whole milliseconds.
  ///   - signal: The number of the signal that is used, the same for all watchers. By default it is a
  ///     real-time signal, `SIGRTMIN + 6` with glibc. Choose another if something else in the process uses
  ///     that one. A handler that is installed for the signal gets the signals that aren't this library's,
  ///     and is put back when nothing is watched any more.
  ///   - handler: What to do with a stall. It is called on the thread that watches, once for each turn that
  ///     takes too long; nothing is watched meanwhile.
  /// - Throws: ``StallWatchError`` for a shorter limit, for a signal that can't be caught, and if the system
  ///   has no thread left.
  public convenience init(
    _ name: String, longerThan limit: Duration, signal: Int32? = nil,
    _ handler: @escaping @Sendable (Stall) -> Void
  ) throws(StallWatchError) {
    try self.init(name, limit, signal, nil, counted: 0, nil, nil, handler)
  }

  /// Watches a thread from now on that runs work for others, one piece after the other, and doesn't say when
  /// it does: the main actor, a run loop, an event loop of another library.
  ///
  /// ```swift
  /// try StallWatcher("the main actor", longerThan: .milliseconds(100)) { ask in
  ///   Task { @MainActor in ask() }
  /// } handler: { stall in
  ///   print(stall)
  /// }
  /// ```
  ///
  /// The watching thread asks four times in each limit for a piece of work that does nothing. If that hasn't
  /// been run within the limit, the thread is late. All pieces must run on the same thread; on a queue whose
  /// threads change, the calls of another thread would be reported.
  ///
  /// - Parameters:
  ///   - name: What the thread is called in reports.
  ///   - limit: How late it may be, 1 ms or more; it is counted in whole milliseconds.
  ///   - signal: The number of the signal that is used; see the other initializer.
  ///   - enqueue: Has its argument run by the thread. It is called on the watching thread, and must not wait.
  ///   - handler: What to do with a stall. It is called on the thread that watches, once for each piece that
  ///     is late.
  /// - Throws: ``StallWatchError`` for a shorter limit, for a signal that can't be caught, and if the system
  ///   has no thread left.
  @discardableResult
  public convenience init(
    _ name: String, longerThan limit: Duration, signal: Int32? = nil,
    asking enqueue: @escaping @Sendable (@escaping @Sendable () -> Void) -> Void,
    handler: @escaping @Sendable (Stall) -> Void
  ) throws(StallWatchError) {
    try self.init(name, limit, signal, enqueue, counted: 0, nil, nil, handler)
  }

  /// - Parameters:
  ///   - count: How many stalls have been reported already.
  ///   - find: Finds the place of the running task, with its context.
  ///   - subject: The object whose thread is watched; see ``watcher(of:)``.
  package init(
    _ name: String, _ limit: Duration, _ signal: Int32?,
    _ enqueue: (@Sendable (@escaping @Sendable () -> Void) -> Void)? = nil, counted count: Int,
    _ find: stall_find_place?, _ context: UnsafeRawPointer?, of subject: ObjectIdentifier? = nil,
    _ handler: @escaping @Sendable (Stall) -> Void
  ) throws(StallWatchError) {
    self.name = name
    self.subject = subject
    let (seconds, attoseconds) = limit.components
    // A limit beyond a thousand years is as good as any, and leaves room for sums.
    let most: Int64 = 1000 * 366 * 86_400
    self.limit =
      UInt64(clamping: min(seconds, most)) * 1000 + UInt64(clamping: attoseconds / 1_000_000_000_000_000)
    self.signal = signal ?? stall_default_signal()
    self.handler = handler
    self.enqueue = enqueue
    reports = Atomic(count)
    turn.initialize(to: stall_turn())
    turn.pointee.find = find
    turn.pointee.context = context
    guard self.limit > 0 else { throw .limit(limit) }
    let code = StallWatchdog.shared.add(self)
    if code != 0 { throw .system(code) }
  }

  deinit { turn.deallocate() }

  /// How many stalls have been reported.
  public var count: Int { reports.load(ordering: .relaxed) }

  /// The calling thread begins a turn. A turn that it was in has ended.
  public func begin() {
    bind()
    beginBound()
  }

  /// The same on the thread that is bound, without the system calls that binding takes.
  func beginBound() { stall_turn_begin(turn, stall_now()) }

  /// The turn has ended, on the same thread.
  public func end() { stall_turn_end(turn) }

  /// Watches no longer, from any thread; a turn that is running isn't reported any more. The handler may be
  /// called once more if it is running now.
  public func stop() {
    // First, so that no signal is sent once the handler is gone.
    leave()
    StallWatchdog.shared.remove(self)
  }

  /// The turns of the calling thread are watched from now on.
  package func bind() { lock.withLock { _ in stall_turn_bind(turn, signal) } }

  /// No thread is watched any more. The thread isn't interrupted once this returns.
  package func leave() {
    lock.withLock { _ in
      stall_turn_end(turn)
      turn.pointee.thread = 0
    }
  }

  /// Reports the turn if it is late and hasn't been reported.
  ///
  /// - Returns: In how many milliseconds to look again, so that a turn that begins meanwhile is seen before it is
  ///   late. A thread that is asked by ``init(_:longerThan:signal:asking:handler:)`` is asked four times in each
  ///   limit.
  func look() -> UInt64 {
    let (start, now) = (stall_turn_start(turn), stall_now())
    if let enqueue {
      if start == 0 {
        stall_turn_begin(turn, now)
        enqueue { [self] in
          bind()
          end()
        }
      } else {
        report(start, now)
      }
      return max(limit / 4, 1)
    }
    let due = stall_turn_time(start) + limit
    if start > 0, now < due { return due - now }
    if start > 0 { report(start, now) }
    return limit
  }

  private func report(_ start: UInt64, _ now: UInt64) {
    guard now >= stall_turn_time(start) + limit, reported.exchange(start, ordering: .relaxed) != start
    else { return }
    guard StallWatchdog.shared.renewHandler(of: self) else { return }
    let (isThere, isSent) = lock.withLock { _ in (turn.pointee.thread != 0, stall_send(turn, start, signal)) }
    guard isThere else { return }
    let stack = isSent ? stall_wait().map { Stack($0) } : nil
    guard StallWatchdog.shared.count(self) else { return }
    let stall = Stall(
      name: name, duration: .milliseconds(Int64(now - stall_turn_time(start))), spawnedAt: stack?.spawnedAt,
      addresses: stack?.addresses() ?? [])
    latest.withLock { $0 = [StallReport(stall: stall, turn: start)] + $0.prefix(7) }
    handler(stall)
  }

  // MARK: For observers

  /// The watcher of an object's thread, if there is one. From any thread.
  package static func watcher(of subject: ObjectIdentifier) -> StallWatcher? {
    StallWatchdog.shared.watcher(of: subject)
  }

  /// The stalls that were reported last, the latest first, eight at most.
  package var latestReports: [StallReport] { latest.withLock { $0 } }

  /// For how long the turn has lasted that the thread is in; nil while it waits for work.
  package var turnLength: Duration? {
    let start = stall_turn_start(turn)
    return start == 0 ? nil : timeSince(start)
  }

  /// Whether the turn goes on that a report is about.
  package func isInTurn(of report: StallReport) -> Bool { stall_turn_start(turn) == report.turn }
}

/// A stall that has been reported.
package struct StallReport: Sendable {
  package let stall: Stall
  /// The beginning of its turn, as `stall_turn` has it.
  fileprivate let turn: UInt64

  /// How long ago the turn began.
  package var age: Duration { timeSince(turn) }
}

/// How long ago a turn began, by its beginning.
private func timeSince(_ start: UInt64) -> Duration {
  .milliseconds(max(stall_now(), stall_turn_time(start)) - stall_turn_time(start))
}

/// Why a thread can't be watched.
public enum StallWatchError: Error, Hashable {
  /// The limit is shorter than 1 ms.
  case limit(Duration)
  /// The system has refused the signal or the watching thread: the number of its error, as `errno` has it.
  case system(Int32)
}
