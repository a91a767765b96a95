import CUV

/// A source that tells when the process receives a signal.
///
/// From its making until it is closed, the signal does not have its default effect. One that comes while nobody asks
/// is kept until somebody does; several of them count as one, as the system itself counts them.
///
/// ```swift
/// let terminations = try loop.signals(.terminate)
/// loop.spawn {
///   _ = try? await terminations.next().value
///   listener.close()
/// }
/// ```
public final class SignalWatcher: Handle, EventSource, SourceDriver {
  /// What the source delivers.
  public typealias Element = Signal
  /// What ends it before its time.
  public typealias Failure = UVError

  /// The signal that is watched.
  public let signal: Signal
  let source: SourceCore<Signal>
  private var hasPending = false

  private var handle: UnsafeMutablePointer<uv_signal_t> {
    block.raw.assumingMemoryBound(to: uv_signal_t.self)
  }

  init(loop: EventLoop, signal: Signal) throws(UVError) {
    self.signal = signal
    source = SourceCore(loop: loop, operation: "signal")
    try super.init(loop: loop, size: MemoryLayout<uv_signal_t>.size, "signal_init") { raw in
      uv_signal_init(loop.raw, raw.assumingMemoryBound(to: uv_signal_t.self))
    }
    source.driver = self
    try check(uv_signal_start(handle, signalReceived, signal.rawValue), "signal_start", signal.description)
    // Whoever waits keeps the loop running; a watcher that nobody asks does not.
    uv_unref(block.handle)
  }

  /// Asks for the next occurrence; nil never comes. See ``EventSource/next(_:)``.
  ///
  /// The corresponding libuv function is `uv_signal_start`.
  @discardableResult
  public func next(_ done: @escaping Completion<Signal?>) -> PendingRequest { source.next(done) }

  /// Calls `handler` with each occurrence.
  ///
  /// The corresponding libuv function is `uv_signal_start`.
  public func start(_ handler: @escaping Completion<Signal?>) { source.start(handler) }

  /// Stops calling the handler; the signal still has no default effect until the watcher is closed.
  public func stop() { source.stop() }

  func resume() {
    guard beginWatching(source, "signal") else { return }
    // Not from here: whoever asks is still on the stack.
    guard hasPending else { return }
    loop.queueMicrotask { [self] in
      deliverPending()
      source.pauseIfUnwanted()
    }
  }

  func pause() { endWatching() }

  fileprivate func receive() {
    hasPending = true
    deliverPending()
  }

  private func deliverPending() {
    guard hasPending, source.hasDemand else { return }
    hasPending = false
    source.deliver(signal)
  }

  override func didClose() {
    source.finish(UVError(.cancelled, operation: "signal"))
    super.didClose()
  }

  /// Waits for one occurrence after the other until the watcher is closed.
  public func makeAsyncIterator() -> SourceIterator<Element> { SourceIterator(source: source) }
}

extension EventLoop {
  /// Watches a signal.
  ///
  /// - Throws: `invalidArgument` for a signal that cannot be watched, such as `SIGKILL`.
  ///
  /// The corresponding libuv functions are `uv_signal_init` and `uv_signal_start`.
  public func signals(_ signal: Signal) throws(UVError) -> SignalWatcher {
    try SignalWatcher(loop: self, signal: signal)
  }
}

private func signalReceived(_ handle: UnsafeMutablePointer<uv_signal_t>?, _: Int32) {
  let watcher = owner(of: handle!, as: SignalWatcher.self)
  let loop = watcher.loop
  loop.beginCallback()
  watcher.receive()
  loop.endCallback()
  watcher.source.pauseIfUnwanted()
}
