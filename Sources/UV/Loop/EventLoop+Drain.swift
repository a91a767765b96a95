import CUV

/// How microtasks are run: after every callback from libuv, as Node does.
extension EventLoop {
  /// Begins a callback from libuv; see ``callback(_:)``.
  @inline(__always)
  func beginCallback() {
    microtasks.state.pointee.isAttended = true
    if microtasks.state.pointee.isTurnToBegin { beginTurn() }
    if microtasks.state.pointee.budget < TurnBudget.perCallback {
      microtasks.state.pointee.budget = TurnBudget.perCallback
    }
  }

  @inline(__always)
  func endCallback() {
    if !microtasks.isEmpty { drain() }
    microtasks.state.pointee.isAttended = false
  }

  /// Runs the microtasks in order, including those that they queue, until the turn's budget is used up.
  func drain() {
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
    state.pointee.isAttended = false
    state.pointee.isDraining = false
    if state.pointee.count == 0 { endMicrotasks() }
  }

  /// The queue has run empty: looks at what the turn has left behind.
  @inline(__always)
  func endMicrotasks() {
    if tickets.used > 0 { endTicketTurn() }
    if !checkpoints.isEmpty { runCheckpoints() }
  }

  @inline(__always)
  func perform(_ work: consuming Work, _ executor: LoopExecutor) {
    switch work {
    case .job(let job): executor.run(job)
    case .object(let microtask): microtask.run()
    case .closure(let body): body()
    case .body(let body): body(self)
    case .message(let message): message.arrive(on: self)
    case .completion(let done, let operation, let code):
      done(code < 0 ? .failure(error(operation, code)) : .success(()))
    }
  }

  private func error(_ operation: Work.Operation, _ code: Int32) -> UVError {
    operation == .sleep && code == UV_ECANCELED.rawValue ? timers.cancelled : failure(code, operation.name)
  }

  /// Called when another thread has sent something.
  func didWake() {
    var isInVain = false
    callback {
      internals.wakeup.clear(self)
      isInVain = receiveForTurn() == 0
    }
    if fileQueue.deliver() { isInVain = false }
    internals.wakeup.didWake(inVain: isInVain)
  }

  /// Queues what other threads have sent, as much as a turn can do. The rest waits for the next turn, and what
  /// the loop queues meanwhile comes before it. So threads that send without a pause don't hold the loop up.
  ///
  /// - Returns: How many messages were queued.
  @discardableResult
  func receiveForTurn() -> Int {
    let room = max(TurnBudget.full - microtasks.state.pointee.count, TurnBudget.perCallback)
    let (count, isMore) = executor.receive(atMost: room, deliver)
    if isMore { internals.wakeup.signal() }
    return count
  }

  /// Queues all that other threads have sent.
  func receiveAll() { _ = executor.receive(atMost: .max, deliver) }

  private func deliver(_ message: consuming Inbox.Message) {
    switch message {
    case .job(let job):
      microtasks.state.pointee.jobsFromOtherThreads &+= 1
      enqueue(.job(job))
    case .body(let body): enqueue(.body(body))
    case .object(let message): enqueue(.message(message))
    case .release(let block, _): block.abandon()
    case .handled: break
    }
  }
}
