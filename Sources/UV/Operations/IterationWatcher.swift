import CUV

/// A source that tells of each iteration of the loop, at one point of it: for work that belongs to the loop itself,
/// such as feeding another event loop, or gathering what callbacks have left to do.
///
/// ```swift
/// let checks = try loop.iterations(.check)
/// checks.start { _ in flush() }
/// ```
///
/// Nothing is stored: what is asked for is the next time. While somebody asks the loop keeps running.
public final class IterationWatcher: Handle, EventSource, SourceDriver {
  /// A point of an iteration.
  public enum Phase: Hashable, Sendable, CaseIterable {
    /// Before anything else. While somebody asks for it the loop does not wait for events, which takes all of a
    /// processor.
    case idle
    /// Right before the loop waits for events.
    case prepare
    /// Right after the loop has waited, and has told of the events.
    case check
  }

  /// What the source delivers: the phase that it watches.
  public typealias Element = Phase
  /// What ends it before its time.
  public typealias Failure = UVError

  /// The point of the iteration that is watched.
  public let phase: Phase
  let source: SourceCore<Phase>

  init(loop: EventLoop, phase: Phase) throws(UVError) {
    self.phase = phase
    source = SourceCore(loop: loop, operation: "\(phase)")
    let size =
      switch phase {
      case .idle: MemoryLayout<uv_idle_t>.size
      case .prepare: MemoryLayout<uv_prepare_t>.size
      case .check: MemoryLayout<uv_check_t>.size
      }
    try super.init(loop: loop, size: size, "\(phase)_init") { raw in
      switch phase {
      case .idle: uv_idle_init(loop.raw, raw.assumingMemoryBound(to: uv_idle_t.self))
      case .prepare: uv_prepare_init(loop.raw, raw.assumingMemoryBound(to: uv_prepare_t.self))
      case .check: uv_check_init(loop.raw, raw.assumingMemoryBound(to: uv_check_t.self))
      }
    }
    source.driver = self
  }

  /// Asks for the next time; nil never comes. See ``EventSource/next(_:)``.
  ///
  /// The corresponding libuv functions are `uv_idle_start`, `uv_prepare_start` and `uv_check_start`.
  @discardableResult
  public func next(_ done: @escaping Completion<Phase?>) -> PendingRequest { source.next(done) }

  /// Calls `handler` in each iteration.
  ///
  /// The corresponding libuv functions are `uv_idle_start`, `uv_prepare_start` and `uv_check_start`.
  public func start(_ handler: @escaping Completion<Phase?>) { source.start(handler) }

  /// Stops calling the handler.
  ///
  /// The corresponding libuv functions are `uv_idle_stop`, `uv_prepare_stop` and `uv_check_stop`.
  public func stop() { source.stop() }

  func resume() {
    guard !isClosing else {
      let error = closedError("\(phase)")
      return loop.queueMicrotask { [self] in source.finish(error) }
    }
    // These fail only without a callback.
    switch phase {
    case .idle: uv_idle_start(block.raw.assumingMemoryBound(to: uv_idle_t.self), idleTurn)
    case .prepare: uv_prepare_start(block.raw.assumingMemoryBound(to: uv_prepare_t.self), prepareTurn)
    case .check: uv_check_start(block.raw.assumingMemoryBound(to: uv_check_t.self), checkTurn)
    }
    keepAlive(.source)
  }

  func pause() {
    if !isClosing {
      switch phase {
      case .idle: uv_idle_stop(block.raw.assumingMemoryBound(to: uv_idle_t.self))
      case .prepare: uv_prepare_stop(block.raw.assumingMemoryBound(to: uv_prepare_t.self))
      case .check: uv_check_stop(block.raw.assumingMemoryBound(to: uv_check_t.self))
      }
    }
    letGo(.source)
  }

  override func didClose() {
    source.finish(UVError(.cancelled, operation: "\(phase)"))
    super.didClose()
  }

  /// Waits for one iteration after the other until the watcher is closed.
  public func makeAsyncIterator() -> SourceIterator<Element> { SourceIterator(source: source) }
}

extension EventLoop {
  /// Watches the loop's iterations.
  ///
  /// - Parameter phase: At which point of each.
  /// - Throws: `loopClosed` if the loop has been shut down.
  ///
  /// The corresponding libuv functions are `uv_idle_init`, `uv_prepare_init` and `uv_check_init`.
  public func iterations(_ phase: IterationWatcher.Phase) throws(UVError) -> IterationWatcher {
    try IterationWatcher(loop: self, phase: phase)
  }
}

private func idleTurn(_ handle: UnsafeMutablePointer<uv_idle_t>?) { didReach(handle!) }
private func prepareTurn(_ handle: UnsafeMutablePointer<uv_prepare_t>?) { didReach(handle!) }
private func checkTurn(_ handle: UnsafeMutablePointer<uv_check_t>?) { didReach(handle!) }

private func didReach(_ handle: UnsafeMutableRawPointer) {
  let watcher = owner(of: handle, as: IterationWatcher.self)
  let loop = watcher.loop
  loop.beginCallback()
  watcher.source.deliver(watcher.phase)
  loop.endCallback()
  watcher.source.pauseIfUnwanted()
}
