#if Service || Everything
public import Metrics
public import UV

extension EventLoop {
  /// Reports what the loop does as metrics, at intervals, until the loop ends. The overview of this module
  /// lists them.
  ///
  /// ```swift
  /// MetricsSystem.bootstrap(prometheus)
  /// try EventLoop.run { loop in
  ///   loop.reportMetrics()
  ///   …
  /// }
  /// ```
  ///
  /// The loop's counts are read when an interval has passed, and once more at the end. Only the times in the
  /// thread pool are measured for it, by up to three readings of the clock for each request. The timer
  /// doesn't keep the loop running.
  ///
  /// - Parameters:
  ///   - interval: The time between two reports, a millisecond or more.
  ///   - name: The value of the dimension `loop`; the loop's own name if it is nil.
  ///   - factory: Where the metrics go. Without one it is the one that the program has bootstrapped.
  /// - Returns: A way to end the reports.
  @discardableResult
  public func reportMetrics(
    every interval: Duration = .seconds(10), as name: String? = nil, to factory: (any MetricsFactory)? = nil
  ) -> PendingRequest {
    let instruments = LoopInstruments(name ?? self.name, factory ?? MetricsSystem.factory)
    let report = LoopReport(self, every: interval, instruments)
    return PendingRequest { report.stop() }
  }
}

extension EventLoopGroup {
  /// Reports what each loop of the group does as metrics; see `reportMetrics` of `EventLoop`.
  ///
  /// - Parameters:
  ///   - interval: The time between two reports, a millisecond or more.
  ///   - name: The name of the group: its loops are called `NAME 1`, `NAME 2`, and so on. If it is nil, they
  ///     have their own names.
  ///   - factory: Where the metrics go. Without one it is the one that the program has bootstrapped.
  /// - Throws: `loopClosed` once the group has been shut down.
  public func reportMetrics(
    every interval: Duration = .seconds(10), as name: String? = nil, to factory: (any MetricsFactory)? = nil
  ) async throws(UVError) {
    for (index, executor) in executors.enumerated() {
      try await executor.submit { loop in
        _ = loop.reportMetrics(every: interval, as: name.map { "\($0) \(index + 1)" }, to: factory)
      }
    }
  }
}
#endif
