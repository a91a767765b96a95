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

/// Each thread has such an object of its own. It is released when the thread ends.
package struct ThreadLocal<Object: AnyObject>: Sendable {
  let key: pthread_key_t

  package init() {
    var key = pthread_key_t()
    let code = pthread_key_create(&key) { object in
      let object: UnsafeMutableRawPointer? = object
      // The slot may be the object that is released. From now on it is found by its key.
      cuv_set_thread_slot(nil)
      // Balances the retain in `get`.
      if let object { Unmanaged<AnyObject>.fromOpaque(object).release() }
    }
    require(code == 0, "pthread_key_create: \(code)")
    // A host may unload an addon before the last of its threads has ended.
    cuv_stay_loaded()
    self.key = key
  }

  /// This thread's object. If the thread has none, it is made first.
  @inline(__always)
  package func get(orMake make: () -> Object) -> Object {
    // Written out: in code that isn't specialised `map` looks up types, which takes ten times as long.
    if let object = pthread_getspecific(key) {
      return Unmanaged<Object>.fromOpaque(object).takeUnretainedValue()
    }
    let object = make()
    // Balanced when the thread ends.
    pthread_setspecific(key, Unmanaged.passRetained(object).toOpaque())
    return object
  }

  /// This thread's object; nil if the thread has none.
  package var existing: Object? {
    // Sound: the thread keeps its object.
    pthread_getspecific(key).map { Unmanaged<Object>.fromOpaque($0).takeUnretainedValue() }
  }
}

/// Carries a value through an API that asks for `Sendable` while it goes to one thread at a time.
@usableFromInline
// Sound: each use says why.
package struct UnsafeTransfer<Value>: @unchecked Sendable {
  @usableFromInline package let value: Value
  @inlinable package init(_ value: Value) { self.value = value }
}
