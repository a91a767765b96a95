import CUV

/// An object that looks at a loop's turns from another thread. It is the one place where such a watch meets
/// the loop; the module `UVStalls` has one.
package protocol TurnObserver: AnyObject {
  /// Where the loop says when its turn began.
  var turn: UnsafeMutablePointer<cuv_turn> { get }

  /// Where the loop publishes its table of tasks, for a signal handler on its thread.
  var places: UnsafeMutablePointer<cuv_task_places> { get }

  /// The calling thread runs the loop from now on.
  func bind()

  /// No thread runs the loop any more.
  func leave()

  /// The loop is about to close, or another observer takes the place of this one.
  func stop()
}

extension EventLoop {
  /// Has an observer look at the loop's turns in place of the one before; nil ends that. Call it on the
  /// loop's thread.
  package func observeTurns(_ observer: (any TurnObserver)?) {
    assertOnLoop()
    if watching.observer == nil, observer == nil { return }
    // The old one's memory goes with it.
    let old = watching.observer
    tasks.publish(to: nil)
    watching.turns?.turn = nil
    watching.observer = observer
    old?.stop()
    guard let observer else { return }
    watchTurns { $0.turn = observer.turn }
    tasks.publish(to: observer.places)
  }

  /// The loop is about to close its handles.
  func endObservation() {
    observeTurns(nil)
    stopWatchingTurns()
  }
}
