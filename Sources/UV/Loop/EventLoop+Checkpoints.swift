extension EventLoop {
  /// As ``enqueue(_:)`` on the ``current`` loop, but faster; false if this thread has none.
  package static func enqueueOnCurrent(_ microtask: consuming Microtask) -> Bool {
    CurrentLoop.enqueue(microtask)
  }

  /// Runs `microtask` once the queue of microtasks has run empty, at the end of this turn; for looking at
  /// what the turn has left behind, such as a rejected promise that nobody handles. On the loop's thread.
  package func enqueueAfterMicrotasks(_ microtask: Microtask) {
    // An entry in the queue has it drained, and the checkpoints looked at after that.
    if checkpoints.isEmpty { enqueue(.closure {}) }
    checkpoints.append(microtask)
  }

  /// What the checkpoints queue is drained next.
  func runCheckpoints() {
    let due = checkpoints
    checkpoints = []
    for microtask in due { microtask.run() }
    if !microtasks.isEmpty, !internals.pump() { drain() }
  }
}
