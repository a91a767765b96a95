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
    guard let watch = watching.turns else { return }
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
    watching.observer?.bind()
    cuv_turn_begin(turn, uv_hrtime() / 1_000_000)
  }

  /// A run has ended, with a last turn.
  func endRun(_ watch: TurnWatch) {
    if microtasks.state.pointee.isTurnToBegin { beginTurn() }
    watch.lag?.end()
    watching.observer?.leave()
    microtasks.state.pointee.isTurnToBegin = false
  }

  /// Begins to observe turns, or observes more of them.
  func watchTurns(_ change: (inout TurnWatch) -> Void) {
    var watch = watching.turns ?? TurnWatch()
    change(&watch)
    if isAdopted, watch.check == nil { watch.check = startCheck() }
    watching.turns = watch
    if isRunning {
      beginRun(watch)
    } else if isAdopted {
      watching.observer?.bind()
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
    guard let watch = watching.turns.take() else { return }
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
