import UV

/// A write or a read that a row of the contract has asked for.
enum Asked {
  case pending(PendingRequest)
  case task(LoopTask<Void, Never>)

  /// Starts a request as the caller would, and notes how it ends.
  ///
  /// - Parameter limit: The request's own timeout.
  static func start<T>(
    _ request: Request<T>, by caller: Combination.Caller, within limit: Duration?,
    _ note: @escaping (Result<T, UVError>) -> Void
  ) -> Asked {
    let request = limit.map { request.timeout(after: $0) } ?? request
    if caller == .callback { return .pending(request.start(note)) }
    return .task(
      request.loop.spawn {
        do throws(UVError) { note(.success(try await request.value)) } catch { note(.failure(error)) }
      })
  }
}
