import CUV

/// How a loop takes what other threads have sent.
extension EventLoop {
  /// Called when another thread has sent something.
  func didWake() {
    assertOnLoop()
    beginCallback()
    internals.wakeup.clear(self)
    let received = receiveForTurn()
    endCallback()
    if received.count > 0, !received.isMore { awaitMessages() }
    let isInVain = !fileQueue.deliver() && received.count == 0
    internals.wakeup.didWake(inVain: isInVain)
  }

  /// Has the next message signal, if none has come meanwhile. Otherwise the loop signals itself, and takes
  /// them in the next turn.
  private func awaitMessages() {
    guard executor.isOpenOnLoop else { return }
    if microtasks.isEmpty { work.adaptiveYield.look { executor.hasMessages } }
    if !executor.awaitMessages() { internals.wakeup.signal() }
  }

  /// Queues what other threads have sent, as much as a turn can do. The rest waits for the next turn, and
  /// what the loop queues meanwhile comes before it. So threads that send without a pause don't hold the loop
  /// up.
  @discardableResult
  func receiveForTurn() -> (count: Int, isMore: Bool) {
    let room = max(TurnBudget.full - microtasks.state.pointee.count, TurnBudget.perCallback)
    let received = executor.receive(atMost: room)
    if received.isMore { internals.wakeup.signal() }
    return received
  }

  /// Queues all that other threads have sent.
  func receiveAll() { _ = executor.receive(atMost: .max) }

  /// Runs all messages of other threads, even if they take more than a turn's budget: the loop ends, and has
  /// promised to run them. Work that they queue may be left in the queue.
  func runAllReceived() {
    assertOnLoop()
    receiveAll()
    let state = microtasks.state
    let end = microtasks.nextNumber
    drain()
    while state.pointee.taken < end, !state.pointee.isDraining {
      renewBudget()
      drain()
    }
  }

  /// Queues what a message brings.
  func deliver(_ message: consuming Inbox.Message) {
    switch message {
    case .job(let job):
      microtasks.state.pointee.jobsFromOtherThreads &+= 1
      enqueue(.job(job))
    case .body(let body): enqueue(.body(body))
    case .object(let message): enqueue(.message(message))
    case .release(let block, _): block.abandon()
    case .goodbye(let goodbye): goodbye.sayGoodbye()
    }
  }
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
