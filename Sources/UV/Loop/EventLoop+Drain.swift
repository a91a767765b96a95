import CUV

/// How microtasks are run: after every callback from libuv, as Node does.
extension EventLoop {
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
    case .object(let microtask): microtask.run()
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
}
