extension EventLoop {
  /// Runs a body on this loop, returns what the body returned once no work is left, and leaves the loop open.
  ///
  /// It is called like a method:
  ///
  /// ```swift
  /// let loop = try EventLoop()
  /// let size = try loop.run { loop in try await loop.files.stat("/etc/hosts").value.size }
  /// loop.shutdown()
  /// ```
  ///
  /// See ``Runner/callAsFunction(_:)``.
  ///
  /// The corresponding libuv function is `uv_run`.
  public var run: Runner { Runner(loop: self) }

  /// Calls a body with this loop, runs until no work is left, returns what the body returned, and leaves the loop open;
  /// called like a method. See ``CallbackRunner/callAsFunction(_:)``.
  ///
  /// The corresponding libuv function is `uv_run`.
  public var runCallbacks: CallbackRunner { CallbackRunner(loop: self) }

  /// What ``EventLoop/run`` is.
  ///
  /// A method would be a second meaning of `EventLoop.run`, as a function of a loop. The compiler took it for the one
  /// that was meant when a body had two mistakes, and said that `E` could not be inferred.
  public struct Runner {
    fileprivate let loop: EventLoop

    /// Runs `body` on the loop, returns what `body` returned once no work is left, and leaves the loop open.
    ///
    /// If the body throws, the loop's tasks are cancelled, and once they have ended the error is thrown from here;
    /// handles stay open. As to the thread and the main queue, see ``EventLoop/run(_:)``.
    ///
    /// - Parameter body: What to do. It is `@Sendable` so that it does not take over the isolation of the place
    ///   where it is written.
    /// - Returns: The body's value.
    /// - Throws: The body's error; `loopRunning` if this thread is inside a loop already, this one or another;
    ///   `loopClosed` after ``EventLoop/shutdown()``; `loopAdopted` if the loop is a host's; `loopForked` in a process
    ///   that was forked since the loop was made. Where the body cannot throw a `UVError`, these four stop the program
    ///   with a message.
    ///
    /// The corresponding libuv function is `uv_run`.
    @discardableResult
    public func callAsFunction<T, E: Error>(
      _ body: nonisolated(nonsending) @escaping @Sendable (EventLoop) async throws(E) -> T
    ) throws(E) -> T {
      try loop.runBody(body)
    }
  }

  /// What ``EventLoop/runCallbacks`` is; see ``Runner``.
  public struct CallbackRunner {
    fileprivate let loop: EventLoop

    /// Calls `body` with the loop, runs until no work is left, returns what `body` returned, and leaves the loop open.
    ///
    /// - Parameter body: What to begin; called at once, on this thread.
    /// - Returns: The body's value.
    /// - Throws: The body's error, at once and without running the loop; otherwise as ``Runner/callAsFunction(_:)``,
    ///   and where the body cannot throw a `UVError`, the program stops with a message.
    ///
    /// The corresponding libuv function is `uv_run`.
    @discardableResult
    public func callAsFunction<T, E: Error>(_ body: (EventLoop) throws(E) -> T) throws(E) -> T {
      try loop.runCallbackBody(body)
    }
  }
}
