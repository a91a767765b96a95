import CUV

/// A mutual exclusion lock.
///
/// `Synchronization.Mutex` slows down by orders of magnitude under contention on Linux
/// (swiftlang/swift#88440).
package struct Lock {
  private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)

  /// Creates a lock.
  package init() {
    let code = pthread_mutex_init(mutex, nil)
    precondition(code == 0, "pthread_mutex_init: \(code)")
  }

  @inline(__always)
  package func withLock<T>(_ body: () -> T) -> T {
    lock()
    defer { unlock() }
    return body()
  }

  @inline(__always)
  func lock() { pthread_mutex_lock(mutex) }

  @inline(__always)
  func unlock() { pthread_mutex_unlock(mutex) }

  package func deallocate() {
    pthread_mutex_destroy(mutex)
    mutex.deallocate()
  }
}
