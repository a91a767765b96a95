import CUV

/// A point in each turn of the loop; see ``IterationWatcher``.
public enum IterationPhase: Hashable, Sendable, CaseIterable {
  /// Before anything else in the turn. While somebody asks for this phase, the loop doesn't wait for events,
  /// and so uses all of a processor.
  case idle
  /// Right before the loop waits for events.
  case prepare
  /// Right after the loop has waited for events and delivered them.
  case check
}

/// A source that delivers an element at one point of each turn of the loop. Use it for work that belongs to
/// the loop itself, such as feeding another event loop, or finishing what the turn's callbacks have left to
/// do.
///
/// ```swift
/// let checks = try loop.iterations(.check)
/// checks.start { _ in flush() }
/// ```
///
/// Turns aren't stored: an element is always for the next time that the loop comes to this point. The loop
/// keeps running while somebody asks.
///
/// The corresponding libuv types are `uv_idle_t`, `uv_prepare_t` and `uv_check_t`.
public final class IterationWatcher: SourceHandle<IterationPhase> {
  /// The point of the turn that is watched.
  public let phase: IterationPhase

  init(loop: EventLoop, phase: IterationPhase) throws(UVError) {
    self.phase = phase
    let size =
      switch phase {
      case .idle: MemoryLayout<uv_idle_t>.size
      case .prepare: MemoryLayout<uv_prepare_t>.size
      case .check: MemoryLayout<uv_check_t>.size
      }
    try super.init(loop: loop, "\(phase)", size: size, "\(phase)_init") { raw in
      switch phase {
      case .idle: uv_idle_init(loop.raw, raw.assumingMemoryBound(to: uv_idle_t.self))
      case .prepare: uv_prepare_init(loop.raw, raw.assumingMemoryBound(to: uv_prepare_t.self))
      case .check: uv_check_init(loop.raw, raw.assumingMemoryBound(to: uv_check_t.self))
      }
    }
  }

  override func startProducing() {
    // These fail only without a callback.
    switch phase {
    case .idle: uv_idle_start(block.raw.assumingMemoryBound(to: uv_idle_t.self), idleTurn)
    case .prepare: uv_prepare_start(block.raw.assumingMemoryBound(to: uv_prepare_t.self), prepareTurn)
    case .check: uv_check_start(block.raw.assumingMemoryBound(to: uv_check_t.self), checkTurn)
    }
  }

  override func stopProducing() {
    switch phase {
    case .idle: uv_idle_stop(block.raw.assumingMemoryBound(to: uv_idle_t.self))
    case .prepare: uv_prepare_stop(block.raw.assumingMemoryBound(to: uv_prepare_t.self))
    case .check: uv_check_stop(block.raw.assumingMemoryBound(to: uv_check_t.self))
    }
  }

  fileprivate func reached() {
    loop.callback { source.deliver(phase) }
    source.pauseIfUnwanted()
  }
}

extension EventLoop {
  /// Makes a watcher of the loop's turns.
  ///
  /// - Parameter phase: At which point of each turn the watcher delivers.
  /// - Throws: `loopClosed` if the loop has been shut down.
  ///
  /// The corresponding libuv functions are `uv_idle_init`, `uv_prepare_init` and `uv_check_init`.
  public func iterations(_ phase: IterationPhase) throws(UVError) -> IterationWatcher {
    try IterationWatcher(loop: self, phase: phase)
  }
}

private func idleTurn(_ handle: UnsafeMutablePointer<uv_idle_t>?) {
  owner(of: handle!, as: IterationWatcher.self).reached()
}

private func prepareTurn(_ handle: UnsafeMutablePointer<uv_prepare_t>?) {
  owner(of: handle!, as: IterationWatcher.self).reached()
}

private func checkTurn(_ handle: UnsafeMutablePointer<uv_check_t>?) {
  owner(of: handle!, as: IterationWatcher.self).reached()
}
