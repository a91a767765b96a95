import Metrics
import UV

/// The instruments of swift-metrics for one loop; see `EventLoop.reportMetrics`. Their names are stable.
struct LoopInstruments {
  /// There are none unless the loop measures its turns.
  private var lag: LagInstruments?
  private let makeLag: () -> LagInstruments
  /// Nil where libuv, older than 1.45, doesn't count them.
  private let turns, events: Counter?
  private let jobs, stalls, accepted, refused, timeouts, read, written, poolFinished: Counter
  private let handles, requests, tasks, timers, connections, poolRequests, poolAge, poolWait, poolRun: Gauge

  init(_ loop: EventLoop, _ name: String, _ factory: any MetricsFactory) {
    let dimensions = [("loop", name)]
    func counter(_ label: String) -> Counter {
      Counter(label: label, dimensions: dimensions, factory: factory)
    }
    func gauge(_ label: String) -> Gauge { Gauge(label: label, dimensions: dimensions, factory: factory) }
    let countsTurns = loop.metrics != nil
    turns = countsTurns ? counter("uv.eventloop.turns") : nil
    events = countsTurns ? counter("uv.eventloop.events") : nil
    jobs = counter("uv.eventloop.jobs")
    stalls = counter("uv.eventloop.stalls")
    handles = gauge("uv.eventloop.handles")
    requests = gauge("uv.eventloop.requests")
    tasks = gauge("uv.eventloop.tasks")
    timers = gauge("uv.eventloop.timers")
    accepted = counter("uv.connections.accepted")
    refused = counter("uv.connections.refused")
    connections = gauge("uv.connections.open")
    timeouts = counter("uv.timeouts")
    read = counter("uv.bytes.read")
    written = counter("uv.bytes.written")
    poolRequests = gauge("uv.pool.requests")
    poolAge = gauge("uv.pool.age")
    poolFinished = counter("uv.pool.finished")
    poolWait = gauge("uv.pool.wait")
    poolRun = gauge("uv.pool.run")
    makeLag = { LagInstruments(dimensions, factory) }
  }

  mutating func record(_ now: LoopReading, since last: LoopReading, _ loop: EventLoop) {
    if let now = now.metrics, let last = last.metrics {
      turns?.increment(by: now.turns - last.turns)
      events?.increment(by: now.events - last.events)
    }
    jobs.increment(by: now.jobs - last.jobs)
    stalls.increment(by: now.stalls - last.stalls)
    accepted.increment(by: now.counts.accepted - last.counts.accepted)
    refused.increment(by: now.counts.refused - last.counts.refused)
    timeouts.increment(by: now.counts.timeouts - last.counts.timeouts)
    read.increment(by: now.counts.bytesRead - last.counts.bytesRead)
    written.increment(by: now.counts.bytesWritten - last.counts.bytesWritten)
    let activity = loop.activity
    handles.record(activity.handles)
    requests.record(activity.requests)
    tasks.record(activity.tasks)
    timers.record(activity.timers)
    connections.record(loop.openConnectionCount)
    if now.lag.elapsedTime > .zero {
      let instruments = lag ?? makeLag()
      lag = instruments
      instruments.record(now.lag.since(last.lag))
    }
    let pool = loop.poolUse
    poolRequests.record(pool.count)
    poolAge.record(pool.longest / .seconds(1))
    let finished = now.pool.count - last.pool.count
    poolFinished.increment(by: finished)
    func mean(_ sum: UInt64) -> Double { finished == 0 ? 0 : Double(sum) / Double(finished) / 1e9 }
    poolWait.record(mean(now.pool.waiting - last.pool.waiting))
    poolRun.record(mean(now.pool.running - last.pool.running))
  }

  /// Nothing is open after the loop's end.
  func recordEnd() {
    for gauge in [handles, requests, tasks, timers, connections, poolRequests, poolAge] { gauge.record(0) }
  }
}
