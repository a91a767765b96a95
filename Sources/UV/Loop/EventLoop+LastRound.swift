import CUV

/// The state of a loop's last round, in which the loop answers everything that is pending when it ends.
///
/// Each request is answered once. A request that is made in an answer of this round is dropped. Otherwise a
/// completion that repeats its request each time that it is called would go on for ever. A task that is
/// spawned while the loop ends is cancelled from its start. It may spawn others, but a line of tasks that
/// spawn each other doesn't go on without an end.
struct LastRound {
  /// How many tasks may be spawned while the loop ends, each by the one before.
  static let longestLine = 16

  /// Whether the round has begun: everything that was queued before the end has run.
  var hasBegun = false
  /// The runtime's task in which the loop runs, if any. Any other task that asks does so outside the round.
  var host: UnsafeMutableRawPointer?
  /// Whether a body from another thread is running, which isn't an answer.
  var isOutside = false
  /// The place of the running work in a line of tasks that were spawned while the loop ended and spawned each
  /// other, from 1. It is 0 if the work isn't in such a line.
  var place = 0
  /// The same for entries of the queue, by their number.
  var places: [Int: Int] = [:]
}

extension EventLoop {
  /// Begins the last round as soon as everything that is queued by now has run. The loop is closed.
  func beginLastRound() {
    assertOnLoop()
    assert(isClosed && !ending.lastRound.hasBegun)
    ending.lastRound.host = cuv_current_task()
    enqueue(.body { $0.ending.lastRound.hasBegun = true })
  }

  /// Answers a request whose outcome is known at once, but not on its caller's stack. In the last round the
  /// answer is dropped.
  ///
  /// - Returns: Whether `body` is called.
  @discardableResult
  func answer(_ body: @escaping () -> Void) -> Bool {
    assertOnLoop()
    if ending.lastRound.hasBegun, isAnswering { return false }
    queueMicrotask(body)
    return true
  }

  /// Reports a failure that is known at once, when the caller's stack has been left.
  @discardableResult
  package func answer<Success>(_ done: @escaping Completion<Success>, _ error: UVError) -> PendingRequest {
    queueMicrotask { done(.failure(error)) }
    return PendingRequest()
  }

  /// Whether the caller is a completion of the last round, or something that such a completion has queued. A
  /// task isn't: it gets its answers, because it couldn't end otherwise. Neither is code outside the round.
  var isAnswering: Bool {
    let state = microtasks.state
    return (state.pointee.isDraining || state.pointee.isAttended) && !ending.lastRound.isOutside
      && cuv_current_task() == ending.lastRound.host
  }

  /// Makes ``drain()`` use ``drainAtEnd()`` from now on, or no longer.
  func noteEnd() {
    let state = microtasks.state
    state.pointee.isEnding = isStopRequested || isClosed
    // A drain that is under way checks this when its budget is used up.
    let moved = state.pointee.isEnding ? max(state.pointee.budget, 0) : -state.pointee.reserve
    state.pointee.budget &-= moved
    state.pointee.reserve &+= moved
    work.behindEvents.flush()
  }

  /// Does the same as ``drain()`` while the loop ends. It also notes the work of tasks that were spawned
  /// meanwhile.
  func drainAtEnd() {
    assertOnLoop()
    assert(!microtasks.state.pointee.isDraining)
    let state = microtasks.state
    state.pointee.isDraining = true
    let host = ending.lastRound.host
    ending.lastRound.host = cuv_current_task()
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
      let place = ending.lastRound.places.removeValue(forKey: state.pointee.taken) ?? 0
      // Makes sure that work which is queued meanwhile comes to `attend`.
      state.pointee.isAttended = false
      let work = microtasks.popFirst()
      switch work {
      case .job, .taskJob: perform(work, executor)
      case .body: runOutside { perform(work, executor) }
      default:
        ending.lastRound.place = place
        perform(work, executor)
        ending.lastRound.place = 0
      }
    }
    ending.lastRound.host = host
    ceaseToAttend()
    state.pointee.isDraining = false
    if state.pointee.count == 0 { endMicrotasks() }
  }

  /// Runs what another thread has sent, which is no answer.
  @inline(__always)
  func runOutside(_ body: () -> Void) {
    let place = ending.lastRound.place
    (ending.lastRound.isOutside, ending.lastRound.place) = (true, 0)
    body()
    (ending.lastRound.isOutside, ending.lastRound.place) = (false, place)
  }

  /// The place of the caller in a line of tasks that were spawned while the loop ended; 0 if it is in none.
  var place: Int { max(ending.lastRound.place, Int(currentTask?.place ?? 0)) }

  /// Notes the place of the entry that has just been queued.
  func notePlace() {
    let place = place
    if place > 0 { ending.lastRound.places[microtasks.nextNumber - 1] = place }
  }
}
