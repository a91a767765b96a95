import CUV

/// How much a loop does at a stretch before timers and I/O have their turn.
///
/// Each turn of the loop has a budget. Work that could go on for ever without a wait pays from it. A
/// microtask or a part of a task costs one unit. A write costs 16 units and one more for each KiB. An answer
/// that an `await` gets at once costs one unit, and the next of a publisher's values costs four.
///
/// Reading isn't paid for; see ``ReadShare``.
///
/// When the budget is used up, the queue of microtasks rests until the next turn. An `await` that could be
/// answered at once then suspends, and its task goes to the end of that queue. So neither callbacks nor tasks
/// starve the loop's other work.
enum TurnBudget {
  /// The budget of a turn: 2,048 handlers or 128 small writes. Either takes about a millisecond.
  static let full = 2048
  /// The least budget of each libuv callback, so that a turn with many events answers all of them. It is more
  /// than a request and its answer cost.
  static let perCallback = 64
  /// The cost of a system call, compared with a handler.
  static let systemCall = 16
}

extension EventLoop {
  /// Pays for work that is done at once.
  ///
  /// - Returns: Whether the turn's budget was used up before, so that a task should suspend instead.
  @usableFromInline
  @inline(__always)
  func spend(_ cost: Int) -> Bool {
    assertOnLoop()
    let budget = microtasks.state.pointee.budget
    microtasks.state.pointee.budget = budget &- cost
    return budget <= 0
  }

  /// Whether the turn's budget is used up.
  @usableFromInline
  @inline(__always)
  var hasUsedUpTurn: Bool { microtasks.state.pointee.budget <= 0 }

  /// Whether the turn has spent its budget twice, so that even what nobody has waited for yet should wait for
  /// the next turn.
  package var hasOverdrawnTurn: Bool { microtasks.state.pointee.budget <= -TurnBudget.full }

  /// Pays for a piece of work of another module. Returns whether the turn's budget is used up now, so that
  /// what follows should wait for the next turn.
  package func payForWork() -> Bool {
    _ = spend(1)
    return hasUsedUpTurn
  }

  /// Pays for a system call of another module that has moved bytes; see ``payForWork()``.
  package func payForCall(_ byteCount: Int) -> Bool {
    _ = spend(TurnBudget.systemCall &+ byteCount >> 10)
    return hasUsedUpTurn
  }

  /// Pays for the datagrams that another module has sent; see ``payForWork()``.
  package func payForDatagrams(_ count: Int) -> Bool {
    _ = spend(TurnBudget.systemCall &* count)
    return hasUsedUpTurn
  }

  /// Begins a turn.
  func renewBudget(_ budget: Int = TurnBudget.full) { microtasks.state.pointee.budget = budget }
}

/// Lets other threads run before a loop waits for their messages.
///
/// Waking a thread takes both threads several microseconds, and each message would do so that comes just too
/// late. So a loop that has handled messages lets other threads run once. Where none of them sends meanwhile,
/// it does so more and more rarely.
struct AdaptiveYield {
  /// The most times in a row that it doesn't.
  private static let longestRest = 64

  /// How many times it doesn't, and how many of those are left.
  private var rest = 0
  private var left = 0

  /// - Parameter find: Whether there are messages.
  mutating func look(_ find: () -> Bool) {
    if find() { return }
    if left > 0 {
      left -= 1
      return
    }
    sched_yield()
    rest = find() ? 0 : min(max(rest * 2, 1), Self.longestRest)
    left = rest
  }
}

/// How much the stream that reads at present has read in this turn without coming to the end of what its peer
/// has sent.
///
/// libuv lets a stream fill its buffer 32 times before the next stream has its turn. With a buffer of 64 KiB,
/// one peer that sends without a pause makes all others wait for two milliseconds each time.
struct ReadShare {
  /// How many bytes a stream reads in a turn when its peer goes on sending.
  static let limit = 128 << 10

  private var reader: UnsafeRawPointer?
  private var count = 0
  /// Distinguishes one turn from another: the loop has polled if it has changed.
  private(set) var turn: UInt32 = 0

  /// Notes that `handle` has filled a buffer of `size` bytes.
  @inline(__always)
  mutating func noteFullRead(by handle: UnsafeRawPointer, _ size: Int) {
    count = handle == reader ? count &+ size : size
    reader = handle
  }

  /// How many bytes `handle` may still read in this turn.
  @inline(__always)
  func rest(of handle: UnsafeRawPointer) -> Int { handle == reader ? Self.limit &- count : Self.limit }

  /// Begins a turn.
  @inline(__always)
  mutating func renew() {
    reader = nil
    turn &+= 1
  }
}
