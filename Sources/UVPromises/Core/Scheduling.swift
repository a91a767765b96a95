import UV

/// Queues a handler on the loop of this thread, after the handlers that are queued already. Dropped if there is no
/// loop: it has been shut down.
@usableFromInline
func enqueueOnCurrentLoop(_ node: AnyNode) {
  EventLoop.current?.enqueue(node)
}

extension AnyNode {
  /// Stops the program where a handler could never run. Checked in debug builds.
  @usableFromInline
  final func requireLoop() {
    precondition(
      EventLoop.current != nil,
      """
      a promise's handlers run on an event loop, and this thread has none: use promises inside EventLoop.run or \
      runCallbacks, or make an EventLoop on this thread first
      """)
  }
}
