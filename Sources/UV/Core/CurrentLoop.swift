import CUV
import Synchronization

/// The loop of each thread, in a thread-specific value.
enum CurrentLoop {
  private static let createdKey: pthread_key_t = {
    var key = pthread_key_t()
    let code = pthread_key_create(&key, nil)
    precondition(code == 0, "pthread_key_create: \(code)")
    knownKey.store(UInt(key), ordering: .relaxed)
    return key
  }()

  /// The same, read without asking whether it has been created: a thread that has not seen that has no loop
  /// either, and for a key that does not exist there is no value.
  private static let knownKey = Atomic<UInt>(UInt(pthread_key_t.max))

  private static var key: pthread_key_t {
    @inline(__always) get { pthread_key_t(truncatingIfNeeded: knownKey.load(ordering: .relaxed)) }
  }

  static func get() -> EventLoop? {
    guard let pointer = pthread_getspecific(key) else { return nil }
    // Sound: a loop takes itself out before it goes.
    return Unmanaged<EventLoop>.fromOpaque(pointer).takeUnretainedValue()
  }

  /// Queues a microtask on the loop of this thread, without a retain of the loop; false if there is none.
  static func enqueue(_ microtask: consuming Microtask) -> Bool {
    guard let pointer = pthread_getspecific(key) else { return false }
    // Sound: as above; nothing that is called here lets go of the loop.
    let loop = Unmanaged<EventLoop>.fromOpaque(pointer)
    let queue = loop._withUnsafeGuaranteedRef { $0.microtasks }
    queue.append(.object(microtask))
    if !queue.state.pointee.isAttended { loop._withUnsafeGuaranteedRef { $0.attend() } }
    return true
  }

  static func set(_ loop: EventLoop?) {
    // Sound: see above; the value does not own the loop.
    pthread_setspecific(createdKey, loop.map { UnsafeRawPointer(Unmanaged.passUnretained($0).toOpaque()) })
  }
}
