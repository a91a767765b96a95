extension Request {
  /// Starts the request and waits for its answer, on the loop.
  ///
  /// If the task is cancelled, so is the request, and this throws `cancelled`; in a task that is cancelled already
  /// nothing is started.
  ///
  /// - Throws: What the request fails with.
  @inlinable
  public var value: Success {
    get async throws(UVError) {
      let waiter = RequestWaiter(self)
      return try await waiter.wait()
    }
  }
}

extension Request where Success == Void {
  /// Starts the request and waits for its end, on the loop. A write that the system takes at once does not suspend.
  ///
  /// If the task is cancelled, so is the request, and this throws `cancelled`; in a task that is cancelled already
  /// nothing is started.
  ///
  /// - Throws: What the request fails with.
  @inlinable
  public var value: Void {
    get async throws(UVError) {
      switch body {
      case .write(let stream, let bytes, _): try await stream.writeAndWait(bytes)
      case .start: try await RequestWaiter(self).wait()
      }
    }
  }
}

/// The place where a task and the request that it waits for meet; on the loop's thread, but for the cancellation.
@usableFromInline
final class RequestWaiter<Success> {
  private let request: Request<Success>
  private var pending: PendingRequest?
  private var result: Result<Success, UVError>?
  private var continuation: UnsafeContinuation<Void, Never>?

  @usableFromInline
  init(_ request: Request<Success>) { self.request = request }

  @usableFromInline
  nonisolated(nonsending) func wait() async throws(UVError) -> Success {
    if Task.isCancelled { throw UVError(.cancelled, operation: "await") }
    pending = request.start { [self] result in
      self.result = result
      continuation.take()?.resume()
    }
    // Sound: the handler touches the waiter only on the loop's thread.
    let transfer = UnsafeTransfer(self)
    let executor = request.loop.executor
    await withTaskCancellationHandler {
      if result != nil { return }
      await withUnsafeContinuation { continuation = $0 }
    } onCancel: {
      if executor.isOnLoop {
        transfer.value.pending?.cancel()
      } else {
        try? executor.execute { _ in transfer.value.pending?.cancel() }
      }
    }
    pending = nil
    return try result!.get()
  }
}
