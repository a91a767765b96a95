import UV

/// Runs inline handlers: at once, and those that become due meanwhile right after, so that a chain of them
/// needs no stack of its own.
@usableFromInline
enum InlineQueue {
  private final class State {
    @exclusivity(unchecked) var isRunning = false
    @exclusivity(unchecked) var next = 0
    @exclusivity(unchecked) var steps: ContiguousArray<(step: Node, source: Node)> = []
  }

  private static let states = ThreadLocal<State>()

  /// This thread's state, which the thread keeps.
  private static var current: State { states.get { State() } }

  /// Has `step` run with the outcome of `source`.
  @usableFromInline
  static func run(_ step: Node, _ source: Node) {
    guard enter() else { return current.steps.append((step, source)) }
    step.resume(source)
    leave()
  }

  /// Runs `body`, whose inline handlers have run when this returns, even if it is called by one. For code
  /// that hands what it makes to another thread.
  static func separately<Value>(_ body: () throws -> Value) rethrows -> Value {
    let state = current
    if !state.isRunning { return try body() }
    let outer = (state.next, state.steps)
    (state.isRunning, state.next, state.steps) = (false, 0, [])
    defer { (state.isRunning, state.next, state.steps) = (true, outer.0, outer.1) }
    return try body()
  }

  /// Begins to run inline handlers; false if that is being done further up the stack. Each success is to be
  /// followed by a ``leave()``.
  @usableFromInline
  static func enter() -> Bool {
    let state = current
    if state.isRunning { return false }
    state.isRunning = true
    return true
  }

  /// Runs what has become due meanwhile, and ends.
  @usableFromInline
  static func leave() {
    let state = current
    while state.next < state.steps.count {
      let (step, source) = state.steps[state.next]
      state.next += 1
      // A handler before it may have cancelled it. A promise that gathers others waits for none by itself.
      if step.upstream === source || step === source { step.resume(source) }
      // Handlers that have run are let go now and then, so that a long chain does not pile up.
      if state.next == 1024 {
        state.steps.removeFirst(1024)
        state.next = 0
      }
    }
    if state.next > 0 {
      state.steps.removeAll(keepingCapacity: true)
      state.next = 0
    }
    state.isRunning = false
  }
}
