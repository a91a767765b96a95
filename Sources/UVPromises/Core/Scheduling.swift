import UV

extension Node {
  /// Queues the handler of `node` on the loop of this thread, after those that are queued already. Dropped if there is
  /// no loop: it has been shut down.
  @usableFromInline
  static func schedule(_ node: consuming Node) {
    node.flags.insert(.isQueued)
    if node.flags.contains(.isInline) {
      InlineQueue.run(node)
    } else {
      _ = EventLoop.enqueueOnCurrent(node)
    }
  }

  /// Stops the program where a handler could never run. Checked in debug builds.
  @usableFromInline
  final func requireLoop() {
    precondition(
      flags.contains(.isInline) || EventLoop.current != nil,
      """
      a promise's handlers run on an event loop, and this thread has none: use promises inside EventLoop.run or \
      runCallbacks, or make an EventLoop on this thread first
      """)
  }
}
