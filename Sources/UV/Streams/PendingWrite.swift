/// Bytes that the system has not yet taken, and the waiter for that.
struct PendingWrite {
  enum Waiter {
    case none
    case callback(Completion<Void>)
    // Sound: the result is made and taken on the loop's thread.
    case task(UnsafeContinuation<UnsafeTransfer<Int32>, Never>)

    /// Tells of an error. A task gets the code alone, and knows what it stands for.
    func resume(_ error: UVError) {
      if case .callback(let done) = self { done(.failure(error)) } else { resume(error.code.rawValue) }
    }

    func resume(_ code: Int32) {
      switch self {
      case .none: break
      case .callback(let done): done(code < 0 ? .failure(failure(code, "write")) : .success(()))
      case .task(let continuation): continuation.resume(returning: UnsafeTransfer(code))
      }
    }
  }

  var bytes: Bytes
  /// The handle that is passed with the bytes. It is retained until libuv is done with it.
  var handle: Handle? = nil
  var waiter: Waiter
  var generation: UInt
  /// The waiter's outcome if it is known before libuv's request ends: 0 once the system has taken all bytes.
  var outcome: Int32?

  /// Tells the waiter the outcome: the one that was known before, or `code`, with which its request ended.
  func resume(_ code: Int32) { waiter.resume(outcome ?? code) }

  /// Tells the waiter the outcome that was known before, or an error.
  func resume(_ error: UVError) {
    if let outcome { waiter.resume(outcome) } else { waiter.resume(error) }
  }
}
