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

/// Something that a task or a callback waits for, in a ``LoopSnapshot``: a request, and what it is about.
public struct WaitSnapshot: Hashable, Sendable, Codable {
  /// The operation, by libuv's name: `read`, `accept`, `sleep`, `getaddrinfo`, …
  public var operation: String
  /// The request's subject: the addresses of a connection, a path or a name.
  public var subject: String?
  /// The descriptor of the connection or of another handle that the wait belongs to, by which it is found in
  /// ``LoopSnapshot/handles``. It is nil if there is none.
  public var fileDescriptor: Int32?
  /// How long it has been waited for.
  public var age: Duration
  /// How long the wait can last at most, if that is known: the rest of a sleep.
  public var remaining: Duration?

  /// Creates a wait.
  package init(operation: String, subject: String? = nil, age: Duration, remaining: Duration? = nil) {
    self.operation = operation
    self.subject = subject
    self.age = age
    self.remaining = remaining
  }
}

/// Entries of a kind in a ``LoopSnapshot``: some of them, and how many there are in all.
public struct SnapshotList<Entry> {
  /// The entries, at most as many as the snapshot's limit.
  public var entries: [Entry]
  /// How many entries there are, including those that were left out.
  public var count: Int

  /// Creates a list.
  package init(_ entries: [Entry] = [], count: Int? = nil) {
    self.entries = entries
    self.count = count ?? entries.count
  }

  /// How many entries were left out because of the limit.
  public var omittedCount: Int { count - entries.count }
}

extension SnapshotList: Sendable where Entry: Sendable {}
extension SnapshotList: Equatable where Entry: Equatable {}
extension SnapshotList: Hashable where Entry: Hashable {}
extension SnapshotList: Encodable where Entry: Encodable {}
extension SnapshotList: Decodable where Entry: Decodable {}

/// The oldest of many entries, in the order of their age. The others are only counted.
struct OldestEntries<Entry> {
  private let limit: Int
  private var kept: [(start: UInt64, entry: Entry)] = []
  private(set) var count = 0

  init(limit: Int) { self.limit = limit }

  var entries: [Entry] { kept.map(\.entry) }

  /// Adds an entry that began at `start`. Of several that began at the same time, the one that is added last
  /// is the oldest, as in the loop's lists.
  mutating func add(_ entry: Entry, since start: UInt64) {
    count += 1
    if kept.count >= limit {
      guard let last = kept.last, start <= last.start else { return }
      kept.removeLast()
    }
    // Most entries of a long list aren't kept, so few move others.
    var index = kept.count
    while index > 0, kept[index - 1].start >= start { index -= 1 }
    kept.insert((start, entry), at: index)
  }

  func list<Value>(_ value: (Entry) -> Value) -> SnapshotList<Value> {
    SnapshotList(entries.map(value), count: count)
  }
}

/// A handle of a loop, in a ``LoopSnapshot``.
public struct HandleSnapshot: Hashable, Sendable, Codable {
  /// The type of the handle.
  public var type: HandleType
  /// Whether the handle is a socket that listens.
  public var isListener = false
  /// Whether the handle is a connection that came through a listener.
  public var isAccepted = false
  /// The handle's file descriptor, or nil if it has none.
  public var fileDescriptor: Int32?
  /// The address of this end of a socket, or the path of a pipe.
  public var localAddress: String?
  /// The address of the other end.
  public var peerAddress: String?
  /// The smoothed round-trip time of a TCP connection, in microseconds. Nil if the system doesn't say.
  public var roundTripMicroseconds: Int?
  /// How many packets a TCP connection has sent again, for they were lost or late.
  public var retransmissionCount: Int?
  /// The handle's other subject: the path that is watched, the signal or the process.
  public var subject: String?
  /// How long ago the handle was made.
  public var age: Duration
  /// How many bytes wait to be written or sent.
  public var queuedByteCount = 0
  /// Whether somebody waits for the handle's next element: the reader of a connection, or who accepts.
  public var isAwaited = false
  /// See ``Handle/isActive``.
  public var isActive = false
  /// See ``Handle/keepsLoopRunning``.
  public var keepsLoopRunning = false
  /// See ``Handle/isClosing``.
  public var isClosing = false
  /// When a ``LoopTimer`` fires next; nil for other handles.
  public var dueIn: Duration?

  /// Creates a handle's snapshot. Set what else there is to say about it.
  package init(type: HandleType, age: Duration) {
    self.type = type
    self.age = age
  }
}

/// A sleep or a timeout of a loop, in a ``LoopSnapshot``.
public struct TimerSnapshot: Hashable, Sendable, Codable {
  /// The time until the timer fires; zero if it is due.
  public var dueIn: Duration
  /// Whether the timer keeps the loop running. The timeouts of streams don't.
  public var keepsLoopRunning: Bool

  /// Creates a timer's snapshot.
  package init(dueIn: Duration, keepsLoopRunning: Bool = true) {
    self.dueIn = dueIn
    self.keepsLoopRunning = keepsLoopRunning
  }
}

/// A task of a loop, in a ``LoopSnapshot``.
public struct TaskSnapshot: Hashable, Sendable, Codable {
  /// The state of a task.
  public enum State: String, Hashable, Sendable, Codable {
    /// The task is the one that takes the snapshot.
    case running
    /// The task waits for a request of the loop; ``TaskSnapshot/wait`` says for which.
    case waiting
    /// The task's wait is over. It runs when its turn comes.
    case ready
    /// The task waits for something that the loop doesn't know, such as an actor, an `AsyncStream` or the end
    /// of a handle's close, or it hasn't begun.
    case elsewhere
  }

  /// The name that the task was spawned with; nil if it has none. Tasks that are spawned in one place are
  /// distinguished by their names.
  public var name: String?
  /// Where the task was spawned, such as `Server/main.swift:12`.
  public var place: String
  /// How long ago the task was spawned.
  public var age: Duration
  /// The state of the task.
  public var state: State
  /// Whether the task has been cancelled.
  public var isCancelled: Bool
  /// The task's wait; nil unless the state is `waiting`.
  public var wait: WaitSnapshot?

  /// Creates a task's snapshot.
  package init(
    name: String? = nil, place: String, age: Duration, state: State, isCancelled: Bool = false,
    wait: WaitSnapshot? = nil
  ) {
    self.name = name
    self.place = place
    self.age = age
    self.state = state
    self.isCancelled = isCancelled
    self.wait = wait
  }
}
