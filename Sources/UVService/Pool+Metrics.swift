#if Service || Everything
public import Metrics
public import UV

extension Pool {
  /// Reports what the pool has and has done as metrics, at intervals, until the pool is gone or the loop ends.
  ///
  /// | Metric | Kind |
  /// |---|---|
  /// | `uv.resources.leased`, `idle`, `creating`, `waiting` | gauges, each of the moment of the report |
  /// | `uv.resources.leases`, `created`, `failed`, `expired`, `gone`, `discarded`, `dropped` | counters |
  /// | `uv.resources.timeouts`, `refused` | counters of leases that weren't granted |
  /// | `uv.resources.wait` | gauge: the mean wait for a lease since the last report, in seconds |
  ///
  /// Reading them costs nothing in between. The timer doesn't keep the loop running, nor the pool alive.
  ///
  /// - Parameters:
  ///   - name: The value of the dimension `pool`.
  ///   - interval: The time between two reports, a millisecond or more.
  ///   - factory: Where the metrics go. Without one it is the one that the program has bootstrapped.
  /// - Returns: A way to end the reports.
  @discardableResult
  public func reportMetrics(
    as name: String, every interval: Duration = .seconds(10), to factory: (any MetricsFactory)? = nil
  ) -> PendingRequest {
    let report = PoolReport(name, factory ?? MetricsSystem.factory, counts)
    report.begin(loop, interval) { [weak self] in self?.counts }
    return PendingRequest { report.stop() }
  }
}

/// Reports the counts of one pool again and again. On the loop's thread.
private final class PoolReport {
  private static let amounts: [(String, any KeyPath<PoolCounts, Int> & Sendable)] = [
    ("leased", \.leased), ("idle", \.idle), ("creating", \.creating), ("waiting", \.waiting),
  ]
  private static let totals: [(String, any KeyPath<PoolCounts, Int> & Sendable)] = [
    ("leases", \.leases), ("created", \.created), ("failed", \.failed), ("expired", \.expired),
    ("gone", \.gone), ("discarded", \.discarded), ("dropped", \.dropped), ("timeouts", \.timeouts),
    ("refused", \.refused),
  ]

  private let gauges: [Gauge]
  private let counters: [Counter]
  private let wait: Gauge
  private var last: PoolCounts
  private var timer = PendingRequest()
  private var isStopped = false

  init(_ name: String, _ factory: any MetricsFactory, _ counts: PoolCounts) {
    let dimensions = [("pool", name)]
    gauges = Self.amounts.map {
      Gauge(label: "uv.resources." + $0.0, dimensions: dimensions, factory: factory)
    }
    counters = Self.totals.map {
      Counter(label: "uv.resources." + $0.0, dimensions: dimensions, factory: factory)
    }
    wait = Gauge(label: "uv.resources.wait", dimensions: dimensions, factory: factory)
    last = counts
  }

  func stop() {
    isStopped = true
    timer.cancel()
  }

  func begin(_ loop: EventLoop, _ interval: Duration, _ read: @escaping () -> PoolCounts?) {
    timer = loop.sleepQuietly(for: interval) { [self, weak loop] result in
      guard let counts = read() else { return }
      record(counts)
      if case .success = result, !isStopped, let loop { begin(loop, interval, read) }
    }
  }

  private func record(_ now: PoolCounts) {
    for (gauge, amount) in zip(gauges, Self.amounts) { gauge.record(now[keyPath: amount.1]) }
    for (counter, total) in zip(counters, Self.totals) {
      counter.increment(by: now[keyPath: total.1] - last[keyPath: total.1])
    }
    let leases = now.leases - last.leases
    wait.record(leases == 0 ? 0 : (now.waitTime - last.waitTime) / .seconds(1) / Double(leases))
    last = now
  }
}
#endif
