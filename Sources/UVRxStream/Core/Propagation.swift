/// The walk of results through trees of futures; one for each thread.
///
/// Values go down, branch by branch; terminations are delivered bottom-up, when everything below has theirs. Both
/// are lists here and not calls, so that a chain may be of any length.
struct Propagation {
  private var isRunning = false
  /// The visits still to be made; the last first, so that a branch is followed to its end before the next.
  private var visits: [() -> Void] = []
  /// The terminations that are delivered on the way back up.
  private var ends: [() -> Void] = []

  /// Runs `visit`, and everything that it leads to unless that is going on already.
  static func run(_ visit: @escaping () -> Void) {
    let state = Trampoline.current
    state.propagation.visits.append(visit)
    if state.propagation.isRunning { return }
    state.propagation.isRunning = true
    while true {
      if let visit = state.propagation.visits.popLast() {
        visit()
      } else if let end = state.propagation.ends.popLast() {
        end()
      } else {
        break
      }
    }
    state.propagation.isRunning = false
  }

  /// Visits what is attached to a future, in the order in which it was attached.
  static func visit<Output, Failure: Error>(
    _ branches: [(Settlement<Output, Failure>) -> Void], _ settlement: Settlement<Output, Failure>
  ) {
    if branches.count == 1 { return branches[0](settlement) }
    for branch in branches.reversed() { next { branch(settlement) } }
  }

  /// Has `visit` called before what is to be visited already.
  static func next(_ visit: @escaping () -> Void) {
    Trampoline.current.propagation.visits.append(visit)
  }

  /// Has `end` called on the way back up.
  static func atEnd(_ end: @escaping () -> Void) { Trampoline.current.propagation.ends.append(end) }
}

/// The way of a further result from one promise of a chain to the next. The rest of it is let go without
/// calls that nest.
final class WayDown<Output, Failure: Error> {
  private var step: ((Settlement<Output, Failure>) -> Void)?

  init(_ step: @escaping (Settlement<Output, Failure>) -> Void) { self.step = step }

  deinit {
    var last = step.take()
    if last != nil { Trampoline.nest { last = nil } }
  }

  func take(_ settlement: Settlement<Output, Failure>) {
    guard let step else { return }
    Propagation.run { step(settlement) }
  }
}
