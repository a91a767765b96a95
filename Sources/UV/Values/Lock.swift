import CUV

/// A mutual exclusion lock.
///
/// `Synchronization.Mutex` slows down by orders of magnitude under contention on Linux (swiftlang/swift#88440).
package struct Lock {
  private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)

  /// Creates a lock.
  ///
  /// - Parameter isRecursive: Whether the thread that has the lock may take it again.
  package init(isRecursive: Bool = false) {
    var attributes = pthread_mutexattr_t()
    pthread_mutexattr_init(&attributes)
    if isRecursive { pthread_mutexattr_settype(&attributes, Int32(PTHREAD_MUTEX_RECURSIVE)) }
    let code = pthread_mutex_init(mutex, &attributes)
    pthread_mutexattr_destroy(&attributes)
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
