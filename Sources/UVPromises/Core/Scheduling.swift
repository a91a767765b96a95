import UV

extension Node {
  /// Queues `node` on the loop of this thread. Dropped if there is no loop: it has been shut down.
  @usableFromInline
  static func enqueue(_ node: consuming Node) {
    node.flags.insert(.isQueued)
    _ = EventLoop.enqueueOnCurrent(node)
  }

  /// Runs this one's own handler, which waits for nothing, soon.
  @usableFromInline
  final func schedule() {
    guard !flags.contains(.isQueued) else { return }
    if flags.contains(.isInline) { InlineQueue.run(self, nil) } else { Node.enqueue(self) }
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
