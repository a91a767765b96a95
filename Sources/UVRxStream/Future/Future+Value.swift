public import UV

extension Request {
  /// Starts the request now, and returns its result as a future. It isn't called `future()`, so that a
  /// program may have files that import `UVFutures`, and others that import this module.
  ///
  /// RxStream's `Future`.
  public func streamFuture() -> Future<Success, UVError> {
    let future = Future<Success, UVError>()
    _ = start({ future.settle(Settlement($0)) }, void: { future.settle(Settlement($0.typed())) })
    return future
  }
}

extension Future {
  /// Waits for the result, on the loop's thread. If the task is cancelled, it stops waiting; the future's
  /// work goes on.
  ///
  /// There must be a current loop: outside one this stops the program with a message.
  ///
  /// - Throws: What the future fails with; `cancelled` if it is cancelled or ends without a value, and if the
  ///   task is cancelled.
  public final var value: Output {
    get async throws {
      let loop = EventLoop.needed(for: "Future.value")
      let settlement = try await Request<Settlement<Output, Failure>>(of: loop) { [self] done in
        var waiting: Completion<Settlement<Output, Failure>>? = done
        attach({ settlement in waiting.take()?(.success(settlement)) }, for: StreamNode<Output, Failure>())
        return PendingRequest("future") {
          loop.queueMicrotask { waiting.take()?(.failure(UVError(.cancelled, operation: "await"))) }
        }
      }
      .value
      switch settlement {
      case .value(let value): return value
      case .failure(let error): throw error
      case .completed, .cancelled: throw UVError(.cancelled, operation: "await")
      }
    }
  }
}
