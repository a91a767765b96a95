import CUV

/// A request that is answered once: with its answer, or with its cancellation if that comes first.
///
/// The loop's list of requests owns it while it is under way.
class SingleRequest<Success>: ActiveRequest {
  let operation: String
  private var done: Completion<Success>?

  init(_ loop: EventLoop, _ operation: String, _ done: @escaping Completion<Success>) {
    self.operation = operation
    self.done = done
    super.init(loop: loop)
  }

  /// The path, address or name that the operation is about, for its error.
  var subject: String? { nil }

  override func awaited(slot: UInt, generation: UInt) -> Awaited? {
    isAnswered ? nil : Awaited(operation: operation, subject: subject)
  }

  /// Whether the caller has been told, or is about to be.
  var isAnswered: Bool { done == nil }

  /// Tells the caller that the request cannot be begun, but not on its stack.
  func refuse(_ code: Int32) {
    loop.assertOnLoop()
    guard let done = done.take() else { return }
    let error = failure(code, operation, subject)
    loop.answer { done(.failure(error)) }
  }

  /// Tells the caller of its cancellation, but not on its stack.
  func endCancelled() {
    loop.assertOnLoop()
    guard let done = done.take() else { return }
    let error = failure(UV_ECANCELED.rawValue, operation, subject)
    loop.queueMicrotask { done(.failure(error)) }
  }

  /// Tells the caller; false if it has been told already.
  @discardableResult
  func answer(_ result: () -> Result<Success, UVError>) -> Bool {
    guard let done = done.take() else { return false }
    done(result())
    return true
  }
}

/// A request that the thread pool works on.
class PoolRequest<Success>: SingleRequest<Success> {
  override var isOnPool: Bool { true }

  /// libuv's request.
  let raw: UnsafeMutableRawPointer

  /// - Parameter type: The type of libuv's request.
  init(_ loop: EventLoop, _ operation: String, _ type: (some Any).Type, _ done: @escaping Completion<Success>)
  {
    raw = .allocate(of: type)
    super.init(loop, operation, done)
  }

  deinit { raw.deallocate() }

  /// Starts the work through `call`, which returns libuv's code.
  func submit(_ call: () -> Int32) -> PendingRequest {
    let code = loop.isClosed ? UVError.Code.loopClosed.rawValue : call()
    if code < 0 {
      refuse(code)
      return PendingRequest()
    }
    // The loop's list of requests owns this request until libuv calls back, which happens once.
    loop.requests.insert(self)
    return PendingRequest(self)
  }

  override func cancel(slot: UInt, generation: UInt) {
    if isAnswered { return }
    // Work that has begun runs to its end, and its answer is dropped.
    uv_cancel(cuv_request(raw))
    endCancelled()
  }

  /// Counts the time that the pool has had the request.
  func didRunOnPool() { countTime() }

  /// Called from libuv's callback.
  func finish(_ code: Int32, _ value: () -> Success) {
    loop.callback {
      if code != UV_ECANCELED.rawValue { didRunOnPool() }
      loop.requests.remove(self)
      answer { code < 0 ? .failure(failure(code, operation, subject)) : .success(value()) }
    }
  }
}

extension UnsafeMutableRawPointer {
  fileprivate static func allocate<T>(of _: T.Type) -> UnsafeMutableRawPointer {
    allocate(byteCount: MemoryLayout<T>.size, alignment: MemoryLayout<T>.alignment)
  }
}
