import CUV

extension EventLoop {
  /// Closes everything that is open on the loop, ends what is pending with `cancelled`, and frees the loop.
  /// It waits for work that has begun on the thread pool. Calling it again does nothing.
  ///
  /// From now on every operation on the loop fails with `loopClosed`. If a completion that is called during
  /// the shutdown makes a new request, that request gets no answer; see ``Completion``. If it spawns a task,
  /// the task is cancelled from its start, and the shutdown waits for it.
  ///
  /// Calling this function while the loop runs stops the program with a message; use ``stop()`` there. On an
  /// adopted loop it does the same as ``detach()``.
  ///
  /// The corresponding libuv function is `uv_loop_close`.
  public func shutdown() {
    guard !isClosed else { return }
    if isAdopted { return startDetaching() }
    require(!isRunning, "shutdown() inside a running loop; use stop(), which ends the run")
    let previous = EventLoop.current
    EventLoop.current = self
    executor.bindToCurrentThread()
    isStopRequested = true
    // From here on nothing more begins.
    ending.isClosed = true
    noteEnd()
    beginLastRound()
    tasks.cancelAll()
    drain()
    tellLocals()
    drain()
    repeat {
      repeat {
        timers.cancelAll()
        timers.quiet?.cancelAll()
        requests.cancelAll()
        closeHandles()
        drain()
        uv_run(raw, UV_RUN_NOWAIT)
        runAllReceived()
      } while (!isIdle || fileQueue.isBusy) && waitForPoolOrTasks()
      forsakeAnswers()
      drain()
    } while !isIdle || !executor.closeIfEmpty()
    closeInternals()
    uv_run(raw, UV_RUN_DEFAULT)
    let code = uv_loop_close(raw)
    require(code == 0, "uv_loop_close: \(UVError.Code(rawValue: code).message)")
    EventLoop.current = previous
    leaveThreads()
  }

  /// Closes the handles that the loop needs for itself.
  func closeInternals() {
    timers.close()
    timers.quiet?.close()
    endObservation()
    work.givenUp.close(self)
    internals.close(self)
  }

  /// Waits for the next event of work that can't be hurried: a job of the thread pool, or a task that ignores
  /// its cancellation.
  private func waitForPoolOrTasks() -> Bool {
    if microtasks.isEmpty { uv_run(raw, UV_RUN_ONCE) }
    return true
  }
}
