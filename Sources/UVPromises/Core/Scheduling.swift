import UV

extension Node {
  /// Queues `node` on the loop of this thread. Dropped if there is no loop: it has been shut down.
  @usableFromInline
  static func enqueue(_ node: consuming Node) {
    node.flags.insert(.isQueued)
    _ = EventLoop.enqueueOnCurrent(node)
  }

  /// Runs the handler of this one, which gathers and has all, soon.
  @usableFromInline
  final func schedule() {
    if !flags.contains(.isQueued) { Node.enqueue(self) }
  }

  /// Stops the program where a handler could never run. Checked in debug builds.
  @usableFromInline
  final func requireLoop() {
    precondition(
      flags.contains(.isInline) || EventLoop.current != nil,
      """
      a promise's handlers run on an event loop, and this thread has none: use promises inside \
      EventLoop.run or runCallbacks, or make an EventLoop on this thread first
      """)
  }
}
