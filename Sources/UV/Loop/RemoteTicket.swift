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

  /// A ticket for `object`; on the loop's thread.
  @usableFromInline
  package init(_ object: AnyObject, of loop: EventLoop) {
    executor = loop.executor
    self.object = object
    super.init()
    loop.beginWork()
  }

  deinit {
    // Nobody has used it, unless the loop has ended.
    guard let object else { return }
    if executor.isOnLoop { executor.endWork() } else { _ = executor.send(ObjectReturn(object)) }
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
    executor.endWork()
    if let object = object.take() { body(object) }
  }

  override func arrive(on loop: EventLoop) {
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
