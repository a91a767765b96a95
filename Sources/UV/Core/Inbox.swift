import CUV

/// What other threads send to a loop: a locked list, and a wake-up for the first entry only.
final class Inbox: Sendable {
  enum Message {
    case job(UnownedJob)
    case body(@Sendable (EventLoop) -> Void)
    case release(HandleBlock)
  }

  private struct State {
    var messages: [Message] = []
    var isClosed = false
    var late: [UnownedJob] = []
    var isRunningLate = false
  }

  // Sound: touched only under the lock.
  nonisolated(unsafe) private let state = UnsafeMutablePointer<State>.allocate(capacity: 1)
  // Sound: a pointer to a mutex; freed with this object.
  nonisolated(unsafe) private let lock = Lock()
  private let wakeup: Wakeup

  init(wakeup: Wakeup) {
    self.wakeup = wakeup
    state.initialize(to: State())
  }

  deinit {
    state.deinitialize(count: 1)
    state.deallocate()
    lock.deallocate()
  }

  /// Whether messages are still taken; on the loop's thread, which alone closes it.
  var isOpenOnLoop: Bool { !state.pointee.isClosed }

  /// Adds a message; false if the loop has ended.
  func send(_ message: consuming Message) -> Bool {
    let message = message
    return lock.withLock {
      if state.pointee.isClosed { return false }
      state.pointee.messages.append(message)
      // Under the lock, so that the descriptor cannot be closed, and its number used again, in between.
      if state.pointee.messages.count == 1 { wakeup.signal() }
      return true
    }
  }

  func receive() -> [Message] {
    lock.withLock {
      let messages = state.pointee.messages
      // Most batches are small; a fresh array is cheaper than holding the lock while they run.
      state.pointee.messages = []
      return messages
    }
  }

  func close() -> [Message] {
    lock.withLock {
      state.pointee.isClosed = true
      let messages = state.pointee.messages
      state.pointee.messages = []
      return messages
    }
  }

  /// Runs a job that came after the loop had ended: one at a time, on the threads that bring them.
  func runLate(_ job: UnownedJob, _ run: (UnownedJob) -> Void) {
    let isMine = lock.withLock {
      state.pointee.late.append(job)
      defer { state.pointee.isRunningLate = true }
      return !state.pointee.isRunningLate
    }
    guard isMine else { return }
    while true {
      let next: UnownedJob? = lock.withLock {
        if state.pointee.late.isEmpty {
          state.pointee.isRunningLate = false
          return nil
        }
        return state.pointee.late.removeFirst()
      }
      guard let next else { return }
      run(next)
    }
  }
}
