/// The holds that keep an adopted loop alive. Such a loop can't wait for pending work by running, so it keeps
/// itself alive until the work has ended. Other loops don't need this and skip it.
struct LoopHolds {
  /// How many things are under way: requests, closing handles, timers and tasks.
  var count = 0
  /// The loop's reference to itself while anything is under way, or while a turn has been asked for. Balanced
  /// when the last of these ends.
  var retained: Unmanaged<EventLoop>?
}

extension EventLoop {
  /// Whether the loop keeps itself alive.
  var isHeld: Bool { ending.holds.retained != nil }

  /// Notes that something is under way that will call the loop again.
  @inline(__always)
  func hold() { if isAdopted { holdOnce() } }

  /// Ends one ``hold()``.
  @inline(__always)
  func letGo() { if isAdopted { letGoOnce() } }

  private func holdOnce() {
    assertOnLoop()
    ending.holds.count += 1
    keepAlive()
  }

  /// Keeps the loop alive until ``settle()`` finds nothing under way.
  func keepAlive() { if !isHeld { ending.holds.retained = .passRetained(self) } }

  private func letGoOnce() {
    assertOnLoop()
    assert(ending.holds.count > 0, "a hold ends that hasn't begun")
    ending.holds.count -= 1
    // Not from here, because the caller may use the loop afterwards.
    if ending.holds.count == 0, !internals.pump() { didDetach() }
  }

  /// Whether nothing is under way that will call the loop again.
  var isSettled: Bool { ending.holds.count == 0 && microtasks.isEmpty && !internals.isPumping }

  /// The loop no longer keeps itself alive.
  func releaseHold() {
    guard let retained = ending.holds.retained.take() else { return }
    retained.release()
  }
}
