/// A loop inside a host that has a libuv loop already: a program in C, an editor, a runtime for another language.
extension EventLoop {
  /// Makes an object for a libuv loop that belongs to a host. The host runs, stops and closes that loop.
  ///
  /// Everything works as on a loop of your own, in every style, except what only the host may do: ``run``,
  /// ``runCallbacks``, ``runOnce()`` and ``runNoWait()`` fail with `loopAdopted`, and ``stop()`` does
  /// nothing. The host's handles, requests and the loop's data aren't touched. Your requests keep the host's
  /// loop alive, as the host's own requests do. The object itself doesn't.
  ///
  /// ```swift
  /// let loop = try EventLoop(adopting: uv_default_loop())
  /// loop.spawn { … }
  /// ```
  ///
  /// You leave the host's loop with ``detach()``. Dropping the last reference on the loop's thread, while
  /// nothing is under way, does the same. libuv needs a turn of the loop to let go of handles. So the host
  /// must run the loop once more (`UV_RUN_NOWAIT` suffices) before it closes the loop. The example
  /// `InsideHost` is a program that does all this.
  ///
  /// Call this on the thread that runs the loop.
  ///
  /// - Parameter pointer: A `uv_loop_t` that has been initialized by the same libuv that this module is
  ///   linked with. It must outlive this object's use of it. The pointer is untyped so that a host need not
  ///   share a module for libuv's types.
  /// - Throws: `tooManyOpenFiles` or `outOfMemory` if the system has no descriptor or memory left. Nothing is
  ///   then left on the loop after its next turn.
  ///
  /// The corresponding libuv functions are `uv_prepare_init`, `uv_idle_init`, `uv_timer_init` and
  /// `uv_poll_init`.
  public convenience init(adopting pointer: UnsafeMutableRawPointer) throws(UVError) {
    try self.init(raw: EventLoop.rawLoop(pointer), isAdopted: true)
  }

  /// Leaves the host's loop. What is pending ends with `cancelled`, and what is open is closed. Leaving
  /// begins at once, even if you ignore the request, and goes on while the host runs its loop. From now on
  /// every operation on this loop fails with `loopClosed`. A task that is spawned meanwhile is cancelled from
  /// its start. Calling this function again does nothing more.
  ///
  /// On a loop of your own, this function stops the program with a message; use ``shutdown()`` there.
  ///
  /// - Returns: A request that succeeds when libuv has let go of the last handle. The host's loop is then as
  ///   it was before. The request waits for work that has begun on the thread pool, for tasks that ignore
  ///   their cancellation, and for what other threads hold, such as a remote resolver.
  ///
  /// The corresponding libuv function is `uv_close`.
  @discardableResult
  public func detach() -> Request<Void> {
    checkAdopted()
    startDetaching()
    return Request(self) { [self] in detach($0) }
  }

  /// Leaves the host's loop; see ``detach()``.
  ///
  /// The corresponding libuv function is `uv_close`.
  @discardableResult
  public func detach(_ done: @escaping Completion<Void>) -> PendingRequest {
    checkAdopted()
    startDetaching()
    guard isHeld else {
      queueMicrotask { done(.success(())) }
      return PendingRequest()
    }
    let number = adoption.waiters.add(done)
    return PendingRequest { [self] in
      guard let done = adoption.waiters.take(number) else { return }
      queueMicrotask { done(.failure(UVError(.cancelled, operation: "detach"))) }
    }
  }

  private func checkAdopted() {
    require(isAdopted, "detach() of a loop that no host runs; use shutdown()")
  }
}
