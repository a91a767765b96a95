/// A loop inside a host that has a libuv loop already: a program in C, an editor, a runtime for another language.
extension EventLoop {
  /// Takes part in a libuv loop that belongs to somebody else, who runs, stops and closes it.
  ///
  /// Everything works as on a loop of one's own, in every style, except what is the host's business:
  /// ``run``, ``runCallbacks``, ``runOnce()`` and ``runNoWait()`` fail with
  /// `loopAdopted`, and ``stop()`` does nothing. The host's handles, requests and the loop's data are not touched. What is asked for keeps the host's loop
  /// alive, as the host's own requests do; to have adopted it does not.
  ///
  /// ```swift
  /// let loop = try EventLoop(adopting: uv_default_loop())
  /// loop.spawn { … }
  /// ```
  ///
  /// The loop is left by ``detach()``, or when the last reference to this object goes, on the loop's thread, and nothing
  /// is under way.
  /// libuv takes a turn of the loop to let go of handles, so the host runs it once more (`UV_RUN_NOWAIT` suffices)
  /// before it closes it. The example `InsideHost` is a program that does all this.
  ///
  /// - Parameter pointer: A `uv_loop_t` that has been initialized, by the libuv that this module is linked with,
  ///   and outlives this object's use of it. It is untyped so that hosts need not share a module for libuv's types.
  ///   To be called on the thread that runs the loop.
  /// - Throws: `tooManyOpenFiles` or `outOfMemory` if the system has no descriptor or memory left; nothing is then
  ///   left on the loop after its next turn.
  ///
  /// The corresponding libuv functions are `uv_prepare_init`, `uv_idle_init`, `uv_timer_init` and `uv_poll_init`.
  public convenience init(adopting pointer: UnsafeMutableRawPointer) throws(UVError) {
    try self.init(raw: EventLoop.rawLoop(pointer), isAdopted: true)
  }

  /// Leaves the host's loop: what is pending ends with `cancelled`, what is open is closed. Leaving begins at once,
  /// whether or not the request is used, and goes on while the host runs its loop. From here on whatever is asked of
  /// this loop fails with `loopClosed`; a task that is spawned meanwhile is cancelled from its start. Calling it again does
  /// nothing more.
  ///
  /// On a loop of one's own this stops the program with a message; there it is ``shutdown()``.
  ///
  /// - Returns: A request that succeeds when libuv has let go of the last handle: the host's loop then is as it
  ///   was. Work that has begun on the thread pool, tasks that ignore their cancellation, and what other threads hold, such
  ///   as a remote resolver, are waited for.
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
