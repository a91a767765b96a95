/// Something that a ``Pool`` lends: a connection, or an object that has one.
///
/// Every ``ByteStream`` is one. An object of your own passes its calls on to its connection:
///
/// ```swift
/// final class Session: PoolResource {
///   let connection: TCPConnection
///   init(_ connection: TCPConnection) { self.connection = connection }
///   var isReusable: Bool { connection.isReusable }
///   func idling(_ done: @escaping Completion<Void>) -> PendingRequest { connection.idling(done) }
///   func close() -> Request<Void> { connection.close() }
/// }
/// ```
public protocol PoolResource {
  /// Whether somebody else may use the resource now. The pool checks this before each lease and after it, and
  /// closes a resource that isn't reusable. It must be false while an answer is still on its way: the next
  /// user would take that for its own.
  var isReusable: Bool { get }

  /// Waits, while nobody uses the resource, until it has become useless: for example, because the peer has
  /// closed the connection.
  ///
  /// The pool calls this function whenever the resource becomes idle, and cancels the wait before it lends
  /// the resource. The wait shouldn't keep the loop running. There is a default implementation, for a
  /// resource that doesn't know: it never calls `done`.
  ///
  /// - Parameter done: Call it on the loop's thread, after this function has returned, when the resource has
  ///   become useless. Any result counts. A call after the cancellation is ignored.
  /// - Returns: A way to cancel the wait.
  func idling(_ done: @escaping Completion<Void>) -> PendingRequest

  /// Closes the resource, beginning at once. The pool calls it once.
  ///
  /// - Returns: A request that ends when the resource is closed.
  @discardableResult
  func close() -> Request<Void>
}

extension PoolResource {
  /// Never calls `done`.
  public func idling(_ done: @escaping Completion<Void>) -> PendingRequest { PendingRequest() }
}

/// A connection in a pool.
extension ByteStream: PoolResource {
  /// Whether somebody else may use the connection now: it is open in both directions, nothing that has come
  /// is unread, nobody waits for bytes, and nothing waits to be written.
  public var isReusable: Bool {
    isReadable && isWritable && !source.hasEnded && !source.hasDemand && unreadByteCount == 0
      && writesIfAny { $0.isEmpty } ?? true
  }

  /// Waits, while nobody uses the connection, until it has become useless: its peer has ended it, or has sent
  /// something that nobody has asked for.
  ///
  /// The wait is a read that is cancelled before the next use, so it costs nothing, and no byte is lost. It
  /// doesn't keep the loop running, and the stream's timeouts rest. A ``Pool`` uses it.
  ///
  /// - Returns: A request that succeeds when the connection is of no more use, and fails with the error of a
  ///   read.
  ///
  /// The corresponding libuv function is `uv_read_start`.
  public func idling() -> Request<Void> { Request(of: loop) { [self] in idling($0) } }

  /// Waits until the connection has become useless; see ``idling()``.
  ///
  /// - Parameter done: Called once on the loop's thread, never before this function returns.
  /// - Returns: A way to cancel.
  ///
  /// The corresponding libuv function is `uv_read_start`.
  @discardableResult
  public func idling(_ done: @escaping Completion<Void>) -> PendingRequest {
    // A chosen value stays, as after any other use of the connection.
    let keepsLoopRunning = keepsLoopRunning
    if keepsLoopRunning { self.keepsLoopRunning = false }
    var isWaiting = true
    block.header.pointee.activity.insert(.idling)
    func restore() {
      guard isWaiting else { return }
      isWaiting = false
      if keepsLoopRunning { self.keepsLoopRunning = true }
      letGo(.idling)
    }
    let pending = next { result in
      restore()
      done(result.map { _ in () })
    }
    return PendingRequest("idling") {
      restore()
      pending.cancel()
    }
  }
}

/// The use of a resource of a ``Pool``, until you give it back. Use it on the loop's thread.
///
/// A lease that is dropped without an end is a mistake of the program. Nobody knows then what state the
/// resource is in. So the pool closes it, lends another one, and counts that in ``PoolCounts/dropped``. You
/// may drop the last reference on any thread.
public final class PoolLease<Resource: PoolResource> {
  /// The resource that is lent. Don't use it after the lease's end.
  public let resource: Resource

  private let core: PoolCore<Resource>
  private let number: UInt
  private var hasEnded = false

  init(_ core: PoolCore<Resource>, _ entry: PoolEntry<Resource>) {
    self.core = core
    resource = entry.resource
    number = entry.number
  }

  deinit {
    if hasEnded { return }
    let number = number
    core.reference.perform { $0.leaseWasDropped(number) }
  }

  /// Gives the resource back for others. If it isn't ``PoolResource/isReusable``, it is closed. Calling this
  /// function again, or after ``discard()``, does nothing. Complexity: O(1).
  public func giveBack() { end(isBroken: false) }

  /// Closes the resource: after an error, its next user might get what was meant for this one. The pool
  /// creates another one when somebody asks.
  public func discard() { end(isBroken: true) }

  private func end(isBroken: Bool) {
    core.loop.requireOnLoop("giveBack()")
    if hasEnded { return }
    hasEnded = true
    core.giveBack(number, isBroken: isBroken)
  }
}
