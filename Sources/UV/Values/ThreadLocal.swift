import CUV

/// Each thread has such an object of its own. It is released when the thread ends.
package struct ThreadLocal<Object: AnyObject>: Sendable {
  let key: pthread_key_t

  package init() {
    var key = pthread_key_t()
    let code = pthread_key_create(&key) { object in
      let object: UnsafeMutableRawPointer? = object
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
  package var existing: Object? { Self.object(of: key)?.takeUnretainedValue() }

  /// This thread's object; nil if the thread has none, or if the key doesn't exist.
  @inline(__always)
  static func object(of key: pthread_key_t) -> Unmanaged<Object>? {
    // Sound: the thread keeps its object.
    pthread_getspecific(key).map { Unmanaged<Object>.fromOpaque($0) }
  }
}
