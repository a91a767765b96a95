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
/// goes on. So nothing that is called from inside can end in a deadlock. A thread that is inside may come in
/// again.
@usableFromInline
// Sound: its state is touched under the lock.
package final class Gate: @unchecked Sendable {
  private let lock = Lock()
  private var owner: pthread_t?
  private var depth = 0
  private var left: [() -> Void] = []

  /// A gate if the calling thread has no loop.
  @usableFromInline
  package static var unlessOnLoop: Gate? { EventLoop.current == nil ? Gate() : nil }

  @usableFromInline
  package init() {}

  deinit { lock.deallocate() }

  /// Runs `work` now; where another thread is inside, that thread does, afterwards.
  @usableFromInline
  package func run(_ work: @escaping () -> Void) {
    guard enter(orLeave: work) else { return }
    work()
    leave()
  }

  /// Whether the caller is inside now, to call ``leave()``; otherwise `work` has been left to the thread that
  /// is.
  @usableFromInline
  package func enter(orLeave work: @escaping () -> Void) -> Bool {
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

  /// Does what other threads have left, and opens the gate.
  @usableFromInline
  package func leave() {
    while true {
      let work: [() -> Void] = lock.withLock {
        if depth > 1 || left.isEmpty {
          depth -= 1
          if depth == 0 { owner = nil }
          return []
        }
        defer { left = [] }
        return left
      }
      if work.isEmpty { return }
      for work in work { work() }
    }
  }
}
