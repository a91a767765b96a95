import CUV

extension EventLoop {
  /// Makes a loop, runs `body` on it, and returns what `body` returned once no work is left.
  ///
  /// The body and everything that it calls run on this thread, which stays in the loop until this function
  /// returns. If the body throws, the tasks that it spawned are cancelled and the handles are closed. Then
  /// this function throws the body's error.
  ///
  /// On the main thread the loop serves the main queue too, so that the body can await `@MainActor` code.
  /// This needs a main actor that has nothing else to do. If this function is called in one of its jobs, the
  /// main actor waits for this function, and a body that awaited the main actor would wait for ever: it stops
  /// the program with a message. If the body waits for the main actor or the main queue through somebody
  /// else, such as another task, the library can't be certain. It then prints a message once a task has
  /// waited for some seconds for something that isn't the loop's. Such a job is what follows the first
  /// `await` that suspends an asynchronous `main`, and what `DispatchQueue.main.async` runs. Call this
  /// function before that, or in a task that isn't the main actor's:
  ///
  /// ```swift
  /// try await Task.detached { try EventLoop.run { loop in … } }.value
  /// ```
  ///
  /// - Parameter body: What to do. It is `@Sendable` so that it doesn't take over the isolation of the place
  ///   where it is written, such as the main actor's in `main.swift`.
  /// - Returns: The body's value.
  /// - Throws: The body's error. It also throws `loopRunning` if this thread is inside a loop already, and an
  ///   error of the system if no loop can be made. If the body can't throw a `UVError`, these two stop the
  ///   program with a message.
  ///
  /// The corresponding libuv function is `uv_run`.
  @discardableResult
  public static func run<T, E: Error>(
    _ body: nonisolated(nonsending) @escaping @Sendable (EventLoop) async throws(E) -> T
  ) throws(E) -> T {
    let loop = try make(throwing: E.self)
    loop.ending.followsRun = true
    defer { loop.shutdown() }
    return try loop.runBody(body)
  }

  /// Makes a loop, calls `body` on it, runs until no work is left, and returns what `body` returned. Use it
  /// in programs written with callbacks, promises or publishers.
  ///
  /// - Parameter body: What to begin. It is called at once, on this thread.
  /// - Returns: The body's value.
  /// - Throws: The body's error, at once and without running the loop. It also throws what ``run(_:)``
  ///   throws.
  ///
  /// The corresponding libuv function is `uv_run`.
  @discardableResult
  public static func runCallbacks<T, E: Error>(_ body: (EventLoop) throws(E) -> T) throws(E) -> T {
    let loop = try make(throwing: E.self)
    loop.ending.followsRun = true
    defer { loop.shutdown() }
    return try loop.runCallbackBody(body)
  }

  private static func make<E: Error>(throwing _: E.Type) throws(E) -> EventLoop {
    do throws(UVError) { return try EventLoop() } catch { throw carry(error) }
  }

  /// Does the work of ``run``.
  func runBody<T, E: Error>(
    _ body: nonisolated(nonsending) @escaping @Sendable (EventLoop) async throws(E) -> T
  ) throws(E) -> T {
    try checkRunnable(throwing: E.self)
    let task = spawn(file: "the body of run", line: 0) { () async throws(E) -> T in
      do throws(E) { return try await body(self) } catch {
        self.stop()
        throw error
      }
    }
    task.task.isBody = true
    runToEnd()
    return try task.resultIfFinished!.get()
  }

  /// Does the work of ``runCallbacks``.
  func runCallbackBody<T, E: Error>(_ body: (EventLoop) throws(E) -> T) throws(E) -> T {
    try checkRunnable(throwing: E.self)
    let previous = EventLoop.current
    EventLoop.current = self
    executor.bindToCurrentThread()
    beginCallback()
    work.isInBody = true
    let value: T
    do throws(E) { value = try body(self) } catch {
      EventLoop.current = previous
      ceaseToAttend()
      work.isInBody = false
      isStopRequested = false
      throw error
    }
    EventLoop.current = previous
    work.isInBody = false
    runToEnd()
    return value
  }

  func checkRunnable<E: Error>(throwing _: E.Type) throws(E) {
    if isClosed { throw Self.misuse(.loopClosed, "run") }
    if isAdopted { throw Self.misuse(.loopAdopted, "run") }
    if executor.isInForkedChild { throw Self.misuse(.loopForked, "run") }
    if isRunning || EventLoop.current?.isRunning == true { throw Self.misuse(.loopRunning, "run") }
  }

  private static func misuse<E: Error>(_ code: UVError.Code, _ operation: String) -> E {
    carry(UVError(code, operation: operation))
  }

  /// The error in the type that the caller's body may throw. If the body can't throw a `UVError`, the program
  /// stops with the error's text.
  private static func carry<E: Error>(_ error: UVError) -> E {
    if let error = error as? E { return error }
    fatalError("\(error)")
  }

  private func runToEnd() {
    beginMainActorWatch()
    defer { endMainActorWatch() }
    turn {
      while !hasStopped {
        uv_run(raw, UV_RUN_DEFAULT)
        receiveAll()
        if !isStopRequested, work.isToReturn || !isAlive { break }
      }
    }
    isStopRequested = false
    work.isToReturn = false
  }

  /// Has the run that is under way return after this turn. All that is pending stays as it is, tasks included,
  /// and goes on in the next run.
  package func returnFromRun() {
    assertOnLoop()
    work.isToReturn = true
    if isRunning { uv_stop(raw) }
  }

  /// Whether ``stop()`` was called and the tasks have ended.
  var hasStopped: Bool { isStopRequested && tasks.isEmpty }

  /// Calls `body`, which runs libuv's loop. Meanwhile this is the loop of the calling thread.
  func turn(_ body: () -> Void) {
    let previous = EventLoop.current
    EventLoop.current = self
    executor.bindToCurrentThread()
    work.isRunning = true
    renewBudget()
    if let turns = instrumentation.turns { beginRun(turns) }
    drain()
    body()
    drain()
    if let turns = instrumentation.turns { endRun(turns) }
    work.isRunning = false
    EventLoop.current = previous
  }

  func taskEnded(_ identity: UnsafeMutableRawPointer) {
    assertOnLoop()
    tasks.remove(identity)
    letGo()
    if ending.leaving.hasBegun, tasks.isEmpty { ending.leaving.deadlineTimer.cancel() }
    // Not during a shutdown, because this would cut the shutdown's last turn short.
    if isRunning, isStopRequested, tasks.isEmpty { uv_stop(raw) }
  }

  /// Ends the run of the loop. Its tasks are cancelled. The function that runs the loop returns once they
  /// have ended, even if other work is pending. In the body of `runCallbacks` it ends the
  /// run that follows. Before a run it has no effect.
  ///
  /// Call it on the loop's thread; from another thread, use ``LoopExecutor/stop()``. On an adopted loop it
  /// does nothing, because the host stops that loop.
  ///
  /// The corresponding libuv function is `uv_stop`.
  public func stop() {
    requireOnLoop()
    guard isRunning || work.isInBody else { return }
    isStopRequested = true
    tasks.cancelAll()
    if isRunning, tasks.isEmpty { uv_stop(raw) }
    if ending.followsRun, !tasks.isEmpty { endLocalsInTime() }
  }
}
