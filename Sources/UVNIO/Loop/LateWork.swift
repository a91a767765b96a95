import Synchronization

/// What is given to a loop that has ended: the callbacks of futures that failed for that reason, above all. Nothing would tell
/// a program that waits for such a future, if they were dropped. The threads that bring the work run it, one at a time.
final class LateWork: Sendable {
  private struct State {
    var work: [@Sendable () -> Void] = []
    var isRunning = false
  }

  private let state = Mutex(State())
  /// The thread that runs work now, by the address of its mark; 0 if there is none.
  private let runner = Atomic<UInt>(0)

  /// Whether the calling thread runs such work now.
  var isHere: Bool {
    let runner = runner.load(ordering: .relaxed)
    return runner != 0 && runner == threadIdentity()
  }

  func run(_ task: @escaping @Sendable () -> Void) {
    let isMine = state.withLock { state in
      state.work.append(task)
      defer { state.isRunning = true }
      return !state.isRunning
    }
    guard isMine else { return }
    runner.store(threadIdentity(), ordering: .relaxed)
    while let next = takeNext() { next() }
  }

  private func takeNext() -> (@Sendable () -> Void)? {
    state.withLock { state in
      if !state.work.isEmpty { return state.work.removeFirst() }
      // Before another thread may begin.
      runner.store(0, ordering: .relaxed)
      state.isRunning = false
      return nil
    }
  }
}
