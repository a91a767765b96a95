import Synchronization

/// Something sent to a loop as an object, which takes no closure.
@usableFromInline
// Sound: a subclass says why.
package class LoopMessage: @unchecked Sendable {
  /// Called once on the loop's thread.
  func arrive(on loop: EventLoop) {}
}

/// Carries an object of a loop's, such as a promise, to other threads and back: holds on to it there, keeps the loop
/// running meanwhile, and has it dealt with, and let go of, on the loop's thread.
@usableFromInline
// Sound: the object is touched on the loop's thread only, and `body` by whoever has claimed the ticket, until then.
package final class RemoteTicket: LoopMessage, @unchecked Sendable {
  private let executor: LoopExecutor
  private var object: AnyObject?
  private var body: ((AnyObject) -> Void)?
  private let isClaimed = Atomic(false)
  /// Whether it keeps the loop running. Set on the loop's thread, while somebody there holds the ticket.
  private var isKeeping = true

  /// A ticket for `object`; on the loop's thread.
  @usableFromInline
  package init(_ object: AnyObject, of loop: EventLoop) {
    executor = loop.executor
    self.object = object
    super.init()
    loop.beginWork()
  }

  /// A ticket for `object` that does not keep the loop running yet, for what may be complete before the caller returns; on
  /// the loop's thread. ``keepOrReturn()`` is to follow.
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

  /// Has the ticket keep the loop running; or, if it has been used and nobody else holds it, keeps it for the next.
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
    // Nobody has used it, unless the loop has ended.
    guard let object else { return }
    if executor.isOnLoop { stopKeeping() } else { _ = executor.send(ObjectReturn(object)) }
  }

  /// Whether the caller is the first to ask, and so the one who may complete.
  @usableFromInline
  package func claim() -> Bool { !isClaimed.exchange(true, ordering: .relaxed) }

  /// Has `body` called with the object on the loop's thread; once, by whoever has claimed the ticket. Dropped if the
  /// loop has ended.
  @usableFromInline
  package func complete(_ body: @escaping (AnyObject) -> Void) {
    self.body = body
    _ = executor.send(self)
  }

  /// The same, but on the loop's thread at once, also after its end.
  @usableFromInline
  package func completeNow(_ body: @escaping (AnyObject) -> Void) {
    guard executor.isOnLoop else { return complete(body) }
    stopKeeping()
    if let object = object.take() { body(object) }
  }

  /// The object, to be dealt with at once by whoever has claimed the ticket; nil on other threads than the loop's.
  @usableFromInline
  package func takeNow() -> AnyObject? {
    guard executor.isOnLoop else { return nil }
    stopKeeping()
    return object.take()
  }

  override func arrive(on loop: EventLoop) {
    // What was sent before it was kept arrives after that.
    loop.endWork()
    if let body = body.take(), let object = object.take() { body(object) }
  }
}

/// Brings the object of a ticket back that nobody used.
// Sound: touched on the loop's thread only, unless the loop has ended.
private final class ObjectReturn: LoopMessage, @unchecked Sendable {
  private var object: AnyObject?

  init(_ object: AnyObject) { self.object = object }

  override func arrive(on loop: EventLoop) {
    loop.endWork()
    object = nil
  }
}
