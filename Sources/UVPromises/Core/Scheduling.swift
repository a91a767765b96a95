import UV

extension Node {
  /// Queues `node` on the loop of this thread; stops the program if there is none.
  @usableFromInline
  static func enqueue(_ node: consuming Node) {
    node.flags.insert(.isQueued)
    if !EventLoop.enqueueOnCurrent(node) { stopWithoutLoop() }
  }

  @inline(never)
  private static func stopWithoutLoop() -> Never {
    fatalError(
      """
      a promise's handlers run on an event loop, and this thread has none: use promises inside \
      EventLoop.run or runCallbacks, or make an EventLoop on this thread first
      """)
  }

  /// Runs the handler of this one, which gathers and has all, soon.
  @usableFromInline
  final func schedule() {
    if !flags.contains(.isQueued) { Node.enqueue(self) }
  }

  /// Stops the program where a handler could never run. Checked in debug builds; otherwise it stops when the handler is due.
  @usableFromInline
  final func requireLoop() {
    if !flags.contains(.isInline), EventLoop.current == nil { Node.stopWithoutLoop() }
  }
}
