/// An answer that comes from other threads, by an asynchronous function that runs in a task of its own there.
final class AnswerRequest<Success: Sendable>: ActiveRequest {
  private let operation: String
  private var done: Completion<Success>?

  init(_ loop: EventLoop, _ operation: String, _ done: @escaping Completion<Success>) {
    self.operation = operation
    self.done = done
    super.init(loop: loop)
  }

  func start(_ body: @escaping @Sendable () async -> Success) -> PendingRequest {
    loop.requests.insert(self)
    loop.beginWork()
    // Sound: used on the loop's thread alone, by what is sent there.
    let transfer = UnsafeTransfer(self)
    let executor = loop.executor
    Task.detached {
      let value = await body()
      try? executor.execute { _ in transfer.value.finish()?(.success(value)) }
    }
    return PendingRequest(self)
  }

  /// Nobody waits any more; the function itself runs to its end.
  override func cancel(slot: UInt, generation: UInt) {
    guard let done = finish() else { return }
    let error = UVError(.cancelled, operation: operation)
    loop.queueMicrotask { done(.failure(error)) }
  }

  /// Takes the request off its loop; nil if that has been done.
  private func finish() -> Completion<Success>? {
    guard let done = done.take() else { return nil }
    loop.endWork()
    loop.requests.remove(self)
    return done
  }
}
