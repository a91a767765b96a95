import CUV

/// An observer of the beginning and the end of each of a loop's turns. A loop that nobody observes has none.
///
/// A turn begins with the first callback after the poll: nothing can be called right after the poll. It ends
/// in the loop's prepare handle, right before the next poll. In between are two readings of the clock for the
/// lag, and none for stalls, which have libuv's time.
///
/// It is plain memory, so that a turn counts no references: that would cost more than reading the clock does.
struct TurnWatch {
  /// The loop frees it when it observes no more.
  var lag: LagMeter?
  /// The turn as other threads see it, which the loop's `turnObserver` keeps.
  var turn: UnsafeMutablePointer<cuv_turn>?
  /// Marks the beginning of turns in which a host's callbacks alone are called.
  var check: UnsafeMutablePointer<uv_check_t>?
}

extension EventLoop {
  /// Called in the first callback of a turn.
  @inline(never)
  func beginTurn() {
    assertOnLoop()
    microtasks.state.pointee.isTurnToBegin = false
    guard let watch = instrumentation.turns else { return }
    let time = uv_now(raw)
    watch.lag?.begin(since: time)
    if let turn = watch.turn { cuv_turn_begin(turn, time) }
  }

  /// Called right before the poll.
  @inline(never)
  func endTurn(_ watch: TurnWatch) {
    assertOnLoop()
    if microtasks.state.pointee.isTurnToBegin { beginTurn() }
    watch.lag?.end()
    if let turn = watch.turn { cuv_turn_end(turn) }
    microtasks.state.pointee.isTurnToBegin = true
  }

  /// A run begins, or is observed from now on. Before the first poll there is a turn, too.
  func beginRun(_ watch: TurnWatch) {
    microtasks.state.pointee.isTurnToBegin = false
    watch.lag?.begin()
    guard let turn = watch.turn else { return }
    instrumentation.observer?.bind()
    cuv_turn_begin(turn, uv_hrtime() / 1_000_000)
  }

  /// A run has ended, with a last turn.
  func endRun(_ watch: TurnWatch) {
    if microtasks.state.pointee.isTurnToBegin { beginTurn() }
    watch.lag?.end()
    instrumentation.observer?.leave()
    microtasks.state.pointee.isTurnToBegin = false
  }

  /// Begins to observe turns, or observes more of them.
  func watchTurns(_ change: (inout TurnWatch) -> Void) {
    var watch = instrumentation.turns ?? TurnWatch()
    change(&watch)
    if isAdopted, watch.check == nil { watch.check = startCheck() }
    instrumentation.turns = watch
    if isRunning {
      beginRun(watch)
    } else if isAdopted {
      instrumentation.observer?.bind()
      microtasks.state.pointee.isTurnToBegin = true
    }
  }

  private func startCheck() -> UnsafeMutablePointer<uv_check_t> {
    let check = UnsafeMutablePointer<uv_check_t>.allocate(capacity: 1)
    uv_check_init(raw, check)
    // Sound: the loop closes this handle before it goes.
    cuv_handle_set_data(check, Unmanaged.passUnretained(self).toOpaque())
    uv_check_start(check, checkCallback)
    uv_unref(cuv_handle(check))
    return check
  }

  /// The loop is about to close its handles.
  func stopWatchingTurns() {
    guard let watch = instrumentation.turns.take() else { return }
    microtasks.state.pointee.isTurnToBegin = false
    watch.lag?.deallocate()
    if let check = watch.check { closeInternal(check, of: self) }
  }
}

private func checkCallback(_ handle: UnsafeMutablePointer<uv_check_t>?) {
  // Sound: the loop closes this handle before it goes.
  Unmanaged<EventLoop>.fromOpaque(cuv_handle_data(handle))._withUnsafeGuaranteedRef { loop in
    if loop.microtasks.state.pointee.isTurnToBegin { loop.beginTurn() }
  }
}

/// The observers of a loop's turns. A loop that nobody looks at has none of it.
struct Instrumentation {
  var turns: TurnWatch?
  var observer: (any TurnObserver)?
}

extension EventLoop {
  /// The observer that looks at the loop's turns from another thread.
  package var turnObserver: (any TurnObserver)? { instrumentation.observer }
}

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
    if instrumentation.observer == nil, observer == nil { return }
    // The old one's memory goes with it.
    let old = instrumentation.observer
    tasks.publish(to: nil)
    instrumentation.turns?.turn = nil
    instrumentation.observer = observer
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
