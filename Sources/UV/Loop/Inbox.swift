import CUV
import Synchronization

/// The messages that other threads send to a loop. It is a list under a lock, and only the first message
/// wakes the loop.
final class Inbox: Sendable {
  enum Message {
    case job(UnownedJob)
    case body(@Sendable (EventLoop) -> Void)
    case object(LoopMessage)
    /// A handle whose owner has gone. If the loop is adopted, it is retained here so that it doesn't go
    /// before the handle.
    case release(HandleBlock, EventLoop?)
    /// The place of a message that has been handled.
    case handled
  }

  private struct State {
    var messages: [Message] = []
    var isClosed = false
  }

  /// The messages that the loop handles now.
  private struct Portion {
    var arrived: [Message] = []
    /// How many of those have been handled.
    var handled = 0
    /// An empty array whose memory was that of earlier messages.
    var spare: [Message] = []
  }

  // Sound: touched only under the lock.
  nonisolated(unsafe) private let state = UnsafeMutablePointer<State>.allocate(capacity: 1)
  // Sound: touched only on the loop's thread. Apart from the rest, because others change that meanwhile.
  nonisolated(unsafe) private let portion = UnsafeMutablePointer<Portion>.allocate(capacity: 1)
  // Sound: a pointer to a mutex; freed with this object.
  nonisolated(unsafe) private let lock = Lock()
  private let wakeup: Wakeup
  /// How many threads are about to signal. The descriptor stays open until they have.
  private let signalling = Atomic<Int>(0)

  init(wakeup: Wakeup) {
    self.wakeup = wakeup
    state.initialize(to: State())
    portion.initialize(to: Portion())
  }

  deinit {
    state.deinitialize(count: 1)
    state.deallocate()
    portion.deinitialize(count: 1)
    portion.deallocate()
    lock.deallocate()
  }

  /// Whether messages are still taken. On the loop's thread, which is the only one that closes the inbox.
  var isOpenOnLoop: Bool { !state.pointee.isClosed }

  /// Adds a message; false if the loop has ended.
  func send(_ message: consuming Message) -> Bool {
    let message = message
    var isFirst = false
    let isOpen = lock.withLock {
      if state.pointee.isClosed { return false }
      state.pointee.messages.append(message)
      isFirst = state.pointee.messages.count == 1
      if isFirst { signalling.add(1, ordering: .relaxed) }
      return true
    }
    // Not under the lock: the loop would wake up and wait for the lock, which costs two thread switches.
    if isFirst {
      wakeup.signal()
      signalling.subtract(1, ordering: .releasing)
    }
    return isOpen
  }

  /// Takes messages out and calls `handle` with each, in order. On the loop's thread.
  ///
  /// - Parameter limit: The most messages that are handled.
  /// - Returns: How many messages were handled, and whether others are left because of the limit.
  func receive(atMost limit: Int, _ handle: (consuming Message) -> Void) -> (count: Int, isMore: Bool) {
    var count = 0
    // First the messages that the last call left. Those that came since have signalled already and won't again,
    // so they are handled in this call, too.
    if !portion.pointee.arrived.isEmpty { count = handleArrived(limit, handle) }
    if portion.pointee.arrived.isEmpty {
      takeArrived()
      count += handleArrived(limit - count, handle)
    }
    return (count, !portion.pointee.arrived.isEmpty)
  }

  /// Handles some of the messages that were taken out, and returns how many.
  private func handleArrived(_ limit: Int, _ handle: (consuming Message) -> Void) -> Int {
    let portion = portion
    let count = portion.pointee.arrived.count
    let first = portion.pointee.handled
    let end = count - first > limit ? first + limit : count
    while portion.pointee.handled < end {
      let message = portion.pointee.arrived[portion.pointee.handled]
      portion.pointee.arrived[portion.pointee.handled] = .handled
      portion.pointee.handled += 1
      handle(message)
    }
    if end == count { recycleArrived() }
    return end - first
  }

  private func takeArrived() {
    lock.withLock {
      swap(&portion.pointee.arrived, &state.pointee.messages)
      swap(&state.pointee.messages, &portion.pointee.spare)
    }
  }

  /// Keeps the array's memory for later messages, unless it is much.
  private func recycleArrived() {
    portion.pointee.handled = 0
    if portion.pointee.arrived.capacity > 1024 { return portion.pointee.arrived = [] }
    portion.pointee.arrived.removeAll(keepingCapacity: true)
    swap(&portion.pointee.arrived, &portion.pointee.spare)
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
