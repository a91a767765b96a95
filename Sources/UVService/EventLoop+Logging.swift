#if Service || Everything
public import Logging
import StallWatch
public import UV
import UVStalls

extension EventLoop {
  /// Logs a snapshot of the loop whenever the process receives a signal, as JSON in the metadata `snapshot`.
  /// For the text on the standard error, use `printSnapshot(on:)`.
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

  /// Logs each turn of the loop that takes longer than a limit, while it takes that long, with the level
  /// `warning`. It is `watchStalls` of the loop with a handler that logs, so a handler that was set before is
  /// replaced.
  ///
  /// The metadata are `loop`, `duration` in seconds, `function` (the function of the program that blocks the
  /// loop), `spawned` (where the running task was spawned) and `stack` (the calls, the innermost first). What
  /// isn't known is left out.
  ///
  /// - Parameters:
  ///   - limit: How long a turn may take, 1 ms or more.
  ///   - logger: Where to log it. It is called on the thread that watches.
  /// - Throws: The errors of `watchStalls`.
  public func logStalls(longerThan limit: Duration = .milliseconds(100), to logger: Logger) throws(UVError) {
    try watchStalls(longerThan: limit) { stall in
      let frames = stall.frames
      var metadata: Logger.Metadata = [
        "loop": "\(stall.name)", "duration": "\(stall.duration / .seconds(1))",
      ]
      metadata["function"] = Stall.function(in: frames).map { "\($0)" }
      metadata["spawned"] = stall.spawnedAt.map { "\($0)" }
      if !frames.isEmpty { metadata["stack"] = .array(frames.map { "\($0)" }) }
      logger.warning("the loop has not waited for events for too long", metadata: metadata)
    }
  }
}
#endif
