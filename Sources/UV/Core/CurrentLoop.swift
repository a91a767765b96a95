import CUV

/// The loop of each thread, in a thread-specific value.
enum CurrentLoop {
  private static let key: pthread_key_t = {
    var key = pthread_key_t()
    let code = pthread_key_create(&key, nil)
    precondition(code == 0, "pthread_key_create: \(code)")
    return key
  }()

  static func get() -> EventLoop? {
    guard let pointer = pthread_getspecific(key) else { return nil }
    // Sound: a loop takes itself out before it goes.
    return Unmanaged<EventLoop>.fromOpaque(pointer).takeUnretainedValue()
  }

  static func set(_ loop: EventLoop?) {
    // Sound: see above; the value does not own the loop.
    pthread_setspecific(key, loop.map { UnsafeRawPointer(Unmanaged.passUnretained($0).toOpaque()) })
  }
}
