import CUV

extension EventLoop {
  /// Closes everything that is open on the loop, ends what is pending with `cancelled`, and frees the loop. Work
  /// that has begun on the thread pool is waited for. Calling it again does nothing.
  ///
  /// Afterwards, and for completions that are called meanwhile, whatever is asked of the loop fails with `loopClosed`;
  /// what a completion asks for that is told just this is dropped.
  /// A task that such a completion spawns is cancelled from its start, and waited for; to spawn one afterwards stops the
  /// program with a message. Not to be called while the loop runs, which stops the program with a message, too: use
  /// ``stop()``. On an adopted loop it is ``detach()``.
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
    // From here on nothing more is begun: what a completion asks for fails with `loopClosed`.
    isClosed = true
    tasks.cancelAll()
    drain()
    repeat {
      repeat {
        timers.cancelAll()
        requests.cancelAll()
        closeHandles()
        drain()
        uv_run(raw, UV_RUN_NOWAIT)
        deliver(executor.receive())
        drain()
      } while (!activity.isIdle || fileQueue.isBusy) && waitForPoolOrTasks()
      forsakeAnswers()
      drain()
    } while !activity.isIdle || !executor.closeIfEmpty()
    timers.close()
    internals.close(self)
    uv_run(raw, UV_RUN_DEFAULT)
    let code = uv_loop_close(raw)
    require(code == 0, "uv_loop_close: \(UVError.Code(rawValue: code).message)")
    EventLoop.current = previous
    leaveThreads()
  }

  /// Waits for the next event of what cannot be hurried: a job of the thread pool, a task that ignores its
  /// cancellation.
  private func waitForPoolOrTasks() -> Bool {
    if microtasks.isEmpty { uv_run(raw, UV_RUN_ONCE) }
    return true
  }
}
