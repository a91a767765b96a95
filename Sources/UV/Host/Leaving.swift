import CUV

/// How an adopted loop leaves its host.
struct Leaving {
  var hasBegun = false
  var waiters = Waiters<Void>()
  /// When the tasks that haven't ended are left; nil if they are waited for.
  var deadline: UInt64?
  var deadlineTimer = PendingRequest()
  /// How many have been left.
  var leftCount = 0
}

extension EventLoop {
  /// Checks and converts a host's loop.
  static func rawLoop(_ pointer: UnsafeMutableRawPointer) -> UnsafeMutablePointer<uv_loop_t> {
    pointer.assumingMemoryBound(to: uv_loop_t.self)
  }

  /// Called at the end of a turn that was asked for. If nothing is under way, the loop no longer keeps itself
  /// alive, or its detaching ends.
  func settle() {
    assertOnLoop()
    guard isAdopted, isSettled else { return }
    guard ending.leaving.hasBegun else { return releaseHold() }
    receiveAll()
    // The loop has another turn for a message that has come, or that comes while it closes.
    guard isSettled else { return }
    if executor.closeIfEmpty() { closeInternals() } else { _ = internals.pump() }
  }

  func didDetach() {
    leaveThreads()
    for done in ending.leaving.waiters.takeAll() { done(.success(())) }
    releaseHold()
  }

  /// Begins to end everything. Pending requests are answered on the host's next turn.
  func startDetaching() {
    requireOnLoop("detach()")
    guard !isClosed else { return }
    ending.leaving.hasBegun = true
    hold()
    ending.isClosed = true
    noteEnd()
    beginLastRound()
    tasks.cancelAll()
    notifyLocals()
    timers.cancelAll()
    timers.quiet?.cancelAll()
    requests.cancelAll()
    closeHandles()
    forsakeAnswers()
    letGo()
  }

  /// Called when the last reference goes. Nothing is under way then, and nothing more can be asked for.
  func letGoOfHost() {
    guard !isClosed else { return }
    require(executor.isOnLoop, "an adopted loop is let go of on the thread that runs it")
    ending.isClosed = true
    noteEnd()
    executor.close()
    closeInternals()
    // After that, for what is queued runs at once then. It would otherwise ask for another turn, until which the loop would
    // keep itself.
    runAllReceived()
    leaveThreads()
  }
}

/// A loop that leaves its host although a task doesn't end.
extension EventLoop {
  /// Leaves the host's loop as ``detach()`` does, but waits for tasks only so long.
  ///
  /// Every task is cancelled at once. A task that ignores its cancellation, because it waits for something
  /// outside the loop, would keep the host waiting. After `limit` the loop goes without such tasks. A task
  /// that was left goes on when what it waits for comes, on the thread that brings it. Every operation on
  /// this loop then fails with `loopClosed` or `cancelled`, and what the task holds is freed when it ends.
  ///
  /// On a loop of your own, this function stops the program with a message; use ``shutdown()`` there.
  ///
  /// - Parameter limit: How long tasks may take to end; with zero or less they are left on the host's next
  ///   turn. The shortest of several calls counts.
  /// - Returns: A request for the number of tasks that were left. It succeeds when libuv has let go of the
  ///   last handle, and waits for work that has begun on the thread pool.
  ///
  /// The corresponding libuv function is `uv_close`.
  @discardableResult
  public func detach(leavingTasksAfter limit: Duration) -> Request<Int> {
    leaveTasks(after: limit)
    return Request(of: self) { [self] in detach(leavingTasksAfter: limit, $0) }
  }

  /// Leaves the host's loop; see ``detach(leavingTasksAfter:)``.
  ///
  /// The corresponding libuv function is `uv_close`.
  @discardableResult
  public func detach(leavingTasksAfter limit: Duration, _ done: @escaping Completion<Int>) -> PendingRequest {
    leaveTasks(after: limit)
    return detach { [self] result in done(result.map { ending.leaving.leftCount }) }
  }

  private func leaveTasks(after limit: Duration) {
    startLeaving()
    let (deadline, isNever) = uv_hrtime().addingReportingOverflow(limit > .zero ? limit.nanoseconds : 0)
    if isNever || ending.leaving.deadline.map({ $0 <= deadline }) == true { return }
    ending.leaving.deadline = deadline
    armDeadline()
  }

  /// Has the tasks left when their time is up. Where there are none, there is nothing to wait for.
  func armDeadline() {
    guard let deadline = ending.leaving.deadline, !tasks.isEmpty else { return }
    ending.leaving.deadlineTimer.cancel()
    let now = uv_hrtime()
    let rest = Duration.nanoseconds(Int64(clamping: deadline > now ? deadline - now : 0))
    ending.leaving.deadlineTimer = timers.start(after: rest) { [self] result in
      guard case .success = result else { return }
      ending.leaving.leftCount += tasks.count
      tasks.leaveAll()
    }
  }
}
