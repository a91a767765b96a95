public import Logging
public import UV

extension EventLoop {
  /// Logs a snapshot of the loop whenever the process receives a signal, as JSON in the metadata `snapshot`. For the text on the
  /// standard error, use `printSnapshot(on:)`.
  ///
  /// - Parameters:
  ///   - signal: The signal to watch for.
  ///   - logger: Where to log it, with the level `notice`.
  ///   - limit: How many tasks to list, how many handles, and so on.
  /// - Returns: The watcher of the signal. It doesn't keep the loop running, and needn't be kept.
  /// - Throws: `invalidArgument` for a signal that can't be watched.
  ///
  /// The corresponding libuv function is `uv_signal_start`.
  @discardableResult
  public func logSnapshot(on signal: Signal, to logger: Logger, limit: Int = 100) throws(UVError)
    -> SignalWatcher
  {
    let watcher = try signals(signal)
    watcher.keepsLoopRunning = false
    watcher.start { [unowned watcher] result in
      guard case .success(_?) = result else { return }
      logger.notice(
        "snapshot of the loop", metadata: ["snapshot": "\(watcher.loop.snapshot(limit: limit).json)"])
    }
    return watcher
  }
}
