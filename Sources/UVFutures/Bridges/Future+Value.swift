#if canImport(Combine) || Futures || Everything
import UV

extension Future {
  /// Waits for the result, on the future's thread; does not suspend if it is there.
  ///
  /// If the task is cancelled, it stops waiting where the failure can say so: with `CancellationError` if
  /// that is `any Error`, with `cancelled` if it is `UVError`. A future of another failure, or of none, is
  /// waited for. In any case work that nobody else waits for is cancelled, as it is when the last subscriber
  /// cancels. Where there is no such work, `EventLoop.stop()` does not wait for a task that was cancelled
  /// here, unless that is the body of `run`, whose value has to be waited for.
  ///
  /// If the future's promise is released before it is called, no result can come. Where the failure can say so,
  /// this throws `abandoned`, a `UVError`. Otherwise it stops the program with a message; a task that was
  /// cancelled doesn't return then, and its loop goes on without it.
  ///
  /// - Throws: What the future fails with.
  public var value: Output {
    get async throws(Failure) {
      if gate == nil, let outcome {
        if EventLoop.spendOnAnswer() { await EventLoop.giveWay() }
        return try outcome.get()
      }
      return try await waitForResult().get()
    }
  }

  fileprivate nonisolated(nonsending) func waitForResult() async -> Result<Output, Failure> {
    guard let loop = EventLoop.current else { return await waitWithoutEnd(nil) }
    guard let cancellation = Self.cancellation else { return await waitWithoutEnd(loop.executor) }
    do throws(UVError) {
      return try await Request<Result<Output, Failure>>(of: loop) { done in
        var isStarting = true
        // A result and a cancellation may come in the same turn: who comes first takes it.
        var waiting: Completion<Result<Output, Failure>>? = done
        let waiter = FutureWaiter<Output, Failure>()
        waiter.wait(for: self) { settlement in
          guard let settlement = settlement ?? Self.abandonment.map({ .failure($0) }) else { return }
          // Work that starts when somebody waits may end at once; a request never does.
          if isStarting {
            loop.queueMicrotask { waiting.take()?(.success(settlement)) }
          } else {
            waiting.take()?(.success(settlement))
          }
        }
        isStarting = false
        return PendingRequest("future") {
          waiter.cancel()
          loop.queueMicrotask { waiting.take()?(.failure(UVError(.cancelled, operation: "await"))) }
        }
      }
      .value
    } catch {
      // The task may have been cancelled before it could wait.
      if let gate { gate.run { [self] in cancelWorkUnlessNeeded() } } else { cancelWorkUnlessNeeded() }
      return .failure(cancellation)
    }
  }

  /// Waits whatever happens to the task; cancelling that can only cancel the work. Where there is no work to
  /// cancel, a loop that is stopped does not wait for the task.
  private nonisolated(nonsending) func waitWithoutEnd(
    _ executor: LoopExecutor?
  ) async -> Result<Output, Failure> {
    let waiter = FutureWaiter<Output, Failure>()
    waiter.task = EventLoop.current?.callingTask
    // Sound: the handler touches the waiter only on the loop's thread, and the result stays there.
    let transfer = UnsafeTransfer(waiter)
    let result = await withTaskCancellationHandler {
      await withUnsafeContinuation { (continuation: UnsafeContinuation<UnsafeTransfer<_>, Never>) in
        waiter.wait(for: self) { result in
          if let result {
            continuation.resume(returning: UnsafeTransfer(result))
          } else {
            waiter.task?.neverResumes(
              """
              a task awaits the value of a future whose promise was released before it was called: call the promise on \
              every path, or give the future a failure that can say so, such as any Error or UVError
              """)
          }
        }
        if Task.isCancelled { waiter.giveUp() }
      }
    } onCancel: {
      guard let executor else { return }
      if executor.isOnLoop { return transfer.value.giveUp() }
      try? executor.execute { _ in transfer.value.giveUp() }
    }
    waiter.task?.waitsForGood = false
    return result.value
  }

  /// The error that says that the wait was given up, if there is one of the future's failure type.
  private static var cancellation: Failure? {
    (CancellationError() as? Failure) ?? (UVError(.cancelled, operation: "await") as? Failure)
  }

  /// The error that says that no result can come, if there is one of the future's failure type.
  private static var abandonment: Failure? { UVError(.abandoned, operation: "await") as? Failure }
}

extension Future where Failure == Never {
  /// Waits for the value of a future that cannot fail, on the future's thread; does not suspend if it is
  /// there.
  ///
  /// Cancelling the task that waits does not end the wait, since nothing could be returned; it cancels work
  /// that nobody else waits for.
  public var value: Output {
    get async {
      if gate == nil, let outcome {
        if EventLoop.spendOnAnswer() { await EventLoop.giveWay() }
        return outcome.get()
      }
      return await waitForResult().get()
    }
  }
}

/// A subscriber that hears how a future ends.
final class FutureWaiter<Output, Failure: Error> {
  private var finish: ((Result<Output, Failure>?) -> Void)?
  private var link: Link?
  /// The loop's task that waits, if it is one.
  var task: LoopTaskBase?

  /// - Parameter finish: Called once, with nil if no result can come.
  func wait(for future: Future<Output, Failure>, _ finish: @escaping (Result<Output, Failure>?) -> Void) {
    self.finish = finish
    Downstream<Output, Failure>(self, height: 0) { [self] signal in
      switch signal {
      case .subscription(let link):
        self.link = link
        link.request(.max(1))
      case .value(let output): end(.success(output))
      // It follows the value, but for a future that nobody can resolve.
      case .completion(.finished): if self.finish != nil { end(nil) }
      case .completion(.failure(let error)): end(.failure(error))
      }
      return .none
    }
    .attach(to: future)
    if future.isForsaken, !future.isSettled { end(nil) }
  }

  private func end(_ result: Result<Output, Failure>?) {
    let finish = finish
    self.finish = nil
    link = nil
    finish?(result)
  }

  /// Goes on waiting, but not for its own sake.
  func giveUp() {
    guard let link = link as? FutureSubscription<Output, Failure> else { return }
    let hasWork = link.future?.cancelWork != nil
    link.giveUp()
    if !hasWork, finish != nil { task?.waitsForGood = true }
  }

  func cancel() {
    finish = nil
    link?.cancel()
    link = nil
  }
}

extension Future {
  /// Creates a future of what an asynchronous operation returns or throws.
  ///
  /// ```swift
  /// func modelPublisher(for url: URL) -> Future<Model, any Error> {
  ///   Future { try await loadModel(from: url) }
  /// }
  /// ```
  ///
  /// The operation runs once, in a task on the current event loop that starts when the caller gives way,
  /// whether or not anybody subscribes. It shares the loop's thread, so it may use whatever the caller can
  /// see. When the last subscriber cancels, the task is cancelled.
  ///
  /// - Parameter operation: What to do. If it cannot throw, neither can the future fail; if it says what it
  ///   throws, that is how the future fails.
  ///
  /// There must be a current loop: outside one this stops the program with a message.
  ///
  /// Combine's `Future`, Swift's `Task`.
  public convenience init(operation: nonisolated(nonsending) @escaping () async throws(Failure) -> Output) {
    #if DEBUG
    noticeRequests(Output.self, "Future { … }", "write `try await request.value`")
    #endif
    let loop = EventLoop.needed(for: "Future(operation:)")
    self.init()
    let task = loop.spawn {
      do throws(Failure) { self.settle(.success(try await operation())) } catch {
        self.settle(.failure(error))
      }
    }
    // Not if it has been settled already: a loop may run tasks at once.
    if !isSettled { cancelWork = { task.cancel() } }
  }
}
#endif
