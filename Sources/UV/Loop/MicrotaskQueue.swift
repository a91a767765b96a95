/// Work that runs on the loop right after the libuv callback that queued it. A subclass says what the work
/// is.
///
/// It isn't part of the interface: a program uses ``EventLoop/queueMicrotask(_:)``. Queueing a microtask allocates
/// nothing; a closure allocates its context. The handlers of promises and futures are microtasks.
open class _Microtask {
  /// Creates a microtask; queue it with `EventLoop._enqueue(_:)`.
  @inlinable
  public init() {}

  /// Runs on the loop's thread, once each time the microtask was queued.
  open func run() {}

  /// Runs a microtask that was queued, and lets go of the queue's reference to it.
  ///
  /// - Parameter microtask: The object. A subclass whose objects are often used up then may keep it for use again.
  open class func run(queued microtask: consuming _Microtask) { microtask.run() }
}

/// One entry of the queue.
enum Work {
  /// A part of a Swift task.
  case job(UnownedJob)
  /// A part of a Swift task that belongs to none of the loop's actors.
  case taskJob(UnownedJob, LoopTaskExecutor)
  case object(_Microtask)
  case closure(() -> Void)
  /// A body that another thread sent.
  case body((EventLoop) -> Void)
  case message(any LoopMessage)
  /// The end of a request whose outcome was known while its caller was still running. The code is 0 or
  /// libuv's.
  case completion(Completion<Void>, Operation, Int32)

  enum Operation: UInt8 {
    case sleep, write, close, send

    var name: String {
      switch self {
      case .sleep: "sleep"
      case .write: "write"
      case .close: "close"
      case .send: "udp_send"
      }
    }
  }
}

/// A ring buffer of work that grows as needed: first in, first out. It allocates nothing once it is large
/// enough.
///
/// The state is behind a pointer, because dynamic exclusivity checks on a class's property cost more than the
/// work itself.
struct MicrotaskQueue {
  struct State {
    var buffer: UnsafeMutablePointer<Work>
    var mask: Int
    var head = 0
    var count = 0
    /// How many entries have been taken out since the loop was made.
    var taken = 0
    /// Jobs taken, by the thread that enqueued them.
    var jobsFromLoop = 0
    var jobsFromOtherThreads = 0
    /// How many waiters have had a number.
    var waiters: UInt = 0
    /// Whether the loop is inside a callback or a drain, so that the queue will be drained anyway.
    var isAttended = false
    var isDraining = false
    /// Whether the running callback has started timers that have no deadline yet; see
    /// ``TimerWheel/placeNew()``.
    var hasNewTimers = false
    /// The state that each callback reads when it begins, in one word.
    var beginning: UInt8 = 0
    /// Whether the next callback is the first of an observed turn; see `TurnWatch`.
    var isTurnToBegin: Bool {
      get { beginning & 1 != 0 }
      set { beginning = newValue ? beginning | 1 : beginning & ~1 }
    }
    /// Whether the thread has other loops, so that each callback says whose it is.
    var isOneOfSeveral: Bool { beginning & 2 != 0 }
    /// The thread has other loops from now on.
    mutating func noteSeveral() { beginning |= 2 }
    /// The rest of the turn's budget; see `TurnBudget`. It is below zero after work that cost more than
    /// was left.
    var budget = TurnBudget.full
    /// The rest of the budget when the loop began to end. It is set aside so that a running drain
    /// notices the end.
    var reserve = 0
    /// Whether the loop has been asked to stop, or is closed; see `LastRound`.
    var isEnding = false
    var readShare = ReadShare()
    /// The counts of the loop's streams. They are here because each read and write looks at this memory
    /// anyway.
    var counts = LoopCounts()
  }

  let state: UnsafeMutablePointer<State>

  init() {
    state = .allocate(capacity: 1)
    state.initialize(to: State(buffer: .allocate(capacity: 256), mask: 255))
  }

  var isEmpty: Bool { state.pointee.count == 0 }

  /// A number that no other waiter of the loop's sources has; never 0.
  @inline(__always)
  func numberWaiter() -> UInt {
    state.pointee.waiters &+= 1
    return state.pointee.waiters
  }

  /// The number of the entry that is appended next. The entry has been taken out once `taken` is above this
  /// number.
  var nextNumber: Int {
    @inline(__always) get { state.pointee.taken &+ state.pointee.count }
  }

  @inline(__always)
  func append(_ work: consuming Work) {
    if state.pointee.count > state.pointee.mask { grow() }
    assert(state.pointee.count <= state.pointee.mask)
    let slot = (state.pointee.head &+ state.pointee.count) & state.pointee.mask
    (state.pointee.buffer + slot).initialize(to: work)
    state.pointee.count &+= 1
  }

  @inline(__always)
  func popFirst() -> Work {
    assert(state.pointee.count > 0, "the queue is empty")
    let work = (state.pointee.buffer + state.pointee.head).move()
    state.pointee.head = (state.pointee.head &+ 1) & state.pointee.mask
    state.pointee.count &-= 1
    state.pointee.taken &+= 1
    return work
  }

  @inline(never)
  private func grow() {
    let old = state.pointee
    let capacity = old.mask + 1
    let buffer = UnsafeMutablePointer<Work>.allocate(capacity: capacity * 2)
    let first = capacity - old.head
    buffer.moveInitialize(from: old.buffer + old.head, count: min(first, old.count))
    if old.count > first { (buffer + first).moveInitialize(from: old.buffer, count: old.count - first) }
    old.buffer.deallocate()
    state.pointee.buffer = buffer
    state.pointee.mask = capacity * 2 - 1
    state.pointee.head = 0
  }

  /// Drops what is queued and frees the memory.
  func deallocate() {
    while !isEmpty { _ = popFirst() }
    state.pointee.buffer.deallocate()
    state.deallocate()
  }
}

/// Counts of what a loop's streams have done since the loop was made; see ``LoopStatistics``.
struct LoopCounts {
  /// Connections that the loop's listeners have accepted.
  var accepted = 0
  /// How many times a connection couldn't be accepted: the process had no descriptor left, the peer had gone,
  /// or its TLS session couldn't be made.
  var refused = 0
  /// How many times a wait has reached its limit: that of `timeout(after:)`, of `withDeadline`, or a stream's
  /// timeout.
  var timeouts = 0
  /// Bytes that streams have read. On a connection with TLS these are the encrypted bytes.
  var bytesRead = 0
  /// Bytes that the system has taken from streams. A write that waits counts when it ends.
  var bytesWritten = 0
}
