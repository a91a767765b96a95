import UV

/// Runs work one after the other that would otherwise call itself ever deeper; one for each thread.
enum Trampoline {
  final class State {
    @exclusivity(unchecked) var isDraining = false
    /// How many calls are nested in each other.
    @exclusivity(unchecked) var depth = 0
    @exclusivity(unchecked) var waiting = Queue<() -> Void>()
    @exclusivity(unchecked) var propagation = Propagation()
  }

  /// Runs `work` now; where other work of this kind is running on the thread, right after that.
  ///
  /// The outermost call returns when everything has run, so that from outside all of it is synchronous.
  static func bounce(_ work: @escaping () -> Void) {
    let state = current
    if state.isDraining { return state.waiting.append(work) }
    let depth = state.depth
    state.isDraining = true
    state.depth = 0
    work()
    while let next = state.waiting.popFirst() { next() }
    state.depth = depth
    state.isDraining = false
  }

  /// Runs `work` now, as a call, unless such calls are nested deeply already.
  static func nest(_ work: @escaping () -> Void) {
    let state = current
    if state.depth == 48 { return bounce(work) }
    state.depth += 1
    work()
    state.depth -= 1
  }

  private static let states = ThreadLocal<State>()

  /// This thread's state, which the thread keeps.
  static var current: State { states.get { State() } }
}
