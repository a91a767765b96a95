public import UV

extension EventLoop {
  /// Waits until the system doesn't know a process any more. A child has to be waited for by then.
  public nonisolated(nonsending) func settle(untilGone process: Int32) async throws(UVError) {
    try await settle {
      do throws(UVError) {
        try processes.kill(process, Signal(rawValue: 0))
        return false
      } catch { return error.code == .noSuchProcess }
    }
  }
}
