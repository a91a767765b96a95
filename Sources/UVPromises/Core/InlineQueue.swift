#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// Runs inline handlers: at once, and those that become due meanwhile right after, so that a chain of them
/// needs no stack of its own.
@usableFromInline
enum InlineQueue {
  private struct State {
    var isRunning = false
    var next = 0
    var steps: ContiguousArray<(step: Node, source: Node)> = []
  }

  /// Each thread has its own; freed when the thread ends.
  private static let key: pthread_key_t = {
    var key = pthread_key_t()
    let code = pthread_key_create(&key) { pointer in
      let pointer: UnsafeMutableRawPointer? = pointer
      guard let state = pointer?.assumingMemoryBound(to: State.self) else { return }
      state.deinitialize(count: 1)
      state.deallocate()
    }
    precondition(code == 0, "pthread_key_create: \(code)")
    return key
  }()

  private static var current: UnsafeMutablePointer<State> {
    if let state = pthread_getspecific(key) { return state.assumingMemoryBound(to: State.self) }
    let state = UnsafeMutablePointer<State>.allocate(capacity: 1)
    state.initialize(to: State())
    pthread_setspecific(key, state)
    return state
  }

  /// Has `step` run with the outcome of `source`.
  @usableFromInline
  static func run(_ step: Node, _ source: Node) {
    guard enter() else { return current.pointee.steps.append((step, source)) }
    step.resume(source)
    leave()
  }

  /// Begins to run inline handlers; false if that is being done further up the stack. Each success is to be
  /// followed by a ``leave()``.
  @usableFromInline
  static func enter() -> Bool {
    let state = current
    if state.pointee.isRunning { return false }
    state.pointee.isRunning = true
    return true
  }

  /// Runs what has become due meanwhile, and ends.
  @usableFromInline
  static func leave() {
    let state = current
    while state.pointee.next < state.pointee.steps.count {
      let (step, source) = state.pointee.steps[state.pointee.next]
      state.pointee.next += 1
      step.resume(source)
      // What has run is let go now and then, so that a long chain does not pile up.
      if state.pointee.next == 1024 {
        state.pointee.steps.removeFirst(1024)
        state.pointee.next = 0
      }
    }
    if state.pointee.next > 0 {
      state.pointee.steps.removeAll(keepingCapacity: true)
      state.pointee.next = 0
    }
    state.pointee.isRunning = false
  }
}
