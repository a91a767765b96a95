import Metrics
import UV

/// The instruments for the turns of a loop that measures them. Their names, units and meaning are those of
/// OpenTelemetry's conventions for the runtime of Node.js, with another prefix.
struct LagInstruments {
  private let delay: [(gauge: Gauge, value: (LoopLag) -> Duration)]
  private let utilization: Gauge
  private let active, idle: FloatingPointCounter

  init(_ dimensions: [(String, String)], _ factory: any MetricsFactory) {
    func gauge(_ label: String) -> Gauge { Gauge(label: label, dimensions: dimensions, factory: factory) }
    let delays: [(String, (LoopLag) -> Duration)] = [
      ("min", { $0.waitPercentile(0) }), ("max", { $0.max }), ("mean", { $0.waitMean }),
      ("stddev", { $0.waitStandardDeviation }), ("p50", { $0.waitPercentile(50) }),
      ("p90", { $0.waitPercentile(90) }), ("p99", { $0.waitPercentile(99) }),
    ]
    delay = delays.map { (gauge("uv.eventloop.delay.\($0)"), $1) }
    utilization = gauge("uv.eventloop.utilization")
    func time(_ state: String) -> FloatingPointCounter {
      let dimensions = dimensions + [("uv.eventloop.state", state)]
      return FloatingPointCounter(label: "uv.eventloop.time", dimensions: dimensions, factory: factory)
    }
    active = time("active")
    idle = time("idle")
  }

  /// Records what has been measured since the last report.
  func record(_ lag: LoopLag) {
    for (gauge, value) in delay { gauge.record(value(lag) / .seconds(1)) }
    utilization.record(lag.utilization)
    active.increment(by: lag.busyTime / .seconds(1))
    idle.increment(by: max(lag.elapsedTime - lag.busyTime, .zero) / .seconds(1))
  }
}
