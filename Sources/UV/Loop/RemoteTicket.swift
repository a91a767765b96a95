import Synchronization

/// A message to a loop that is an object and needs no closure.
@usableFromInline
// Sound: each subclass says why.
package class LoopMessage: @unchecked Sendable {
  /// Called once on the loop's thread.
  func arrive(on loop: EventLoop) {}
}

/// Carries an object of a loop, such as a promise, to other threads and back. Meanwhile it retains the object
/// and keeps the loop running. The object is used and released on the loop's thread only.
@usableFromInline
// Sound: the object is touched on the loop's thread only. `body` is touched by the thread that has claimed
// the ticket, until it sends the ticket.
package final class RemoteTicket: LoopMessage, @unchecked Sendable {
  private let executor: LoopExecutor
  private var object: AnyObject?
  private var body: ((AnyObject) -> Void)?
  private let isClaimed = Atomic(false)
  /// Whether it keeps the loop running. Set on the loop's thread, while something there holds the ticket.
  private var isKeeping = true

  /// Creates a ticket for `object`; on the loop's thread.
  @usableFromInline
  package init(_ object: AnyObject, of loop: EventLoop) {
    executor = loop.executor
    self.object = object
    super.init()
    loop.beginWork()
  }

  /// A ticket for `object` that doesn't keep the loop running yet, because the work may be complete before
  /// the caller returns. On the loop's thread. The caller must then call ``keepOrReturn()``.
  @usableFromInline
  package static func deferred(_ object: AnyObject, of loop: EventLoop) -> RemoteTicket {
    guard let ticket = loop.spareTicket.take() else { return RemoteTicket(deferred: object, loop.executor) }
    ticket.object = object
    return ticket
  }

  private init(deferred object: AnyObject, _ executor: LoopExecutor) {
    self.executor = executor
    self.object = object
    isKeeping = false
    super.init()
  }

  /// Makes the ticket keep the loop running. If the ticket has been used already and nothing else holds it,
  /// it is stored for the next use instead.
  @usableFromInline
  package static func keepOrReturn(_ ticket: consuming RemoteTicket, _ loop: EventLoop) {
    var ticket: RemoteTicket? = ticket
    if ticket!.object != nil {
      ticket!.isKeeping = true
      loop.beginWork()
    } else if isKnownUniquelyReferenced(&ticket) {
      ticket!.isClaimed.store(false, ordering: .relaxed)
      loop.spareTicket = ticket
    }
  }

  private func stopKeeping() { if isKeeping { executor.endWork() } }

  deinit {
    // If `object` is still there, the ticket hasn't been used, or the loop has ended.
    guard let object else { return }
    if executor.isOnLoop { stopKeeping() } else { _ = executor.send(ObjectReturn(object)) }
  }

  /// Whether the caller is the first to ask. Only the first may complete the ticket.
  @usableFromInline
  package func claim() -> Bool { !isClaimed.exchange(true, ordering: .relaxed) }

  /// Calls `body` with the object on the loop's thread. The caller has claimed the ticket, and calls this
  /// once. `body` is dropped if the loop has ended.
  @usableFromInline
  package func complete(_ body: @escaping (AnyObject) -> Void) {
    self.body = body
    _ = executor.send(self)
  }

  /// Calls `body` with the object at once if this is the loop's thread, even after the loop's end; otherwise
  /// as ``complete(_:)``.
  @usableFromInline
  package func completeNow(_ body: @escaping (AnyObject) -> Void) {
    guard executor.isOnLoop else { return complete(body) }
    stopKeeping()
    if let object = object.take() { body(object) }
  }

  /// Takes the object, so that the caller, who has claimed the ticket, can use it at once. Returns nil on
  /// other threads than the loop's.
  @usableFromInline
  package func takeNow() -> AnyObject? {
    guard executor.isOnLoop else { return nil }
    stopKeeping()
    return object.take()
  }

  override func arrive(on loop: EventLoop) {
    // A ticket that was sent before ``keepOrReturn()`` arrives after it.
    loop.endWork()
    if let body = body.take(), let object = object.take() { body(object) }
  }
}

/// Brings the object of a ticket that nobody used back to the loop.
// Sound: touched on the loop's thread only, unless the loop has ended.
private final class ObjectReturn: LoopMessage, @unchecked Sendable {
  private var object: AnyObject?

  init(_ object: AnyObject) { self.object = object }

  override func arrive(on loop: EventLoop) {
    loop.endWork()
    object = nil
  }
}
