/// Everything that a loop does and waits for at one moment: what to look at when a program hangs.
///
/// ```swift
/// print(loop.snapshot())
/// ```
///
/// Its description has a line for each task, handle, request and timer, those first that are the oldest:
///
/// ```
/// loop 1: running
/// tasks: 3
///     3.2 s  read 127.0.0.1:6379 ← 127.0.0.1:50112       Server/main.swift:12, 5.1 s old
///     1.0 s  getaddrinfo example.org                     Server/main.swift:30, 1.0 s old
///   running                                              Server/main.swift:40, 2 ms old
/// handles: 2
/// …
/// ```
///
/// ``EventLoop/snapshot(limit:)`` takes a snapshot, and ``EventLoop/printSnapshot(on:limit:)`` prints one
/// whenever a signal comes. A snapshot is a value: send it to another thread, compare it, or encode it. A
/// duration is encoded as a whole number of milliseconds.
///
/// libuv's `uv_print_all_handles` prints a part of this.
public struct LoopSnapshot: Hashable, Sendable, Codable {
  /// The loop's ``EventLoop/name``.
  public var name: String
  /// Whether the loop has answered. It is false only in ``EventLoopGroup/snapshots(limit:within:)``, for a
  /// loop that doesn't come to answer: of such a loop nothing but the name is known.
  public var hasAnswered = true
  /// Whether the loop is inside one of its `run` functions.
  public var isRunning: Bool
  /// Whether the loop has been asked to stop, and waits for its tasks.
  public var isStopping: Bool
  /// Whether a graceful shutdown of the loop has begun; see ``EventLoop/isShuttingDown``.
  public var isShuttingDown: Bool
  /// How many parts of tasks, completions and other microtasks wait for their turn.
  public var microtaskCount: Int
  /// The tasks of the loop: first the one that is running, then those that have waited longest.
  public var tasks: SnapshotList<TaskSnapshot>
  /// The handles of the program, the oldest first. Those that the loop needs for itself aren't among them.
  public var handles: SnapshotList<HandleSnapshot>
  /// The requests of this loop that the thread pool works on or will work on, the oldest first. Other loops
  /// of the process use the same pool.
  public var poolRequests: SnapshotList<WaitSnapshot>
  /// The other requests that libuv holds, such as connections that are being established, the oldest first.
  /// Reads and writes are with their handles.
  public var requests: SnapshotList<WaitSnapshot>
  /// The sleeps and timeouts, those first that fire first. If some are left out, the order of the others that
  /// are far ahead is approximate.
  public var timers: SnapshotList<TimerSnapshot>

  /// Creates a snapshot of a loop that does nothing. Set what it does.
  package init() {
    name = ""
    (isRunning, isStopping, isShuttingDown, microtaskCount) = (false, false, false, 0)
    (tasks, handles, timers) = (SnapshotList(), SnapshotList(), SnapshotList())
    (poolRequests, requests) = (SnapshotList(), SnapshotList())
  }
}
