extension EventLoopGroup {
  /// A snapshot of each loop of the group: its work, and its reasons to wait; see ``EventLoop/snapshot(limit:)``.
  ///
  /// The loops are asked one after the other, and each answers when it has time.
  ///
  /// - Parameter limit: How many tasks to list of each loop, how many handles, and so on; 0 or more.
  /// - Returns: A snapshot of each loop that hasn't ended.
  ///
  /// The corresponding libuv function is `uv_print_all_handles`.
  public func snapshots(limit: Int = 100) async -> [LoopSnapshot] {
    var snapshots: [LoopSnapshot] = []
    for executor in executors {
      if let snapshot = try? await executor.submit({ $0.snapshot(limit: limit) }) {
        snapshots.append(snapshot)
      }
    }
    return snapshots
  }

  /// Prints a snapshot of each loop to the standard error whenever the process receives a signal; see
  /// ``EventLoop/printSnapshot(on:limit:)``.
  ///
  /// - Parameters:
  ///   - signal: The signal to watch for.
  ///   - limit: How much to list of each loop.
  /// - Throws: `invalidArgument` for a signal that can't be watched, and `loopClosed` once the group has been shut down.
  ///
  /// The corresponding libuv functions are `uv_signal_start` and `uv_print_all_handles`.
  public func printSnapshots(on signal: Signal, limit: Int = 100) async throws(UVError) {
    for executor in executors {
      try await executor.submit { loop throws(UVError) in _ = try loop.printSnapshot(on: signal, limit: limit)
      }
    }
  }
}
