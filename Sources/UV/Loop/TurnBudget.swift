/// How much a loop does at a stretch before timers and I/O have their turn.
///
/// Each turn of the loop has a budget. Everything that may go on for ever without a wait pays from it: a microtask or
/// a part of a task one unit, a write 16 and one more for each KiB, an answer that an `await` gets at once one. When the
/// budget is used up, the queue of microtasks rests until the next turn, and an `await` that could be answered at once
/// suspends: its task goes to the end of that queue. So neither style starves what else the loop has to do.
enum TurnBudget {
  /// What a turn has: 2,048 handlers, or 128 small writes, which is about a millisecond of either.
  static let full = 2048
  /// What each callback of libuv's has at least, so that a turn with many events answers all of them: more than
  /// a request and its answer cost.
  static let perCallback = 64
  /// What a system call costs, compared with a handler.
  static let systemCall = 16
}

extension EventLoop {
  /// Pays for work that is done at once.
  ///
  /// - Returns: Whether the turn's budget was used up before, so that a task is to suspend instead.
  @inline(__always)
  func spend(_ cost: Int) -> Bool {
    let budget = microtasks.state.pointee.budget
    microtasks.state.pointee.budget = budget &- cost
    return budget <= 0
  }

  /// Whether the turn's budget is used up.
  @inline(__always)
  var hasUsedUpTurn: Bool { microtasks.state.pointee.budget <= 0 }

  /// Begins a turn.
  func renewBudget(_ budget: Int = TurnBudget.full) { microtasks.state.pointee.budget = budget }

  /// Pays for an `await` that can be answered at once, on the loop of this thread.
  ///
  /// - Returns: Whether the task is to give way before it takes the answer; see ``giveWay()``. False without
  ///   a loop.
  package static func spendOnAnswer() -> Bool { CurrentLoop.spend(1) }

  /// As the other, on the loop of this thread.
  package nonisolated(nonsending) static func giveWay() async { await current?.giveWay() }

  /// Suspends the task until what is queued has run, after the next turn has begun if this one's budget is used up.
  nonisolated(nonsending) func giveWay() async {
    await withContinuation { (continuation: UnsafeContinuation<Void, Never>) in
      queueMicrotask { continuation.resume() }
    }
  }
}
