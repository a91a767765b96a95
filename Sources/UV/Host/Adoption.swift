import CUV

/// Keeps an adopted loop alive. Such a loop can't wait for pending work by running, so it keeps itself alive
/// until the work has ended. Other loops don't need this and skip it.
struct Adoption {
  /// How many things are under way: requests, closing handles, timers and tasks.
  var holds = 0
  /// The loop's reference to itself while anything is under way, or while a turn has been asked for. Balanced
  /// when the last of these ends.
  var retained: Unmanaged<EventLoop>?
  var isDetaching = false
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

  /// Whether the loop keeps itself alive.
  var isHeld: Bool { adoption.retained != nil }

  /// Notes that something is under way that will call the loop again.
  @inline(__always)
  func hold() { if isAdopted { holdOnce() } }

  /// Ends one ``hold()``.
  @inline(__always)
  func letGo() { if isAdopted { letGoOnce() } }

  private func holdOnce() {
    adoption.holds += 1
    keepAlive()
  }

  /// Keeps the loop alive until ``settle()`` finds nothing under way.
  func keepAlive() { if !isHeld { adoption.retained = .passRetained(self) } }

  private func letGoOnce() {
    adoption.holds -= 1
    // Not from here, because the caller may use the loop afterwards.
    if adoption.holds == 0, !internals.pump() { didDetach() }
  }

  /// Called at the end of a turn that was asked for. If nothing is under way, the loop no longer keeps itself
  /// alive, or its detaching ends.
  func settle() {
    guard isAdopted, isSettled else { return }
    guard adoption.isDetaching else { return release() }
    receiveAll()
    drain()
    guard isSettled else { return }
    // Work that comes in this moment has another turn.
    if executor.closeIfEmpty() { closeInternals() } else { _ = internals.pump() }
  }

  private var isSettled: Bool { adoption.holds == 0 && microtasks.isEmpty && !internals.isPumping }

  private func release() {
    guard let retained = adoption.retained.take() else { return }
    retained.release()
  }

  private func closeInternals() {
    timers.close()
    quietTimers?.close()
    endObservation()
    internals.close(self)
  }

  private func didDetach() {
    leaveThreads()
    for done in adoption.waiters.takeAll() { done(.success(())) }
    release()
  }

  /// Begins to end everything. Pending requests are told so on the host's next turn.
  func startDetaching() {
    guard !isClosed else { return }
    adoption.isDetaching = true
    hold()
    isClosed = true
    noteEnd()
    beginLastRound()
    tasks.cancelAll()
    tellLocals()
    timers.cancelAll()
    quietTimers?.cancelAll()
    requests.cancelAll()
    closeHandles()
    forsakeAnswers()
    letGo()
  }

  /// Called when the last reference goes. Nothing is under way then, and nothing more can be asked for.
  func letGoOfHost() {
    guard !isClosed else { return }
    require(executor.isOnLoop, "an adopted loop is let go of on the thread that runs it")
    isClosed = true
    noteEnd()
    executor.close()
    runAllReceived()
    closeInternals()
    leaveThreads()
  }
}
