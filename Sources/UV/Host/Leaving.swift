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
    drain()
    guard isSettled else { return }
    // Work that comes in this moment has another turn.
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
    tellLocals()
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
    runAllReceived()
    closeInternals()
    leaveThreads()
  }
}
