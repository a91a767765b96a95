import UV

extension Promise {
  /// Waits for the promise in a task of its loop; outside one this stops the program with a message.
  ///
  /// Cancelling the task cancels the promise, if nobody else waits for it; otherwise only this wait.
  ///
  /// - Throws: The promise's error, `PMKError.cancelled` if it was cancelled; `CancellationError` if this
  ///   task was.
  public nonisolated(nonsending) func async() async throws -> T {
    if let result = node.result(as: T.self) {
      if EventLoop.spendOnAnswer() { await EventLoop.giveWay() }
      return try result.get()
    }
    let outcome: PMKResult<T>
    do { outcome = try await Waiter.request(node, T.self, cancels: true).value } catch {
      // Cancelled before it could wait.
      if !node.isAwaited { node.cancel() }
      throw CancellationError()
    }
    // A task that waits on its own account gets the error that tasks get; see `UVError.isCancelled`.
    if case .rejected(let error) = outcome, error.isCancelled, Task.isCancelled { throw CancellationError() }
    return try outcome.get()
  }

  /// Starts `body` as a task of this thread's loop; the promise is resolved with what it returns or throws.
  ///
  /// Cancelling the promise cancels the task.
  ///
  /// ```swift
  /// Promise { try await loop.files.readFile(path).value }.map(\.count)
  /// ```
  ///
  /// There must be a loop on this thread, or the call must be in a handler of a chain: otherwise this stops
  /// the program with a message.
  ///
  /// - Parameters:
  ///   - body: It begins after this has returned, and may use whatever the caller can see.
  ///   - file: Where this is called, for reports in debug builds.
  ///   - line: The line there.
  ///
  /// google/promises' `Promise { try … }`.
  public init(
    file: StaticString = #fileID, line: UInt = #line,
    _ body: nonisolated(nonsending) @escaping () async throws -> T
  ) {
    #if DEBUG
    noticeRequests(T.self, file, line)
    #endif
    let root = Root(file, line)
    node = root
    if let loop = EventLoop.current {
      root.spawn(on: loop, file, line, body)
    } else {
      root.startLater("Promise { try await … }") { root.spawn(on: $0, file, line, body) }
    }
  }
}

extension Root {
  fileprivate func spawn<T>(
    on loop: EventLoop, _ file: StaticString, _ line: UInt,
    _ body: nonisolated(nonsending) @escaping () async throws -> T
  ) {
    let task = loop.spawn(file: file, line: line) { () async -> Void in
      do { self.fulfill(try await body()) } catch { self.reject(error) }
      self.didResolve()
    }
    onCancel = { task.cancel() }
  }
}

extension Guarantee {
  /// Waits for the guarantee in a task of its loop. The task's cancellation does not end the wait, as there
  /// is no error to end it with; but `EventLoop.stop()` doesn't wait for a task that was cancelled here.
  ///
  /// If the guarantee can't be resolved any more, because its resolver was released or because it was an
  /// ``after(_:file:line:)-(Duration,_,_)`` and was cancelled, this stops the program with a message. A task
  /// that was cancelled doesn't return then, and its loop goes on without it. A promise throws an error
  /// instead: `Promise(guarantee).async()`.
  public nonisolated(nonsending) func async() async -> T {
    if let value {
      if EventLoop.spendOnAnswer() { await EventLoop.giveWay() }
      return value
    }
    let outcome: PMKResult<T>
    do { outcome = try await Waiter.request(node, T.self, cancels: false).value } catch {
      return await waitThoughCancelled()
    }
    return outcome.value!
  }

  /// The same for a task that is cancelled already, whose requests aren't started.
  private nonisolated(nonsending) func waitThoughCancelled() async -> T {
    guard let loop = EventLoop.current else { Waiter.stopWithoutLoop() }
    await withUnsafeContinuation { (continuation: UnsafeContinuation<Void, Never>) in
      let waiter = Waiter(for: loop.callingTask) { _ in continuation.resume() }
      waiter.begin(node, loop)
      waiter.giveUp()
    }
    return value!
  }
}

extension Node {
  /// Says where the promise was made, in debug builds. In others nothing is known, and nothing is allocated.
  fileprivate var placeForSnapshot: (() -> String?)? {
    #if DEBUG
    { [self] in site.map { "made at \($0)" } }
    #else
    nil
    #endif
  }
}

/// A task's wait for a promise.
private final class Waiter: Continuation {
  private var done: ((Node?) -> Void)?
  /// The task, if the wait can't fail.
  private let task: LoopTaskBase?

  init(for task: LoopTaskBase? = nil, _ done: @escaping (Node?) -> Void) {
    self.task = task
    self.done = done
  }

  /// The wait as a request, which brings a task's cancellation with it.
  ///
  /// - Parameter cancels: Whether the wait fails with the cancellation.
  static func request<T>(_ node: Node, _ type: T.Type, cancels: Bool) -> Request<PMKResult<T>> {
    guard let loop = EventLoop.current else { stopWithoutLoop() }
    return Request(of: loop) { done in
      let waiter = Waiter(for: cancels ? nil : loop.callingTask) { source in
        done(.success(source?.outcome(as: type) ?? .rejected(PMKError.abandoned)))
      }
      waiter.begin(node, loop)
      return PendingRequest("promise", subject: node.placeForSnapshot) {
        guard cancels, waiter.done != nil else { return waiter.giveUp() }
        if node.hasOneContinuation { return node.cancel() }
        node.remove(waiter, tag: 0)
        waiter.finish(Node.cancelled())
      }
    }
  }

  static func stopWithoutLoop() -> Never {
    fatalError("async() needs the promise's event loop: call it in a task of EventLoop.run or spawn")
  }

  func begin(_ node: Node, _ loop: EventLoop) {
    if node.isHopeless {
      loop.queueMicrotask { [self] in finish(nil) }
    } else {
      node.append(self, tag: 0)
      if node.state != .pending { node.notify() }
    }
  }

  /// Goes on waiting. A loop that is stopped doesn't wait for the task.
  func giveUp() { if done != nil { task?.waitsForGood = true } }

  private func finish(_ source: Node?) {
    guard let done = done.take() else { return }
    if source == nil, let task {
      return task.neverResumes(
        """
        a task awaits a guarantee that can't be resolved any more: its resolver was released, or it was cancelled; \
        resolve it on every path, or await a promise, which throws an error then: Promise(guarantee).async()
        """)
    }
    task?.waitsForGood = false
    done(source)
  }

  override func receive(_ source: Node, tag: Int32) { finish(source) }

  override func abandon(tag: Int32, rest: inout ContiguousArray<ContinuationEntry>) { finish(nil) }
}
