import Synchronization

extension LoopExecutor {
  /// Runs `body` on the loop's thread and waits for its value; see ``execute(_:)``. You can call it from any
  /// task, including the loop's own.
  ///
  /// If the task is cancelled, the waiting ends at once. A body that hasn't begun by then never runs. A body
  /// that has begun runs to its end, and its value is dropped.
  ///
  /// - Parameter body: What to run on the loop's thread.
  /// - Returns: The body's value.
  /// - Throws: What `body` throws, `cancelled` if the task is cancelled, or `loopClosed` if the loop has been
  ///   shut down.
  ///
  /// The corresponding libuv function is `uv_async_send`.
  @inlinable
  public func submit<T: Sendable>(
    _ body: @escaping @Sendable (EventLoop) throws(UVError) -> T
  ) async throws(UVError) -> T {
    // For a task of a loop it is a request like any other, and costs little more than half.
    if let loop = EventLoop.ofCallingTask { return try await submit(on: loop, body).value }
    return try await submitFromOutside(body).get()
  }

  @usableFromInline
  func submitFromOutside<T: Sendable>(
    _ body: @escaping @Sendable (EventLoop) throws(UVError) -> T
  ) async -> Result<T, UVError> {
    let submission = Submission(body, executor: self)
    return await submission.wait { submission.send() }
  }
}

/// A function that a task which no loop has started sends to a loop.
// Sound: the function is taken out on the loop's thread, or dropped with this object if it never gets there.
private final class Submission<Success: Sendable>: TaskAnswer<Success>, LoopMessage, @unchecked Sendable {
  private var body: (@Sendable (EventLoop) throws(UVError) -> Success)?
  private let executor: LoopExecutor

  init(_ body: @escaping @Sendable (EventLoop) throws(UVError) -> Success, executor: LoopExecutor) {
    self.body = body
    self.executor = executor
    super.init("submit")
  }

  override var subject: String? { executor.loopName.withLock { $0 } }

  func send() {
    if !executor.send(self) { answer(.failure(UVError(.loopClosed, operation: "execute"))) }
  }

  func arrive(on loop: EventLoop) {
    guard let body = body.take(), isAwaited else { return }
    loop.runOutside { answer(Result { () throws(UVError) -> Success in try body(loop) }) }
  }
}
