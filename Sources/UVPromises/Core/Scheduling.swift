import UV

extension Node {
  /// Queues `node` on the loop of this thread; stops the program if there is none.
  @usableFromInline
  static func enqueue(_ node: Node) {
    node.flags.insert(.isQueued)
    // Whoever runs a step queues it afterwards.
    if !node.form.contains(.isRunning) { queue(node) }
  }

  @usableFromInline
  static func queue(_ node: consuming Node) {
    if !EventLoop.enqueueOnCurrent(consume node) { stopWithoutLoop() }
  }

  @inline(never)
  private static func stopWithoutLoop() -> Never {
    fatalError(
      """
      a promise's handlers run on an event loop, and this thread has none: use promises inside \
      EventLoop.run or runCallbacks, or make an EventLoop on this thread first
      """)
  }

  /// Stops a debug build if the calling thread isn't that of the loop on which the promise was made.
  @inlinable @inline(__always)
  final func assertOnLoop() {
    #if DEBUG
    checkLoop()
    #endif
  }

  #if DEBUG
  @usableFromInline
  final func checkLoop() { home?.assertOnLoop("a promise of an event loop") }

  /// Stops the program where a handler could never run, and where one on a queue would use a promise that
  /// another thread uses at the same time. In release builds the first stops it when the handler is due.
  @usableFromInline
  final func requireLoop(_ source: Node) {
    if EventLoop.current != nil { return }
    guard let handler = Node.runningHandler else {
      if flags.contains(.isInline) { return }
      Node.stopWithoutLoop()
    }
    require(
      source.maker == handler,
      """
      a handler that runs on a queue uses a promise that was made before that handler, and belongs to an event \
      loop: use it in a handler of the loop
      """)
  }

  /// The handler that runs on this thread for the loop of another; nil if there is none.
  @usableFromInline static var runningHandler: ObjectIdentifier? {
    EventLoop.current == nil ? LoopBatch.current.map(ObjectIdentifier.init) : nil
  }
  #endif

  /// Calls `body` with the loop of this promise, which a handler on a queue has just made, when the loop
  /// takes it over. Elsewhere this stops the program.
  final func startLater(_ name: StaticString, _ body: @escaping (EventLoop) -> Void) {
    guard let batch = LoopBatch.current else {
      fatalError("\(name) needs an event loop on its thread: call it inside EventLoop.run")
    }
    batch.perform { [self] loop in
      if state == .pending, !flags.contains(.isCancelled) { body(loop) }
    }
  }
}
