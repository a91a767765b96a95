import CUV

/// What keeps an adopted loop: it cannot wait for what is under way by running, so it keeps itself until that has
/// ended. A loop of its own does not need this, and passes by.
struct Adoption {
  /// How much is under way: requests, handles that close, timers, tasks.
  var holds = 0
  /// The loop keeps itself through this while anything is under way, or a turn has been asked for. Balanced when the last
  /// of them ends.
  var retained: Unmanaged<EventLoop>?
  var isDetaching = false
  var waiters = Waiters<Void>()
}

extension EventLoop {
  /// Takes over a host's loop.
  static func rawLoop(_ pointer: UnsafeMutableRawPointer) -> UnsafeMutablePointer<uv_loop_t> {
    pointer.assumingMemoryBound(to: uv_loop_t.self)
  }

  /// Whether the loop keeps itself.
  var isHeld: Bool { adoption.retained != nil }

  /// Notes that something is under way which will call the loop again.
  @inline(__always)
  func hold() { if isAdopted { holdOnce() } }

  /// Ends one ``hold()``.
  @inline(__always)
  func letGo() { if isAdopted { letGoOnce() } }

  private func holdOnce() {
    adoption.holds += 1
    keepAlive()
  }

  /// Has the loop keep itself until ``settle()`` finds nothing under way.
  func keepAlive() { if !isHeld { adoption.retained = .passRetained(self) } }

  private func letGoOnce() {
    adoption.holds -= 1
    // Not from here: whoever lets go may use the loop afterwards.
    if adoption.holds == 0, !internals.pump() { didDetach() }
  }

  /// Called at the end of a turn that was asked for: where nothing is under way, the loop is left to those who
  /// hold it, or detached.
  func settle() {
    guard isAdopted, isSettled else { return }
    guard adoption.isDetaching else { return release() }
    deliver(executor.close())
    drain()
    if isSettled { closeInternals() }
  }

  private var isSettled: Bool { adoption.holds == 0 && microtasks.isEmpty && !internals.isPumping }

  private func release() {
    guard let retained = adoption.retained.take() else { return }
    retained.release()
  }

  private func closeInternals() {
    timers.close()
    internals.close(self)
  }

  private func didDetach() {
    leaveThreads()
    for done in adoption.waiters.takeAll() { done(.success(())) }
    release()
  }

  /// Begins to end everything; what is pending is told so on the host's next turn.
  func startDetaching() {
    guard !isClosed else { return }
    adoption.isDetaching = true
    hold()
    isClosed = true
    beginLastRound()
    tasks.cancelAll()
    timers.cancelAll()
    requests.cancelAll()
    closeHandles()
    forsakeAnswers()
    letGo()
  }

  /// Called when the last reference goes: nothing is under way then, and nobody can ask for anything more.
  func letGoOfHost() {
    guard !isClosed else { return }
    require(executor.isOnLoop, "an adopted loop is let go of on the thread that runs it")
    isClosed = true
    deliver(executor.close())
    drain()
    closeInternals()
    leaveThreads()
  }
}
