#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// Runs work one after the other that would otherwise call itself ever deeper; one for each thread.
@usableFromInline
enum Trampoline {
  struct State {
    var isDraining = false
    /// How many deliveries are nested in each other.
    var depth = 0
    var queue: [() -> Void] = []
    var head = 0
    var propagation = Propagation()
  }

  /// Runs `work` now; where other work of this kind is running on the thread, right after that.
  ///
  /// The outermost call returns when everything has run, so that from outside all of it is synchronous.
  @usableFromInline
  static func bounce(_ work: @escaping () -> Void) {
    let state = current
    if state.pointee.isDraining {
      state.pointee.queue.append(work)
      return
    }
    let depth = state.pointee.depth
    state.pointee.isDraining = true
    state.pointee.depth = 0
    work()
    while state.pointee.head < state.pointee.queue.count {
      let next = state.pointee.queue[state.pointee.head]
      state.pointee.queue[state.pointee.head] = {}
      state.pointee.head += 1
      if state.pointee.head >= 1024, state.pointee.head * 2 > state.pointee.queue.count {
        state.pointee.queue.removeFirst(state.pointee.head)
        state.pointee.head = 0
      }
      next()
    }
    state.pointee.queue.removeAll(keepingCapacity: state.pointee.queue.count <= 1024)
    state.pointee.head = 0
    state.pointee.depth = depth
    state.pointee.isDraining = false
  }

  /// Runs `work` now, as a call, unless such calls are nested deeply already.
  @inlinable
  static func nest(_ work: @escaping () -> Void) {
    guard enter() else { return bounce(work) }
    work()
    leave()
  }

  @usableFromInline
  static func enter() -> Bool {
    let state = current
    if state.pointee.depth == 48 { return false }
    state.pointee.depth += 1
    return true
  }

  @usableFromInline
  static func leave() { current.pointee.depth -= 1 }

  private static let key: pthread_key_t = {
    var key = pthread_key_t()
    let code = pthread_key_create(&key) { raw in
      #if canImport(Darwin)
        let state = raw.assumingMemoryBound(to: State.self)
      #else
        let state = raw!.assumingMemoryBound(to: State.self)
      #endif
      state.deinitialize(count: 1)
      state.deallocate()
    }
    precondition(code == 0, "pthread_key_create: \(code)")
    return key
  }()

  static var current: UnsafeMutablePointer<State> {
    if let raw = pthread_getspecific(key) { return raw.assumingMemoryBound(to: State.self) }
    let state = UnsafeMutablePointer<State>.allocate(capacity: 1)
    state.initialize(to: State())
    pthread_setspecific(key, state)
    return state
  }
}
