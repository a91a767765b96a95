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

/// Room for how a request, a promise or a future ended, inside an object, for code with the type, and for the
/// functions of a request to another loop: up to four words are kept in place, larger ones in a block of their own.
///
/// Not a field of that type: to destroy one, a generic class first looks the type up at run time.
@usableFromInline
package struct OutcomeStorage {
  @usableFromInline var words: (UInt, UInt, UInt, UInt) = (0, 0, 0, 0)

  @inlinable
  package init() {}

  /// Whether values of the type are kept in place.
  @inlinable @inline(__always)
  package static func holds<T>(_ type: T.Type) -> Bool {
    MemoryLayout<T>.size <= MemoryLayout<OutcomeStorage>.size
      && MemoryLayout<T>.alignment <= MemoryLayout<OutcomeStorage>.alignment
  }

  /// Where the outcome is that has been stored.
  @inlinable @inline(__always)
  package mutating func pointer<T>(to type: T.Type) -> UnsafeMutablePointer<T> {
    if !OutcomeStorage.holds(type) { return UnsafeMutablePointer(bitPattern: words.0)! }
    // Sound: the memory is that of the object which this is in, and lives as long as that.
    return withUnsafeMutablePointer(to: &words) { UnsafeMutableRawPointer($0).assumingMemoryBound(to: type) }
  }

  /// Puts an outcome into the storage, which is empty.
  @inlinable @inline(__always)
  package mutating func store<T>(_ outcome: consuming T) {
    if !OutcomeStorage.holds(T.self) {
      words.0 = UInt(bitPattern: UnsafeMutablePointer<T>.allocate(capacity: 1))
    }
    pointer(to: T.self).initialize(to: outcome)
  }

  /// Takes the outcome out, once.
  @inlinable @inline(__always)
  package mutating func take<T>(_ type: T.Type) -> T {
    let place = pointer(to: type)
    defer { if !OutcomeStorage.holds(type) { place.deallocate() } }
    return place.move()
  }
}
