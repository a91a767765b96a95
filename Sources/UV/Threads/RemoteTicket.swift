import CUV
import Synchronization

/// An object of a loop's that somebody answers by hand, on whatever thread: a pending promise or future.
@usableFromInline
package protocol Answerable: AnyObject {
  /// Its place among the objects that its loop runs on for, -1 while it isn't there. The loop keeps it.
  var waitingPlace: Int32 { get set }

  /// Whether its loop is to run until there is an answer: not once it has been settled or cancelled.
  var keepsLoopRunning: Bool { get }

  /// Is notified that no answer will come: nobody is left who could give it, or the loop ends.
  func forsake()

  /// The object's name on standard error if the loop ends without an answer, in debug builds; nil for an
  /// object that reports its loss itself.
  var nameIfForsaken: String? { get }
}

extension Answerable {
  @usableFromInline package var nameIfForsaken: String? { nil }
}

/// The right to answer for one object of a loop's, such as a promise, on any thread. Code that may answer
/// holds it.
///
/// The ticket holds the object. While it does and the turn in which it was opened is over, it keeps the loop
/// running. The object is dealt with, and let go of, on the loop's thread; if the last reference to the
/// ticket goes before there is an answer, the object is answered there. So what is used on the loop's thread
/// needs no lock.
///
/// Tickets that have been answered and let go are used again; see ``TicketPool``.
@usableFromInline
// Sound: what changes is touched on the loop's thread only, but for `body`, which belongs to the thread that
// has claimed the ticket until the loop has it.
package final class RemoteTicket: LoopMessage, @unchecked Sendable {
  /// Where an object was made that was not made on a loop.
  private enum Origin {
    /// A thread without a loop.
    case thread(UInt)
    /// A handler that runs elsewhere.
    case batch(LoopBatch)
  }

  /// Nil for an object that was not made on a loop.
  private let executor: LoopExecutor?
  // Sound: retained here, and released where it is taken out.
  private var object: Unmanaged<AnyObject>?
  /// The object again, if it is to be notified. The runtime would take 450 instructions to find out what it is.
  // Sound: used only while the object is held.
  private unowned(unsafe) var notified: (any Answerable)?
  private var body: ((AnyObject) -> Void)?
  private let origin: Origin?
  private let isClaimed = Atomic(false)
  /// Whether it keeps the loop running.
  private var isKeeping = false

  /// A ticket that keeps `loop` running from now on; on the loop's thread.
  @usableFromInline
  package convenience init(_ object: any Answerable, of loop: EventLoop) {
    self.init(object, telling: object, loop.executor)
    keep(loop, object)
  }

  /// The same for an object that needn't be notified.
  package convenience init(carrying object: AnyObject, of loop: EventLoop) {
    self.init(object, telling: nil, loop.executor)
    keep(loop, nil)
  }

  /// A ticket for an object that was just made.
  ///
  /// - Parameters:
  ///   - answerable: The same object, if it is to be notified.
  ///   - executor: Its loop's; nil if it wasn't made on one.
  ///   - batch: What it was made for, if that is a handler that runs elsewhere.
  init(
    _ object: AnyObject, telling answerable: (any Answerable)?, _ executor: LoopExecutor?,
    _ batch: LoopBatch? = nil
  ) {
    self.executor = executor
    origin = executor == nil ? batch.map { .batch($0) } ?? .thread(cuv_thread_id()) : nil
    self.object = .passRetained(object)
    notified = answerable
  }

  /// A ticket for an object, just made, that keeps this thread's loop running when this turn is over.
  ///
  /// In a handler that runs for a loop on a thread without one, the ticket is of that loop. Where there is
  /// none at all, the object is answered on this thread, or on one with a loop.
  @usableFromInline
  package static func open(_ object: any Answerable) -> RemoteTicket {
    guard let ticket = CurrentLoop.takeUnusedTicket() else { return openFurther(object) }
    ticket.reopen(for: object)
    return ticket
  }

  @inline(never)
  private static func openFurther(_ object: any Answerable) -> RemoteTicket {
    if let loop = EventLoop.current { return loop.openFurtherTicket(object) }
    return LoopBatch.current?.open(object, telling: object) ?? RemoteTicket(object, telling: object, nil)
  }

  /// A ticket for an object that was just made, as ``open(_:)`` makes it; nil on a thread without a loop.
  @usableFromInline
  package static func openOnLoop(_ object: any Answerable) -> RemoteTicket? {
    guard let ticket = CurrentLoop.takeUnusedTicket() else {
      return EventLoop.current?.openFurtherTicket(object)
    }
    ticket.reopen(for: object)
    return ticket
  }

  /// Lets go of a ticket whose object was just made. If nobody has kept it, the object is notified at once, which would
  /// otherwise wait for the end of the turn.
  @usableFromInline
  package static func reportLost(_ ticket: consuming RemoteTicket) {
    _ = consume ticket
    reportLost()
  }

  /// Calls `body` with a ticket for an object that was just made. If nobody has kept it, the object is notified
  /// at once, which would otherwise wait for the end of the turn.
  @inlinable
  package static func open(_ object: any Answerable, for body: (RemoteTicket) throws -> Void) rethrows {
    try body(open(object))
    reportLost()
  }

  @usableFromInline
  static func reportLost() { if let object = CurrentLoop.takeLost() { forsake(object) } }

  /// Notifies an ``Answerable`` object that no answer will come.
  static func forsake(_ object: AnyObject?) { (object as? any Answerable)?.forsake() }

  deinit {
    guard isOpen else { return }
    let executor = owner
    let isOnLoop = executor?.isOnLoop == true
    if isOnLoop { stopKeeping() }
    guard let object = takeObject() else { return }
    if isOnLoop { return Self.forsake(object) }
    if let executor {
      // Dropped if the loop has ended, which has notified the object.
      _ = executor.send(TicketReturn(object, isKeeping: isKeeping))
    } else if case .thread(let thread)? = origin, thread == cuv_thread_id() {
      Self.forsake(object)
    }
  }

  // MARK: On the loop's thread

  /// Whether the object waits for its answer here.
  @inline(__always)
  var isOpen: Bool { object != nil }

  @inline(__always)
  func reopen(for object: any Answerable) {
    assert(self.object == nil, "a ticket is used for two objects")
    self.object = .passRetained(object)
    notified = object
    isClaimed.store(false, ordering: .relaxed)
  }

  /// The object, if it is ``Answerable``.
  var answerable: (any Answerable)? { isOpen ? notified : nil }

  /// Takes the object out: it has its answer, or will have none.
  @inline(__always)
  func takeObject() -> AnyObject? {
    let object = object
    self.object = nil
    return object?.takeRetainedValue()
  }

  /// - Parameter answerable: The object, if it is ``Answerable``.
  func keep(_ loop: EventLoop, _ answerable: (any Answerable)?) {
    assert(!isKeeping, "a ticket keeps its loop running once")
    isKeeping = true
    loop.keepRunning(for: answerable)
  }

  @inline(__always)
  private func stopKeeping() { if isKeeping { stopKeepingNow() } }

  @inline(never)
  private func stopKeepingNow() {
    isKeeping = false
    owner?.stopKeeping(answerable)
  }

  /// The object, to be answered now; nil on other threads than the loop's, and once there is an answer.
  @usableFromInline
  package func takeNow() -> AnyObject? { take().object }

  /// The object as ``takeNow()`` returns it, and ``isHere``, read once. Two reads may differ: the loop's thread becomes the
  /// object's when the handler that made the object returns.
  @usableFromInline
  package func take() -> (object: AnyObject?, isHere: Bool) {
    guard isHere else { return (nil, false) }
    guard isOpen else { return (nil, true) }
    stopKeeping()
    return (takeObject(), true)
  }

  /// The object, nil once there is an answer. On the loop's thread.
  @usableFromInline
  package var current: AnyObject? { object?.takeUnretainedValue() }

  package func arrive(on loop: EventLoop) {
    loop.assertOnLoop()
    guard let body = body.take(), isOpen else { return }
    if isKeeping {
      isKeeping = false
      loop.stopKeeping(answerable)
      // It isn't in the pool: the turn in which it was opened is over.
      if executor != nil { loop.ties.tickets.takeBack(self) }
    }
    if let object = takeObject() { body(object) }
  }

  // MARK: On any thread

  /// The executor of the object's loop; nil if it has none.
  private var owner: LoopExecutor? {
    if let executor { return executor }
    if case .batch(let batch)? = origin { return batch.executor }
    return nil
  }

  /// Whether the calling thread has a loop, and it is not the object's.
  package var isOnOtherLoop: Bool { EventLoop.current != nil && owner?.isOnLoop != true }

  /// Runs `body` on this thread, in which it is for the object's loop that promises are made; see
  /// ``LoopBatch``.
  package func run<Value>(_ body: () throws -> Value) rethrows -> Value {
    try LoopBatch.run(to: owner, body)
  }

  /// Whether the calling thread is the loop's, where an answer is given at once.
  ///
  /// While the handler runs that has made the object, this is its thread. Without a loop an answer is given
  /// on the thread where the object was made, or on one with a loop; elsewhere this stops the program with a
  /// message.
  @usableFromInline
  package var isHere: Bool {
    @inline(__always) get {
      if let executor { return executor.isOnLoop }
      return isAtOrigin
    }
  }

  private var isAtOrigin: Bool {
    switch origin {
    case .batch(let batch): return batch.isHere
    case .thread(let thread): checkThread(thread)
    case nil: break
    }
    return true
  }

  private func checkThread(_ thread: UInt) {
    require(
      thread == cuv_thread_id() || EventLoop.current != nil,
      """
      a promise or future that was made on a thread without an event loop is resolved on another thread: make it \
      inside EventLoop.run or runCallbacks, and any thread can resolve it
      """)
  }

  /// Whether the caller is the first to ask, and so the one who may complete from another thread.
  @usableFromInline
  package func claim() -> Bool { !isClaimed.exchange(true, ordering: .relaxed) }

  /// Claims the ticket and takes its object out, if the calling thread is the loop's. There is no object if there is an
  /// answer, or another thread has claimed the ticket.
  ///
  /// Another thread that claims it at the same time comes too late, as ``complete(_:)`` finds no object. So this needs
  /// no atomic exchange, which costs more than all else here.
  @usableFromInline
  package func claimNow() -> (object: AnyObject?, isHere: Bool) {
    guard isHere else { return (nil, false) }
    if isClaimed.load(ordering: .relaxed) || !isOpen { return (nil, true) }
    isClaimed.store(true, ordering: .relaxed)
    stopKeeping()
    return (takeObject(), true)
  }

  /// Whether nobody has claimed the ticket, and the loop hasn't ended.
  @usableFromInline
  package var isUnclaimed: Bool { !isClaimed.load(ordering: .relaxed) && owner?.hasEnded != true }

  /// Has `body` called with the object on the loop's thread. The thread that has claimed the ticket does so
  /// once. Nothing is called if there is an answer by then, or the loop has ended.
  ///
  /// - Returns: Whether it is on its way.
  @usableFromInline
  @discardableResult
  package func complete(_ body: @escaping (AnyObject) -> Void) -> Bool {
    self.body = body
    if let executor { return executor.send(self) }
    if case .batch(let batch)? = origin { return batch.send(self) }
    return false
  }

  /// Calls `body` with the object at once if this is the loop's thread, even after the loop's end; otherwise
  /// as ``complete(_:)``.
  @usableFromInline
  package func completeNow(_ body: @escaping (AnyObject) -> Void) {
    guard isHere else {
      complete(body)
      return
    }
    if let object = takeNow() { body(object) }
  }
}

/// Brings the object of a ticket back that nobody has used.
// Sound: touched on the loop's thread only, unless the loop has ended.
private final class TicketReturn: LoopMessage, @unchecked Sendable {
  private var object: AnyObject?
  private let isKeeping: Bool

  init(_ object: AnyObject, isKeeping: Bool) {
    self.object = object
    self.isKeeping = isKeeping
  }

  func arrive(on loop: EventLoop) {
    guard let object = object.take() else { return }
    let answerable = object as? any Answerable
    if isKeeping { loop.stopKeeping(answerable) }
    answerable?.forsake()
  }
}
