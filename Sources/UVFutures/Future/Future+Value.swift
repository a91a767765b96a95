import UV

extension Future {
  /// Waits for the result, on the future's thread.
  ///
  /// If the task is cancelled, it stops waiting where the failure can say so: with `CancellationError` if that is
  /// `any Error`, with `cancelled` if it is `UVError`. A future of another failure, or of none, is waited for. In
  /// any case work that nobody else waits for is cancelled, as it is when the last subscriber cancels.
  ///
  /// - Throws: What the future fails with.
  ///
  /// Combine's `Future.value`.
  public var value: Output {
    get async throws(Failure) {
      let waiter = FutureWaiter<Output, Failure>()
      return try await waiter.wait(for: self)
    }
  }
}

extension Future where Failure == Never {
  /// Waits for the value of a future that cannot fail, on the future's thread.
  ///
  /// Cancelling the task that waits does not end the wait, since nothing could be returned; it cancels work that
  /// nobody else waits for.
  ///
  /// Combine's `Future.value`.
  public var value: Output {
    get async {
      let waiter = FutureWaiter<Output, Never>()
      return await waiter.wait(for: self)
    }
  }
}

/// The place where a task and the future that it waits for meet. On the future's thread, but for the cancellation.
private final class FutureWaiter<Output, Failure: Error> {
  private var outcome: Settlement<Output, Failure>?
  private var continuation: UnsafeContinuation<Void, Never>?
  private var link: Link?
  private weak var future: Future<Output, Failure>?

  nonisolated(nonsending) func wait(for future: Future<Output, Failure>) async throws(Failure) -> Output {
    self.future = future
    subscribe(to: future)
    if outcome == nil {
      // Sound: the handler touches the waiter only on the loop's thread.
      let transfer = UnsafeTransfer(self)
      let executor = EventLoop.current?.executor
      await withTaskCancellationHandler {
        if outcome != nil { return }
        await withUnsafeContinuation { continuation = $0 }
      } onCancel: {
        guard let executor else { return }
        if executor.isOnLoop { return transfer.value.cancel() }
        try? executor.execute { _ in transfer.value.cancel() }
      }
    }
    link = nil
    switch outcome! {
    case .value(let output): return output
    case .failure(let error): throw error
    case .completed, .cancelled:
      if let error = Self.cancellation { throw error }
      // No failure can say it, so this waits as it would for a promise that is never called.
      await withUnsafeContinuation { (_: UnsafeContinuation<Void, Never>) in }
      fatalError("a continuation that is never resumed has been")
    }
  }

  /// The error that says that the wait was given up, if there is one of the future's failure type.
  private static var cancellation: Failure? {
    (CancellationError() as? Failure) ?? (UVError(.cancelled, operation: "await") as? Failure)
  }

  private func subscribe(to future: Future<Output, Failure>) {
    Downstream<Output, Failure>(self, height: 0) { [self] signal in
      switch signal {
      case .subscription(let link):
        self.link = link
        link.request(.max(1))
      case .value(let output): finish(.value(output))
      case .completion(.finished): finish(.completed)
      case .completion(.failure(let error)): finish(.failure(error))
      }
      return .none
    }
    .attach(to: future)
  }

  private func finish(_ outcome: Settlement<Output, Failure>) {
    guard self.outcome == nil else { return }
    self.outcome = outcome
    continuation.take()?.resume()
  }

  private func cancel() {
    guard outcome == nil else { return }
    if let error = Self.cancellation {
      let link = link
      finish(.failure(error))
      link?.cancel()
    } else {
      future?.cancelWorkIfAlone()
    }
  }
}

extension Optional {
  /// The value, leaving nil in its place.
  mutating func take() -> Wrapped? {
    let value = self
    self = nil
    return value
  }
}
