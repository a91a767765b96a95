/// Closes a handle from any thread: ``Handle/closer``.
///
/// For a place that asks for something `Sendable`, such as the `onCancel` of `withTaskCancellationHandler`:
///
/// ```swift
/// let closer = connection.closer
/// await withTaskCancellationHandler { await work() } onCancel: { closer.close() }
/// ```
public struct HandleCloser: Sendable {
  private let handle: LoopReference<Handle>

  init(_ handle: Handle) { self.handle = LoopReference(handle, of: handle.loop) }

  /// Closes the handle, as ``Handle/close()`` does: at once on the loop's thread, from another thread in the
  /// loop's next turn. Does nothing if the handle has been closed, or the loop has ended.
  public func close() { handle.perform { $0.close() } }

  /// Closes the handle so that its peer doesn't take what it has got for complete; see ``Handle/cutOff()``.
  package func cutOff() { handle.perform { $0.cutOff() } }
}

extension Handle {
  /// A value that closes this handle from any thread. It doesn't keep the handle or the loop.
  public var closer: HandleCloser { HandleCloser(self) }
}
