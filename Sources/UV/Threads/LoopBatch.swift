import CUV
import Synchronization

/// The objects that code on another thread makes for a loop: the promises of a handler that runs on a queue.
///
/// While the code runs, all of it belongs to the code's thread, and answers that other threads have for it
/// wait here. When the code has returned, everything goes to the loop in one message, and belongs to the loop
/// from then on. So only the list of the answers needs a lock.
// Sound: `tickets` and `work` are touched on the code's thread until they are sent, and then on the loop's.
// The rest is a constant, atomic, or behind the lock.
package final class LoopBatch: LoopMessage, @unchecked Sendable {
  let executor: LoopExecutor
  private let thread = cuv_thread_id()
  /// Whether the code is running.
  private let isOpen = Atomic(true)
  private let lock = Lock()
  /// Nil once the loop has been sent this. Touched under the lock.
  private var answers: [any LoopMessage]? = []
  private var tickets: [RemoteTicket] = []
  private var work: [Work] = []

  private init(to executor: LoopExecutor) { self.executor = executor }

  deinit { lock.deallocate() }

  // MARK: The code's thread

  /// A thread's note of the code that it runs for a loop.
  private final class Slot {
    var executor: LoopExecutor?
    /// Made when it is needed: most handlers make nothing.
    var batch: LoopBatch?
  }

  private static let slots = ThreadLocal<Slot>()

  /// The batch for the objects that this thread makes; nil if it runs nothing for a loop.
  package static var current: LoopBatch? {
    guard let slot = slots.existing, let executor = slot.executor else { return nil }
    if let batch = slot.batch { return batch }
    let batch = LoopBatch(to: executor)
    slot.batch = batch
    return batch
  }

  /// Runs `body` on this thread. A promise that it makes belongs to the loop of `executor`, unless this
  /// thread has a loop: then it belongs to that one. With nil, `body` can't make anything that needs a loop.
  static func run<Value>(to executor: LoopExecutor?, _ body: () throws -> Value) rethrows -> Value {
    if CurrentLoop.get() != nil { return try body() }
    let slot = slots.get { Slot() }
    let outer = (slot.executor, slot.batch)
    (slot.executor, slot.batch) = (executor, nil)
    defer {
      let batch = slot.batch
      (slot.executor, slot.batch) = outer
      batch?.send()
    }
    return try body()
  }

  /// Runs `body` on this thread, even within a handler; there it can't make anything that needs a loop.
  package static func without<Value>(_ body: () throws -> Value) rethrows -> Value {
    try run(to: nil, body)
  }

  /// A ticket for an object that was just made. It keeps the loop running when the loop has it.
  ///
  /// - Parameter answerable: The same object, if it is to be notified.
  package func open(_ object: AnyObject, telling answerable: (any Answerable)? = nil) -> RemoteTicket {
    assertHere()
    let ticket = RemoteTicket(object, telling: answerable, nil, self)
    tickets.append(ticket)
    return ticket
  }

  /// Has a microtask run on the loop.
  func enqueue(_ microtask: _Microtask) {
    assertHere()
    work.append(.object(microtask))
  }

  /// Has `body` called on the loop.
  package func perform(_ body: @escaping (EventLoop) -> Void) {
    assertHere()
    work.append(.body(body))
  }

  private func assertHere() {
    assert(
      thread == cuv_thread_id() && isOpen.load(ordering: .relaxed),
      "the handler has returned, or runs elsewhere")
  }

  private func send() {
    let isSent = lock.withLock {
      work += (answers ?? []).map { .message($0) }
      answers = nil
      isOpen.store(false, ordering: .releasing)
      // Within the lock, so that a later answer comes later.
      return executor.send(self)
    }
    // The loop has ended. A ticket refers to this.
    if !isSent { (tickets, work) = ([], []) }
  }

  // MARK: On any thread

  /// Whether the calling thread may touch what belongs to this.
  var isHere: Bool {
    isOpen.load(ordering: .acquiring) ? thread == cuv_thread_id() : executor.isOnLoop
  }

  /// Sends the loop an answer for something that belongs to this. Returns false if the loop has ended.
  func send(_ answer: any LoopMessage) -> Bool {
    let waits = lock.withLock {
      answers?.append(answer)
      return answers != nil
    }
    return waits || executor.send(answer)
  }

  // MARK: On the loop's thread

  package func arrive(on loop: EventLoop) {
    // The other thread may let go of this later than the loop does: it must not let go of what was made.
    loop.assertOnLoop()
    assert(loop.executor === executor && !isOpen.load(ordering: .relaxed))
    let tickets = tickets
    let work = work
    (self.tickets, self.work) = ([], [])
    loop.keep(consume tickets)
    for item in work { loop.enqueue(item) }
  }
}
