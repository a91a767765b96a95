import Synchronization

/// Keeps all processors busy, so that threads of other processes meet each other at other
/// moments than usual: what is counted differently then depends on timing.
final class Distraction: Sendable {
  private let isOver = Atomic<Bool>(false)
  private let threads = Mutex<[BlockingThread]>([])

  init(threads count: Int) {
    let started = (0..<count).map { _ in
      BlockingThread { [self] in while !isOver.load(ordering: .relaxed) {} }
    }
    threads.withLock { $0 = started }
  }

  func end() {
    isOver.store(true, ordering: .relaxed)
    for thread in threads.withLock({ $0 }) { thread.join() }
  }
}
