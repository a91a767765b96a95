import CUV

/// A request that the thread pool works on, and that is answered once: with its answer, or with its cancellation if
/// that comes first.
class PoolRequest<Success>: ActiveRequest {
  private let operation: String
  private let subject: String?
  private var done: Completion<Success>?

  init(
    _ loop: EventLoop, _ operation: String, subject: String? = nil, _ done: @escaping Completion<Success>
  ) {
    self.operation = operation
    self.subject = subject
    self.done = done
    super.init(loop: loop)
  }

  /// libuv's request.
  var raw: UnsafeMutableRawPointer { fatalError("a subclass has it") }

  /// Starts the work through `call`.
  func submit(_ call: () -> Int32) -> PendingRequest {
    let code = loop.isClosed ? UVError.Code.loopClosed.rawValue : call()
    if code < 0 {
      fail(code)
      return PendingRequest()
    }
    // The loop's list of requests owns it until libuv calls back, which it does once.
    loop.requests.insert(self)
    return PendingRequest(self)
  }

  override func cancel(slot: UInt, generation: UInt) {
    guard done != nil else { return }
    // What has begun runs to its end, and its answer comes to nobody.
    uv_cancel(cuv_request(raw))
    fail(UV_ECANCELED.rawValue)
  }

  private func fail(_ code: Int32) {
    guard let done = done.take() else { return }
    let error = failure(code, operation, subject)
    loop.tell(code) { done(.failure(error)) }
  }

  /// Called from libuv's callback.
  func finish(_ code: Int32, _ value: () -> Success) {
    loop.beginCallback()
    loop.requests.remove(self)
    done.take()?(code < 0 ? .failure(failure(code, operation, subject)) : .success(value()))
    loop.endCallback()
  }
}
