import CUV

/// A request whose answer comes from an asynchronous function, which runs in a task of its own.
final class AnswerRequest<Success: Sendable>: SingleRequest<Success> {
  /// Starts the function.
  ///
  /// - Parameters:
  ///   - body: The function that returns the answer.
  ///   - release: Called in the function's task if nobody waits for the answer any more.
  func start(
    _ body: @escaping @Sendable () async throws(UVError) -> Success,
    release: @escaping @Sendable (Success) async -> Void = { _ in }
  ) -> PendingRequest {
    guard let transfer = enter() else { return PendingRequest() }
    let executor = loop.executor
    Task.detached {
      let result: Result<Success, UVError>
      do throws(UVError) { result = .success(try await body()) } catch { result = .failure(error) }
      let isAnswered = try? await executor.submit { _ in transfer.value.answer(result) }
      if isAnswered != true, case .success(let value) = result { await release(value) }
    }
    return PendingRequest(self)
  }

  /// Ends the waiting; the function itself runs to its end.
  override func cancel(slot: UInt, generation: UInt) {
    if isAnswered { return }
    leave()
    endCancelled()
  }

  /// Hands the answer to the waiting caller; false if nobody waits.
  private func answer(_ result: Result<Success, UVError>) -> Bool {
    if isAnswered { return false }
    leave()
    return answer { result }
  }

  /// Puts the request on its loop; nil if that is closed, which the caller is told.
  private func enter() -> UnsafeTransfer<AnswerRequest>? {
    if loop.isClosed {
      refuse(UVError.Code.loopClosed.rawValue)
      return nil
    }
    loop.requests.insert(self)
    loop.beginWork()
    // Sound: used on the loop's thread alone, by the closure that is sent there.
    return UnsafeTransfer(self)
  }

  /// Takes the request off its loop.
  private func leave() {
    loop.endWork()
    loop.requests.remove(self)
  }
}
