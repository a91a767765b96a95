/// How microtasks are run: after every callback from libuv, as Node does.
extension EventLoop {
  /// How many run in one go before I/O gets its turn.
  private static let microtasksPerTurn = 4096

  /// Every callback from libuv begins with this and ends with ``endCallback()``.
  @inline(__always)
  func beginCallback() { microtasks.state.pointee.isAttended = true }

  @inline(__always)
  func endCallback() {
    if !microtasks.isEmpty { drain() }
    microtasks.state.pointee.isAttended = false
  }

  /// Runs the microtasks in order, those that they queue included, up to a bound.
  func drain() {
    let state = microtasks.state
    if state.pointee.isDraining { return }
    state.pointee.isDraining = true
    state.pointee.isAttended = true
    let executor = executor
    var budget = Self.microtasksPerTurn
    while state.pointee.count > 0 {
      if budget == 0 {
        if internals.pump() { break }
        budget = Self.microtasksPerTurn
      }
      budget &-= 1
      switch microtasks.popFirst() {
      case .job(let job): executor.run(job)
      case .object(let microtask): microtask.run()
      case .closure(let body): body()
      case .body(let body): body(self)
      case .message(let message): message.arrive(on: self)
      case .completion(let done, let operation, let code):
        done(code < 0 ? .failure(failure(code, operation.name)) : .success(()))
      }
    }
    state.pointee.isAttended = false
    state.pointee.isDraining = false
    if !checkpoints.isEmpty, state.pointee.count == 0 { runCheckpoints() }
  }

  /// Called when another thread has sent something.
  func didWake() {
    beginCallback()
    internals.wakeup.clear(self)
    deliver(executor.receive())
    endCallback()
    fileQueue.deliver()
  }

  func deliver(_ messages: consuming [Inbox.Message]) {
    for index in 0..<messages.count {
      switch messages[index] {
      case .job(let job):
        microtasks.state.pointee.jobsFromOtherThreads &+= 1
        enqueue(.job(job))
      case .body(let body): enqueue(.body(body))
      case .object(let message): enqueue(.message(message))
      case .release(let block, _): block.abandon()
      }
    }
    executor.recycle(messages)
  }
}
