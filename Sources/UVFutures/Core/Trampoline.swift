#if canImport(Combine) || Futures || Everything
import UV

/// Runs work one after the other that would otherwise call itself ever deeper; one for each thread.
@usableFromInline
enum Trampoline {
  @usableFromInline
  final class State {
    @exclusivity(unchecked) var isDraining = false
    /// How many deliveries are nested in each other.
    @exclusivity(unchecked) var depth = 0
    @exclusivity(unchecked) var queue: [() -> Void] = []
    @exclusivity(unchecked) var head = 0

    /// The call has returned for which ``Trampoline/enter()`` gave this.
    @usableFromInline
    func leave() { depth -= 1 }
  }

  /// Runs `work` now; where other work of this kind is running on the thread, right after that.
  ///
  /// The outermost call returns when everything has run, so that from outside all of it is synchronous.
  @usableFromInline
  static func bounce(_ work: @escaping () -> Void) {
    let state = current
    if state.isDraining {
      state.queue.append(work)
      return
    }
    let depth = state.depth
    state.isDraining = true
    state.depth = 0
    work()
    while state.head < state.queue.count {
      let next = state.queue[state.head]
      state.queue[state.head] = {}
      state.head += 1
      if state.head >= 1024, state.head * 2 > state.queue.count {
        state.queue.removeFirst(state.head)
        state.head = 0
      }
      next()
    }
    state.queue.removeAll(keepingCapacity: state.queue.count <= 1024)
    state.head = 0
    state.depth = depth
    state.isDraining = false
  }

  /// Goes a call deeper, for work that is called and not bounced; nil where calls are nested deeply already.
  @usableFromInline
  static func enter() -> State? {
    let state = current
    if state.depth == 48 { return nil }
    state.depth += 1
    return state
  }

  private static let states = ThreadLocal<State>()

  /// This thread's state, which the thread keeps.
  static var current: State { states.get { State() } }
}
#endif
