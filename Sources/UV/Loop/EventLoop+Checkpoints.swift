extension EventLoop {
  /// Runs `microtask` at the end of this turn, when the queue of microtasks is empty. It can look at what the
  /// turn has left behind, such as a rejected promise that nobody handles. On the loop's thread.
  package func enqueueAfterMicrotasks(_ microtask: Microtask) {
    // An entry in the queue makes sure that the queue is drained, and the checkpoints run after that.
    if checkpoints.isEmpty { enqueue(.closure {}) }
    checkpoints.append(microtask)
  }

  /// Runs the checkpoints. The microtasks that they queue are drained next.
  func runCheckpoints() {
    let due = checkpoints
    checkpoints = []
    for microtask in due { microtask.run() }
    if !microtasks.isEmpty, !internals.pump() { drain() }
  }
}
