/// Requests that the modules of this package make of others.
extension Request {
  /// The request for what this one's value is used for. Cancelling it cancels the one that is under way.
  package func then<Next>(_ next: @escaping (Success) -> Request<Next>) -> Request<Next> {
    Request<Next>(of: loop, operation: "connect") { [self] done in
      var pending = PendingRequest()
      var isCancelled = false
      pending = start { result in
        switch result {
        case .failure(let error): done(.failure(error))
        case .success(let value):
          pending = next(value).start(done)
          if isCancelled { pending.cancel() }
        }
      }
      return PendingRequest {
        isCancelled = true
        pending.cancel()
      }
    }
  }

  /// A request whose value is known.
  package static func value(_ loop: EventLoop, _ value: Success) -> Request {
    Request(of: loop) { done in
      loop.queueMicrotask { done(.success(value)) }
      return PendingRequest()
    }
  }

  /// A request that fails.
  package static func failure(_ loop: EventLoop, _ error: UVError) -> Request {
    Request(of: loop) { loop.answer($0, error) }
  }
}

extension EventLoop {
  /// Reports a failure that is known at once, when the caller's stack has been left.
  @discardableResult
  package func answer<Success>(_ done: @escaping Completion<Success>, _ error: UVError) -> PendingRequest {
    queueMicrotask { done(.failure(error)) }
    return PendingRequest()
  }
}
