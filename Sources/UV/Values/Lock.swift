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
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    return body()
  }

  package func deallocate() {
    pthread_mutex_destroy(mutex)
    mutex.deallocate()
  }
}
