/// Bytes that the system has not yet taken, and who waits for that.
struct PendingWrite {
  enum Waiter {
    case none
    case callback(Completion<Void>)
    // Sound: the result is made and taken on the loop's thread.
    case task(UnsafeContinuation<UnsafeTransfer<Int32>, Never>)

    func resume(_ code: Int32) {
      switch self {
      case .none: break
      case .callback(let done): done(code < 0 ? .failure(failure(code, "write")) : .success(()))
      case .task(let continuation): continuation.resume(returning: UnsafeTransfer(code))
      }
    }
  }

  var bytes: Bytes
  /// What is passed with the bytes; held until libuv is done with it.
  var handle: Handle? = nil
  var waiter: Waiter
  var generation: UInt
  /// Whether the system has taken some of it, so that the rest must follow.
  var isBegun = false
  /// What its waiter is told if that is decided before its request ends: 0 once the system has taken all of it.
  var outcome: Int32?

  /// Tells the waiter of the end of its request, or what was decided before.
  func resume(_ code: Int32) { waiter.resume(outcome ?? code) }
}
