/// When a handler runs on its own loop. Such handlers may use whatever the place where they are written can
/// see; those for other threads are named by a ``Dispatcher``.
///
/// Where a method takes `on: LoopDispatcher?`, nil is ``inline``, as PromiseKit's `on: nil`.
public struct LoopDispatcher: Hashable, Sendable {
  @usableFromInline let isInline: Bool

  @inlinable
  init(isInline: Bool) { self.isInline = isInline }

  /// As a microtask, once the callback that resolved the promise has returned: the default.
  @inlinable
  public static var microtask: LoopDispatcher { LoopDispatcher(isInline: false) }

  /// Within the call that resolves the promise, or that attaches the handler to a resolved one. Chains of
  /// such handlers run one after the other, not inside each other, however long.
  @inlinable
  public static var inline: LoopDispatcher { LoopDispatcher(isInline: true) }
}
