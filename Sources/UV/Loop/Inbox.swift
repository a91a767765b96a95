import CUV
import Synchronization

/// A message to a loop that is an object and needs no closure.
// Sound: a message belongs to one thread, and changes hands under the lock of an inbox. Each type says
// how.
package protocol LoopMessage: AnyObject, Sendable {
  /// Called once on the loop's thread each time the message was sent there.
  func arrive(on loop: EventLoop)
}

/// The last word of a handle's owner, said right before the handle closes. It retains the loop, so that the
/// loop hears it before its end.
protocol Goodbye: AnyObject {
  /// Called on the loop's thread.
  func sayGoodbye()
}

/// The messages that other threads send to a loop: a list under a lock.
///
/// Only a loop that waits is signalled: one that has looked and found nothing. While a loop handles messages,
/// others are added in silence, and it looks again before it waits. So what arrives at a stretch costs two
/// signals at most.
final class Inbox: Sendable {
  enum Message {
    case job(UnownedJob)
    case body(@Sendable (EventLoop) -> Void)
    case object(any LoopMessage)
    /// A handle whose owner has gone. If the loop is adopted, it is retained here so that it doesn't go
    /// before the handle.
    case release(HandleBlock, EventLoop?)
    /// The last word of an owner that has gone. The owner's `release` follows.
    case goodbye(any Goodbye)
  }

  private struct State {
    var messages = MessageList()
    var isClosed = false
  }

  private enum Filling: UInt8, AtomicRepresentable {
    /// There are no messages, and the loop will look again before it waits.
    case empty
    /// There are none, and the loop waits, so that the next one signals.
    case awaited
    /// There are messages that the loop hasn't taken yet.
    case filled
  }

  // Sound: touched only under the lock.
  nonisolated(unsafe) private let state = UnsafeMutablePointer<State>.allocate(capacity: 1)
  // Sound: the messages that the loop handles now, touched only on its thread. Apart from the rest, because
  // others change that meanwhile.
  nonisolated(unsafe) private let arrived = UnsafeMutablePointer<MessageList>.allocate(capacity: 1)
  // Sound: a pointer to a mutex; freed with this object.
  nonisolated(unsafe) private let lock = Lock()
  private let wakeup: Wakeup
  /// How many threads are about to signal. The descriptor stays open until they have.
  private let signalling = Atomic<Int>(0)
  /// Changed under the lock, except that the loop begins to wait without it.
  private let filling = Atomic(Filling.awaited)

  init(wakeup: Wakeup) {
    self.wakeup = wakeup
    state.initialize(to: State())
    arrived.initialize(to: MessageList())
  }

  deinit {
    state.pointee.messages.deallocate()
    state.deallocate()
    arrived.pointee.deallocate()
    arrived.deallocate()
    lock.deallocate()
  }

  /// Whether messages have come that the loop hasn't taken yet. Others change this meanwhile.
  var hasMessages: Bool { filling.load(ordering: .relaxed) == .filled }

  /// Whether messages are still taken. On the loop's thread, which is the only one that closes the inbox.
  var isOpenOnLoop: Bool { !state.pointee.isClosed }

  /// Adds a message; false if the loop has ended.
  func send(_ message: consuming Message) -> Bool {
    // Not by `withLock`: a message that a closure captures is copied, which counts references.
    lock.lock()
    if state.pointee.isClosed {
      lock.unlock()
      return false
    }
    // Under the lock it stays filled.
    let isFirst =
      filling.load(ordering: .relaxed) != .filled
      && filling.exchange(.filled, ordering: .acquiringAndReleasing) == .awaited
    state.pointee.messages.append(message)
    if isFirst { signalling.add(1, ordering: .relaxed) }
    lock.unlock()
    // Not under the lock: the loop would wake up and wait for the lock, which costs two thread switches.
    if isFirst {
      wakeup.signal()
      signalling.subtract(1, ordering: .releasing)
    }
    return true
  }

  /// Takes messages out and delivers them to `loop`, in order. On the loop's thread.
  ///
  /// If there are none, the next one signals. Otherwise it doesn't before ``awaitNext()``.
  ///
  /// - Parameter limit: The most messages that are delivered.
  /// - Returns: How many messages were delivered, and whether others are left because of the limit.
  func receive(atMost limit: Int, for loop: EventLoop) -> (count: Int, isMore: Bool) {
    var count = 0
    // First the messages that the last call left.
    if !arrived.pointee.isEmpty { count = deliverArrived(limit, loop) }
    if arrived.pointee.isEmpty {
      takeArrived()
      count += deliverArrived(limit - count, loop)
    }
    return (count, !arrived.pointee.isEmpty)
  }

  /// Delivers some of the messages that were taken out, and returns how many.
  private func deliverArrived(_ limit: Int, _ loop: EventLoop) -> Int {
    var count = 0
    while count < limit, !arrived.pointee.isEmpty {
      loop.deliver(arrived.pointee.popFirst())
      count += 1
    }
    if arrived.pointee.isEmpty { arrived.pointee.recycle() }
    return count
  }

  private func takeArrived() {
    lock.withLock {
      filling.store(state.pointee.messages.isEmpty ? .awaited : .empty, ordering: .relaxed)
      swap(&arrived.pointee, &state.pointee.messages)
    }
  }

  /// Has the next message signal; false if some have come already, which haven't signalled. On the loop's
  /// thread.
  func awaitNext() -> Bool {
    filling.compareExchange(expected: .empty, desired: .awaited, ordering: .acquiringAndReleasing).original
      != .filled
  }

  /// Refuses further messages; those that have come are still received.
  func close() {
    lock.withLock { state.pointee.isClosed = true }
    awaitSignals()
  }

  /// Closes the inbox if it is empty; what has arrived must be handled first. Returns whether it is closed.
  func closeIfEmpty() -> Bool {
    let isClosed = lock.withLock {
      if state.pointee.messages.isEmpty { state.pointee.isClosed = true }
      return state.pointee.isClosed
    }
    if isClosed { awaitSignals() }
    return isClosed
  }

  /// Waits until no thread is about to signal. The descriptor is closed next, and its number may be used
  /// again.
  private func awaitSignals() { while signalling.load(ordering: .acquiring) > 0 { sched_yield() } }
}

/// Messages in the order in which they came, in memory that is used again.
private struct MessageList {
  private static let initialCapacity = 64

  private var memory = UnsafeMutablePointer<Inbox.Message>.allocate(capacity: initialCapacity)
  private var capacity = initialCapacity
  /// The messages that are left are those from here to `end`.
  private var start = 0
  private var end = 0

  var isEmpty: Bool { start == end }

  @inline(__always)
  mutating func append(_ message: consuming Inbox.Message) {
    if end == capacity { grow() }
    assert(start <= end && end < capacity)
    (memory + end).initialize(to: message)
    end &+= 1
  }

  /// Takes out the first; there is one.
  @inline(__always)
  mutating func popFirst() -> Inbox.Message {
    assert(!isEmpty, "the list is empty")
    start &+= 1
    return (memory + start - 1).move()
  }

  @inline(never)
  private mutating func grow() {
    let larger = UnsafeMutablePointer<Inbox.Message>.allocate(capacity: capacity * 2)
    larger.moveInitialize(from: memory, count: end)
    memory.deallocate()
    memory = larger
    capacity *= 2
  }

  /// Keeps the memory of a list that is empty for later messages, unless it is much.
  mutating func recycle() {
    assert(isEmpty, "messages would be lost")
    (start, end) = (0, 0)
    if capacity <= 1024 { return }
    memory.deallocate()
    self = MessageList()
  }

  func deallocate() {
    (memory + start).deinitialize(count: end - start)
    memory.deallocate()
  }
}
