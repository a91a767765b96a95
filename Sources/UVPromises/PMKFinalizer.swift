/// What `catch` returns: the end of a chain, after which there is only what happens in any case.
///
/// PromiseKit's `PMKFinalizer`.
public struct PMKFinalizer {
  @usableFromInline let node: Node

  @inlinable
  init(node: Node) { self.node = node }

  /// Calls `body` when the chain has ended, whatever its outcome, after the handler of `catch`.
  ///
  /// - Parameters:
  ///   - dispatcher: When to run `body`; as a microtask of the loop unless said otherwise.
  ///   - body: What to do.
  ///
  /// PromiseKit's `finally`.
  @inlinable
  public func finally(on dispatcher: LoopDispatcher? = .microtask, _ body: @escaping () -> Void) {
    _ = Guarantee(node: node).done(on: dispatcher) { body() }
  }
}
