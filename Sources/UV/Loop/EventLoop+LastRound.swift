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

/// How microtasks are run: after every callback from libuv, as Node does.
extension EventLoop {
  /// Every callback from libuv does its work in `body`. The microtasks that `body` has queued run afterwards.
  @inline(__always)
  func callback<T>(_ body: () -> T) -> T {
    beginCallback()
    defer { endCallback() }
    return body()
  }

  /// Begins a callback from libuv; see ``callback(_:)``.
  @inline(__always)
  func beginCallback() {
    assertOnLoop()
    microtasks.state.pointee.isAttended = true
    if microtasks.state.pointee.beginning != 0 { beginMarkedCallback() }
    if microtasks.state.pointee.budget < TurnBudget.perCallback {
      microtasks.state.pointee.budget = TurnBudget.perCallback
    }
  }

  @inline(never)
  private func beginMarkedCallback() {
    if microtasks.state.pointee.isTurnToBegin { beginTurn() }
    if microtasks.state.pointee.isOneOfSeveral { EventLoop.current = self }
  }

  @inline(__always)
  func endCallback() {
    if !microtasks.isEmpty { drain() }
    ceaseToAttend()
  }

  /// The callback ends, and with it what was put off until then.
  @inline(__always)
  func ceaseToAttend() {
    microtasks.state.pointee.isAttended = false
    if microtasks.state.pointee.hasNewTimers { timers.placeNew() }
  }

  /// Runs the microtasks in order, including those that they queue, until the turn's budget is used up.
  func drain() {
    assertOnLoop()
    let state = microtasks.state
    if state.pointee.isDraining { return }
    if state.pointee.isEnding { return drainAtEnd() }
    state.pointee.isDraining = true
    state.pointee.isAttended = true
    let executor = executor
    while state.pointee.count > 0 {
      if state.pointee.budget <= 0 {
        if state.pointee.isEnding {
          state.pointee.isDraining = false
          return drainAtEnd()
        }
        if internals.pump() { break }
        renewBudget()
      }
      state.pointee.budget &-= 1
      perform(microtasks.popFirst(), executor)
    }
    ceaseToAttend()
    state.pointee.isDraining = false
    if state.pointee.count == 0 { endMicrotasks() }
  }

  /// The queue has run empty: looks at what the turn has left behind.
  @inline(__always)
  func endMicrotasks() {
    if ties.tickets.used > 0 { endTicketTurn() }
    if !work.checkpoints.isEmpty { runCheckpoints() }
  }

  @inline(__always)
  func perform(_ work: consuming Work, _ executor: LoopExecutor) {
    switch work {
    case .job(let job): executor.run(job)
    case .taskJob(let job, let tasks): tasks.run(job)
    case .object(let microtask): microtask.run()
    case .closure(let body): body()
    case .body(let body): body(self)
    case .message(let message): message.arrive(on: self)
    case .completion(let done, let operation, let code):
      if code >= 0 {
        done(.success(()))
      } else if operation == .sleep, code == UV_ECANCELED.rawValue {
        done(timers.cancelled)
      } else {
        done(.failure(failure(code, operation.name)))
      }
    }
  }
}
