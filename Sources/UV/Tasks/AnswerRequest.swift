/// A request whose answer comes from an asynchronous function, which runs in a task of its own. Cancelling it ends
/// the waiting; the function itself runs to its end.
final class AnswerRequest<Success: Sendable>: OutsideRequest<Success> {
  /// Starts the function.
  ///
  /// - Parameters:
  ///   - body: The function that returns the answer.
  ///   - release: Called in the function's task if nobody waits for the answer any more.
  func start(
    _ body: @escaping @Sendable () async throws(UVError) -> Success,
    release: @escaping @Sendable (Success) async -> Void = { _ in }
  ) -> PendingRequest {
    guard begin() else { return PendingRequest() }
    // Sound: used on the loop's thread alone, by the closure that is sent there.
    let transfer = UnsafeTransfer(self)
    let executor = loop.executor
    Task.detached {
      let result: Result<Success, UVError>
      do throws(UVError) { result = .success(try await body()) } catch { result = .failure(error) }
      let isAnswered = try? await executor.submit { _ in transfer.value.finish(result) }
      if isAnswered != true, case .success(let value) = result { await release(value) }
    }
    return pending
  }
}
