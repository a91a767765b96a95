import CUV

/// How a loop takes what other threads have sent.
extension EventLoop {
  /// Called when another thread has sent something.
  func didWake() {
    beginCallback()
    internals.wakeup.clear(self)
    var received = receiveForTurn()
    var isInVain = received.count == 0
    while received.count > 0, !received.isMore {
      drain()
      guard mayReceiveAgain else {
        if executor.isOpenOnLoop { internals.wakeup.signal() }
        break
      }
      microtasks.state.pointee.isAttended = true
      if !executor.hasMessages { _ = spend(TurnBudget.systemCall * lookout.look { executor.hasMessages }) }
      received = receiveForTurn()
    }
    endCallback()
    if fileQueue.deliver() { isInVain = false }
    internals.wakeup.didWake(inVain: isInVain)
  }

  /// Whether what has come meanwhile is taken in this turn, too, so that nobody has to signal it.
  private var mayReceiveAgain: Bool {
    microtasks.isEmpty && !hasUsedUpTurn && !microtasks.state.pointee.isEnding
  }

  /// Queues what other threads have sent, as much as a turn can do. The rest waits for the next turn, and what
  /// the loop queues meanwhile comes before it. So threads that send without a pause don't hold the loop up.
  @discardableResult
  func receiveForTurn() -> (count: Int, isMore: Bool) {
    let room = max(TurnBudget.full - microtasks.state.pointee.count, TurnBudget.perCallback)
    let received = executor.receive(atMost: room, deliver)
    if received.isMore { internals.wakeup.signal() }
    return received
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
    }
  }
}
