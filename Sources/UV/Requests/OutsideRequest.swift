/// A request that is worked on outside the loop: by another module, or by a task. It keeps the loop running until
/// it is answered, or is cancelled, which the loop's end does too.
package class OutsideRequest<Success>: SingleRequest<Success> {
  private let about: String?
  private var onCancel: (() -> Void)?

  /// - Parameters:
  ///   - operation: The operation, for the errors and for snapshots.
  ///   - subject: The name or the address that it is about.
  package init(
    _ loop: EventLoop, _ operation: String, subject: String? = nil, _ done: @escaping Completion<Success>
  ) {
    about = subject
    super.init(loop, operation, done)
  }

  override package final var subject: String? { about }

  /// Puts the request on its loop; false if that is closed, which the caller gets as an error.
  ///
  /// - Parameter onCancel: Called once if nobody waits for the answer any more. It must not answer.
  package final func begin(onCancel: @escaping () -> Void = {}) -> Bool {
    if loop.isClosed {
      refuse(UVError.Code.loopClosed.rawValue)
      return false
    }
    self.onCancel = onCancel
    loop.requests.insert(self)
    loop.beginWork()
    return true
  }

  /// The way to cancel the request, once it has begun.
  package final var pending: PendingRequest { PendingRequest(self) }

  /// Hands the answer to the waiting caller; false if nobody waits. Not on the caller's stack.
  @discardableResult
  package final func finish(_ result: Result<Success, UVError>) -> Bool {
    if isAnswered { return false }
    leave()
    return answer { result }
  }

  override package final func cancel(slot: UInt, generation: UInt) {
    if isAnswered { return }
    let onCancel = onCancel
    leave()
    endCancelled()
    onCancel?()
  }

  private func leave() {
    onCancel = nil
    loop.endWork()
    loop.requests.remove(self)
  }
}
