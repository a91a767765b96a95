import CUV

/// What a loop knows of its last round, in which everything that is pending when it ends is answered.
///
/// Each request is answered once. What an answer of this round asks for is let go of: a completion that asks for the
/// same again each time that it is called would otherwise go on for ever. A task that is spawned while the loop ends is
/// cancelled from its start; it may spawn others, but those that spawn each other without an end aren't begun.
struct LastRound {
  /// How many tasks may follow one another that are spawned while the loop ends, each by the one before.
  static let longestLine = 16

  /// Whether it has begun: what was queued before the end has run.
  var hasBegun = false
  /// The task of the runtime's, if any, that the loop runs in; another is one that asks on its own account.
  var host: UnsafeMutableRawPointer?
  /// Whether what another thread has sent is running, which is no answer.
  var isOutside = false
  /// If what is running goes back to a task that was spawned while the loop ended: its place in the line of those that
  /// spawned each other, from 1.
  var place = 0
  /// The same for entries of the queue, by number.
  var places: [Int: Int] = [:]
}

extension EventLoop {
  /// Begins the last round, as soon as what is queued by now has run. The loop is closed.
  func beginLastRound() {
    lastRound.host = cuv_current_task()
    enqueue(.body { $0.lastRound.hasBegun = true })
  }

  /// Answers a request that is decided as it is asked for, but not on its caller's stack. In the last round it is let
  /// go of.
  ///
  /// - Returns: Whether `body` is called.
  @discardableResult
  func answer(_ body: @escaping () -> Void) -> Bool {
    if lastRound.hasBegun, isAnswering { return false }
    queueMicrotask(body)
    return true
  }

  /// Whether the caller is a completion of the last round, or something that one has queued. Tasks are told, since they
  /// could not end otherwise, and so is whoever asks from outside.
  var isAnswering: Bool {
    let state = microtasks.state
    return (state.pointee.isDraining || state.pointee.isAttended) && !lastRound.isOutside
      && cuv_current_task() == lastRound.host
  }

  /// Has ``drain()`` go over to ``drainAtEnd()``, or back.
  func noteEnd() {
    let state = microtasks.state
    state.pointee.isEnding = isStopRequested || isClosed
    // A drain that is under way looks when its budget is used up.
    let moved = state.pointee.isEnding ? max(state.pointee.budget, 0) : -state.pointee.reserve
    state.pointee.budget &-= moved
    state.pointee.reserve &+= moved
  }

  /// As ``drain()`` while the loop ends: notes what goes back to a task that was spawned meanwhile.
  func drainAtEnd() {
    let state = microtasks.state
    state.pointee.isDraining = true
    let host = lastRound.host
    lastRound.host = cuv_current_task()
    while state.pointee.count > 0 {
      if hasUsedUpTurn {
        renewBudget(state.pointee.reserve)
        state.pointee.reserve = 0
        if hasUsedUpTurn {
          if internals.pump() { break }
          renewBudget()
        }
      }
      state.pointee.budget &-= 1
      let place = lastRound.places.removeValue(forKey: state.pointee.taken) ?? 0
      // Has what is queued meanwhile come to `attend`.
      state.pointee.isAttended = false
      let work = microtasks.popFirst()
      switch work {
      case .job: perform(work, executor)
      case .body:
        lastRound.isOutside = true
        perform(work, executor)
        lastRound.isOutside = false
      default:
        lastRound.place = place
        perform(work, executor)
        lastRound.place = 0
      }
    }
    lastRound.host = host
    state.pointee.isAttended = false
    state.pointee.isDraining = false
    if !checkpoints.isEmpty, state.pointee.count == 0 { runCheckpoints() }
  }

  /// The place of the caller in a line of tasks that were spawned while the loop ended; 0 if it goes back to none.
  var place: Int { max(lastRound.place, currentTask?.place ?? 0) }

  /// Notes what the entry that has just been queued goes back to.
  func notePlace() {
    let place = place
    if place > 0 { lastRound.places[microtasks.nextNumber - 1] = place }
  }
}
