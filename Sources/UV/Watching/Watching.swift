import CUV

/// The observers of a loop's turns. A loop that nobody looks at has none of it.
struct Watching {
  var turns: TurnWatch?
  var observer: (any TurnObserver)?
}

extension EventLoop {
  /// The observer that looks at the loop's turns from another thread.
  package var turnObserver: (any TurnObserver)? { watching.observer }
}
