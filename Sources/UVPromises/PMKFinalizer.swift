import Dispatch

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
  /// - Returns: The handle for cancelling the chain.
  @inlinable
  @discardableResult
  public func finally(
    on dispatcher: LoopDispatcher? = conf.Q.return, _ body: @escaping () -> Void
  ) -> CancelContext {
    _ = Guarantee(node: node).done(on: dispatcher) { body() }
    return cancelContext
  }

  /// Calls `body` elsewhere when the chain has ended; see ``finally(on:_:)-(LoopDispatcher?,_)``.
  @_disfavoredOverload
  @discardableResult
  public func finally(
    on dispatcher: any Dispatcher, _ body: @escaping @Sendable () -> Void
  ) -> CancelContext {
    _ = Guarantee<Void>(node: node).map(on: dispatcher) { _ in body() }
    return cancelContext
  }

  /// Calls `body` on a queue when the chain has ended, or within the loop's turn if that is nil.
  ///
  /// - Parameters:
  ///   - queue: Where to run `body`.
  ///   - flags: How the queue is to run it.
  ///   - body: What to do.
  @discardableResult
  public func finally(
    on queue: DispatchQueue?, flags: DispatchWorkItemFlags?, _ body: @escaping @Sendable () -> Void
  ) -> CancelContext {
    finally(on: queue.map { QueuePart(queue: $0, flags: flags?.rawValue ?? 0) }, body)
  }
}
