import CUV

/// A source that delivers an element when the process receives a signal.
///
/// As long as the watcher is open, the signal doesn't have its default effect, and the loop's thread doesn't
/// block it. A signal that comes while nobody asks is kept until somebody does. Several of them count as one,
/// as the system itself counts them.
///
/// ```swift
/// let terminations = try loop.signals(.terminate)
/// loop.spawn {
///   _ = try? await terminations.next().value
///   listener.close()
/// }
/// for try await connection in listener { … }   // ends when the signal comes
/// ```
///
/// The watcher keeps its loop running only while somebody asks.
///
/// The corresponding libuv type is `uv_signal_t`.
public final class SignalWatcher: SourceHandle<Signal> {
  /// The signal that is watched.
  public let signal: Signal
  /// Whether the signal has come while nobody asked.
  private var hasCome = false

  private var handle: UnsafeMutablePointer<uv_signal_t> {
    block.raw.assumingMemoryBound(to: uv_signal_t.self)
  }

  init(loop: EventLoop, signal: Signal) throws(UVError) {
    self.signal = signal
    try super.init(loop: loop, "signal", size: MemoryLayout<uv_signal_t>.size, "signal_init") { raw in
      uv_signal_init(loop.raw, raw.assumingMemoryBound(to: uv_signal_t.self))
    }
    isActiveWhileIdle()
    try check(uv_signal_start(handle, signalReceived, signal.rawValue), "signal_start", signal.description)
    cuv_unblock_signal(signal.rawValue)
    keepLoopRunning(whileAsked: false)
  }

  override func didClose() {
    // The signal may have its usual effect again, before which a terminal gets its mode back.
    cuv_guard_terminal(true)
    super.didClose()
  }

  override func startProducing() { keepLoopRunning(whileAsked: true) }

  override func stopProducing() { keepLoopRunning(whileAsked: false) }

  override var hasPending: Bool { hasCome }

  override func deliverPending() {
    guard hasCome, source.hasDemand else { return }
    hasCome = false
    source.deliver(signal)
  }

  fileprivate func receive() {
    loop.callback {
      hasCome = true
      deliverPending()
    }
    source.pauseIfUnwanted()
  }
}

private func signalReceived(_ handle: UnsafeMutablePointer<uv_signal_t>?, _: Int32) {
  idleOwner(of: handle!, as: SignalWatcher.self)?.receive()
}
