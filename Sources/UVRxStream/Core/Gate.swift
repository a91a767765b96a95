import UV

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// Lets work in one piece at a time, whatever threads it comes from, where there is no loop to bring it to.
///
/// No thread waits for another: one that finds the gate occupied leaves its work to the thread inside, and
/// goes on. A thread that is inside may come in again.
// Sound: its state is touched under the lock.
final class Gate: @unchecked Sendable {
  private let lock = Lock()
  private var owner: pthread_t?
  private var depth = 0
  private var left: [() -> Void] = []

  /// A gate if the calling thread has no loop.
  static var unlessOnLoop: Gate? { EventLoop.current == nil ? Gate() : nil }

  deinit { lock.deallocate() }

  /// Runs `work` now; where another thread is inside, that thread does, afterwards.
  func run(_ work: @escaping () -> Void) {
    guard enter(orLeave: work) else { return }
    work()
    while true {
      let others = leaveUnlessMoreCame()
      if others.isEmpty { return }
      for other in others { other() }
    }
  }

  private func enter(orLeave work: @escaping () -> Void) -> Bool {
    let thread = pthread_self()
    return lock.withLock {
      if let owner, pthread_equal(owner, thread) == 0 {
        left.append(work)
        return false
      }
      owner = thread
      depth += 1
      return true
    }
  }

  /// Opens the gate, or takes what other threads have left.
  private func leaveUnlessMoreCame() -> [() -> Void] {
    lock.withLock {
      if depth == 1, !left.isEmpty {
        defer { left = [] }
        return left
      }
      depth -= 1
      if depth == 0 { owner = nil }
      return []
    }
  }
}
