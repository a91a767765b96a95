import Synchronization

extension LoopExecutor {
  /// Runs an asynchronous `body` on the loop and waits for its value. You can call it from any task: in an
  /// actor, on the main actor, or in a `Task` that a dispatch queue starts.
  ///
  /// ```swift
  /// let size = try await executor.run { loop in try await loop.files.stat("/etc/hosts").value.size }
  /// ```
  ///
  /// The body is a task of the loop, as `spawn` starts one: it stays on the loop's thread, may use what isn't
  /// `Sendable` there, and keeps the loop running. Task-local values of the caller aren't seen in it.
  ///
  /// If the caller's task is cancelled before the body has begun, the body never runs. Afterwards the body is
  /// cancelled, and this waits for its end.
  ///
  /// - Parameters:
  ///   - name: A name for the body's task, as `spawn` takes it.
  ///   - file: Where this is called, for ``EventLoop/snapshot(limit:)``.
  ///   - line: The line there.
  ///   - body: What to do on the loop's thread.
  /// - Returns: The body's value.
  /// - Throws: What `body` throws; `cancelled` if the caller's task is cancelled before the body has begun;
  ///   `loopClosed` if the loop has been shut down, or stops before the body has ended.
  ///
  /// The corresponding libuv function is `uv_async_send`.
  public func run<T: Sendable>(
    name: String? = nil, file: StaticString = #fileID, line: UInt = #line,
    _ body: nonisolated(nonsending) @escaping @Sendable (EventLoop) async throws -> T
  ) async throws -> T {
    let run = LoopRun(body, name, SourcePlace(file: file, line: line), executor: self)
    return try await run.wait { run.send() }.get().get()
  }

  /// Does the same for a body that throws nothing but a ``UVError``.
  ///
  /// Swift chooses this function for a body that can't throw, and for one whose type says what it throws:
  ///
  /// ```swift
  /// let size = try await executor.run { loop async throws(UVError) in
  ///   try await loop.files.stat("/etc/hosts").value.size
  /// }
  /// ```
  ///
  /// - Parameters:
  ///   - name: A name for the body's task, as `spawn` takes it.
  ///   - file: Where this is called, for ``EventLoop/snapshot(limit:)``.
  ///   - line: The line there.
  ///   - body: What to do on the loop's thread.
  /// - Returns: The body's value.
  /// - Throws: What `body` throws, `cancelled` or `loopClosed`, as the other `run` does.
  ///
  /// The corresponding libuv function is `uv_async_send`.
  public func run<T: Sendable>(
    name: String? = nil, file: StaticString = #fileID, line: UInt = #line,
    _ body: nonisolated(nonsending) @escaping @Sendable (EventLoop) async throws(UVError) -> T
  ) async throws(UVError) -> T {
    let run = LoopRun(body, name, SourcePlace(file: file, line: line), executor: self)
    return try await run.wait { run.send() }.get().get()
  }

  /// A request that runs an asynchronous `body` on this executor's loop; its answer arrives on `loop`. Use it
  /// with callbacks, promises and publishers; in a task, use the asynchronous `run`.
  ///
  /// - Parameters:
  ///   - loop: The loop of the calling thread, where the answer arrives.
  ///   - body: What to do on this executor's loop.
  /// - Returns: A request for the body's value, which fails as the asynchronous `run` does. Cancelling it
  ///   before the body has begun ends it at once. Afterwards the body is cancelled, and the request ends with
  ///   it.
  ///
  /// The corresponding libuv function is `uv_async_send`.
  public func run<T: Sendable>(
    on loop: EventLoop,
    _ body: nonisolated(nonsending) @escaping @Sendable (EventLoop) async throws(UVError) -> T
  ) -> Request<T> {
    Request(of: loop, operation: "run") { done in
      if loop.isClosed {
        loop.answer { done(.failure(UVError(.loopClosed, operation: "run"))) }
        return PendingRequest()
      }
      let task = loop.spawn {
        let result: Result<T, UVError>
        do throws(UVError) { result = .success(try await self.run(body)) } catch { result = .failure(error) }
        done(result)
      }
      return PendingRequest("run", subject: { self.loopName.withLock { $0 } }) { task.cancel() }
    }
  }
}

/// An asynchronous function that a task has sent to a loop, and its task there.
private final class LoopRun<Success: Sendable, Failure: Error>: TaskAnswer<Result<Success, Failure>>,
  LoopMessage,
  // Sound: the function is taken out on the loop's thread, or dropped with this object if it never gets there.
  // The task and the flag are touched on that thread alone.
  @unchecked Sendable
{
  typealias Body = nonisolated(nonsending) @Sendable (EventLoop) async throws(Failure) -> Success

  private var body: Body?
  private let name: String?
  private let origin: SourcePlace
  private let executor: LoopExecutor
  private var task: LoopTask<Success, Failure>?
  private var isCancelledByCaller = false

  init(_ body: @escaping Body, _ name: String?, _ origin: SourcePlace, executor: LoopExecutor) {
    self.body = body
    self.name = name
    self.origin = origin
    self.executor = executor
    super.init("run")
  }

  override var subject: String? { executor.loopName.withLock { $0 } }

  private var loopClosed: Outcome { .failure(UVError(.loopClosed, operation: "run")) }

  func send() {
    if !executor.send(self) { answer(loopClosed) }
  }

  func arrive(on loop: EventLoop) {
    guard let body = body.take(), beginWork() else { return }
    if loop.isClosed { return answer(loopClosed) }
    // A group hears of the end of its tasks, even if a host's loop goes without them.
    let group = LoopTaskGroup(loop) { [self] in didEnd() }
    task = group.spawn(name: name, file: origin.file, line: origin.line) {
      () async throws(Failure) -> Success in
      try await body(loop)
    }
  }

  private func didEnd() {
    let task = task.take()!
    guard let result = task.resultIfFinished else { return answer(loopClosed) }
    // Somebody else than the caller has cancelled the body: its loop, which ends.
    if case .failure(let error) = result, task.isCancelled, !isCancelledByCaller, error.isCancellation {
      return answer(loopClosed)
    }
    answer(.success(result))
  }

  override func cancelWork() {
    if executor.isOnLoop { return cancelTask() }
    // A loop that has ended has cancelled its tasks.
    try? executor.execute { [self] _ in cancelTask() }
  }

  private func cancelTask() {
    isCancelledByCaller = true
    task?.cancel()
  }
}
