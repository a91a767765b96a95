import CUV

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
    // On another thread the answer might come before the request is in the list.
    loop.requireOnLoop("a request of an event loop")
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
    if uv_cancel(cuv_request(raw)) != 0 { loop.work.givenUp.begin(on: loop) }
    endCancelled()
  }

  override var givenUp: Awaited? { isAnswered ? Awaited(operation: operation, subject: subject) : nil }

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
