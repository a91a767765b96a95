import CUV

extension EventLoop {
  /// Runs a body on this loop, returns what the body returned once no work is left, and leaves the loop open.
  ///
  /// You call it like a method:
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

  /// Calls a body with this loop, runs until no work is left, returns what the body returned, and leaves the
  /// loop open. You call it like a method; see ``CallbackRunner/callAsFunction(_:)``.
  ///
  /// The corresponding libuv function is `uv_run`.
  public var runCallbacks: CallbackRunner { CallbackRunner(loop: self) }

  /// The type of ``EventLoop/run``, which you call like a method.
  ///
  /// It isn't a method because a method would give `EventLoop.run` a second meaning: a function of a loop.
  /// When a body had two mistakes, the compiler chose that meaning and said that `E` could not be inferred.
  public struct Runner {
    fileprivate let loop: EventLoop

    /// Runs `body` on the loop, returns what `body` returned once no work is left, and leaves the loop open.
    ///
    /// If the body throws, the loop's tasks are cancelled. Once they have ended, this function throws the
    /// body's error; handles stay open. For the thread and the main queue, see ``EventLoop/run(_:)``.
    ///
    /// - Parameter body: What to do. It is `@Sendable` so that it doesn't take over the isolation of the
    ///   place where it is written.
    /// - Returns: The body's value.
    /// - Throws: The body's error, or one of four others: `loopRunning` if this thread is inside this loop or
    ///   another one already; `loopClosed` after ``EventLoop/shutdown()``; `loopAdopted` if the loop belongs
    ///   to a host; `loopForked` if the process was forked after the loop was made. If the body can't throw a
    ///   `UVError`, these four stop the program with a message.
    ///
    /// The corresponding libuv function is `uv_run`.
    @discardableResult
    public func callAsFunction<T, E: Error>(
      _ body: nonisolated(nonsending) @escaping @Sendable (EventLoop) async throws(E) -> T
    ) throws(E) -> T {
      try loop.runBody(body)
    }
  }

  /// The type of ``EventLoop/runCallbacks``, which you call like a method; see ``Runner``.
  public struct CallbackRunner {
    fileprivate let loop: EventLoop

    /// Calls `body` with the loop, runs until no work is left, returns what `body` returned, and leaves the
    /// loop open.
    ///
    /// - Parameter body: What to begin. It is called at once, on this thread.
    /// - Returns: The body's value.
    /// - Throws: The body's error, at once and without running the loop. It also throws what
    ///   ``Runner/callAsFunction(_:)`` throws. If the body can't throw a `UVError`, those errors stop the
    ///   program with a message.
    ///
    /// The corresponding libuv function is `uv_run`.
    @discardableResult
    public func callAsFunction<T, E: Error>(_ body: (EventLoop) throws(E) -> T) throws(E) -> T {
      try loop.runCallbackBody(body)
    }
  }
}

extension EventLoop {
  /// Runs `body` on a loop as ``run(_:)`` does, for the end of a program: a last error is printed, and the
  /// program exits with code 1.
  ///
  /// Use it where nobody is left to catch an error: in `main.swift`, or in the `main` of a type with `@main`.
  /// There `try EventLoop.run` would stop the program as a crash does.
  ///
  /// ```swift
  /// EventLoop.main { loop in
  ///   let listener = try loop.tcp.listen(port: 7)
  ///   for try await connection in listener { loop.spawn { try await connection.write("hello").value } }
  /// }
  /// ```
  ///
  /// If the body throws, its tasks have been cancelled and its handles closed by the time that the program
  /// exits. To choose another exit code, catch the error inside the body or around ``run(_:)``, and call
  /// `exit`.
  ///
  /// - Parameter body: What to do. It runs on this thread.
  ///
  /// The corresponding libuv function is `uv_run`.
  public static func main(
    _ body: nonisolated(nonsending) @escaping @Sendable (EventLoop) async throws -> Void
  ) {
    do { try run(body) } catch {
      printToStandardError("Error: \(error)")
      exit(1)
    }
  }
}
