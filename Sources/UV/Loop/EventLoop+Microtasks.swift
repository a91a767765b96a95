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

/// How microtasks are run: after every callback from libuv, as Node does, within the budget of the turn.
extension EventLoop {
  // MARK: The budget

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

  // MARK: Callbacks

  /// Every callback from libuv does its work in `body`. The microtasks that `body` has queued run afterwards.
  @inline(__always)
  func callback<T>(_ body: () -> T) -> T {
    beginCallback()
    defer { endCallback() }
    return body()
  }

  /// Begins a callback from libuv; see ``callback(_:)``.
  @inline(__always)
  func beginCallback() {
    assertOnLoop()
    microtasks.state.pointee.isAttended = true
    if microtasks.state.pointee.beginning != 0 { beginMarkedCallback() }
    if microtasks.state.pointee.budget < TurnBudget.perCallback {
      microtasks.state.pointee.budget = TurnBudget.perCallback
    }
  }

  @inline(never)
  private func beginMarkedCallback() {
    if microtasks.state.pointee.isTurnToBegin { beginTurn() }
    if microtasks.state.pointee.isOneOfSeveral { EventLoop.current = self }
  }

  @inline(__always)
  func endCallback() {
    if !microtasks.isEmpty { drain() }
    ceaseToAttend()
  }

  /// The callback ends, and with it what was put off until then.
  @inline(__always)
  func ceaseToAttend() {
    microtasks.state.pointee.isAttended = false
    if microtasks.state.pointee.hasNewTimers { timers.placeNew() }
  }

  /// Runs the microtasks in order, including those that they queue, until the turn's budget is used up.
  func drain() {
    assertOnLoop()
    let state = microtasks.state
    if state.pointee.isDraining { return }
    if state.pointee.isEnding { return drainAtEnd() }
    state.pointee.isDraining = true
    state.pointee.isAttended = true
    let executor = executor
    while state.pointee.count > 0 {
      if state.pointee.budget <= 0 {
        if state.pointee.isEnding {
          state.pointee.isDraining = false
          return drainAtEnd()
        }
        if internals.pump() { break }
        renewBudget()
      }
      state.pointee.budget &-= 1
      perform(microtasks.popFirst(), executor)
    }
    ceaseToAttend()
    state.pointee.isDraining = false
    if state.pointee.count == 0 { endMicrotasks() }
  }

  /// The queue has run empty: looks at what the turn has left behind.
  @inline(__always)
  func endMicrotasks() {
    if ties.tickets.used > 0 { endTicketTurn() }
    if !work.checkpoints.isEmpty { runCheckpoints() }
  }

  @inline(__always)
  func perform(_ work: consuming Work, _ executor: LoopExecutor) {
    switch work {
    case .job(let job): executor.run(job)
    case .taskJob(let job, let tasks): tasks.run(job)
    case .object(let microtask): type(of: microtask).run(queued: microtask)
    case .closure(let body): body()
    case .body(let body): body(self)
    case .message(let message): message.arrive(on: self)
    case .completion(let done, let operation, let code):
      if code >= 0 {
        done(.success(()))
      } else if operation == .sleep, code == UV_ECANCELED.rawValue {
        done(timers.cancelled)
      } else {
        done(.failure(failure(code, operation.name)))
      }
    }
  }

  /// A number that no other waiter of the loop's sources has; never 0.
  @usableFromInline
  @inline(__always)
  func numberWaiter() -> UInt {
    assertOnLoop()
    return microtasks.numberWaiter()
  }
}
