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
  }

  private struct State {
    var messages: [Message] = []
    /// An empty array whose memory was that of earlier messages. Only the loop touches it.
    var spare: [Message] = []
    var isClosed = false
    var late = Queue<UnownedJob>()
    var isRunningLate = false
  }

  // Sound: touched only under the lock.
  nonisolated(unsafe) private let state = UnsafeMutablePointer<State>.allocate(capacity: 1)
  // Sound: a pointer to a mutex; freed with this object.
  nonisolated(unsafe) private let lock = Lock()
  private let wakeup: Wakeup
  /// How many threads are about to signal. The descriptor stays open until they have.
  private let signalling = Atomic<Int>(0)

  init(wakeup: Wakeup) {
    self.wakeup = wakeup
    state.initialize(to: State())
  }

  deinit {
    state.deinitialize(count: 1)
    state.deallocate()
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

  /// Takes the messages out. The caller gives the array back to ``recycle(_:)`` when it has handled them.
  func receive() -> [Message] {
    lock.withLock {
      let messages = state.pointee.messages
      state.pointee.messages = state.pointee.spare
      state.pointee.spare = []
      return messages
    }
  }

  /// Takes an array of messages back, to use its memory again.
  func recycle(_ messages: consuming [Message]) {
    if messages.capacity > 1024 { return }
    messages.removeAll(keepingCapacity: true)
    state.pointee.spare = messages
  }

  func close() -> [Message] {
    let messages = lock.withLock {
      state.pointee.isClosed = true
      let messages = state.pointee.messages
      state.pointee.messages = []
      return messages
    }
    awaitSignals()
    return messages
  }

  /// Closes the inbox if it is empty; messages must be handled first. Returns whether it is closed.
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

  /// Runs a job that came after the loop had ended. The threads that bring such jobs run them, one at a time.
  func runLate(_ job: UnownedJob, _ run: (UnownedJob) -> Void) {
    let isMine = lock.withLock {
      state.pointee.late.append(job)
      defer { state.pointee.isRunningLate = true }
      return !state.pointee.isRunningLate
    }
    guard isMine else { return }
    while true {
      let next: UnownedJob? = lock.withLock {
        let job = state.pointee.late.popFirst()
        if job == nil { state.pointee.isRunningLate = false }
        return job
      }
      guard let next else { return }
      run(next)
    }
  }
}
