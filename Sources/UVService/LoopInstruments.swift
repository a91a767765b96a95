import Metrics
import UV

/// The instruments of swift-metrics for one loop; see `EventLoop.reportMetrics`. Their names are stable.
struct LoopInstruments {
  private let turns, events, jobs, stalls, accepted, refused, timeouts, read, written, poolFinished: Counter
  private let handles, requests, tasks, timers, connections, poolRequests, poolAge, poolWait, poolRun, lag,
    longestLag: Gauge

  init(loop name: String, _ factory: any MetricsFactory) {
    let dimensions = [("loop", name)]
    func counter(_ label: String) -> Counter {
      Counter(label: label, dimensions: dimensions, factory: factory)
    }
    func gauge(_ label: String) -> Gauge { Gauge(label: label, dimensions: dimensions, factory: factory) }
    turns = counter("uv.loop.turns")
    events = counter("uv.loop.events")
    jobs = counter("uv.loop.jobs")
    stalls = counter("uv.loop.stalls")
    handles = gauge("uv.loop.handles")
    requests = gauge("uv.loop.requests")
    tasks = gauge("uv.loop.tasks")
    timers = gauge("uv.loop.timers")
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
    lag = gauge("uv.loop.lag")
    longestLag = gauge("uv.loop.lag.max")
  }

  func record(_ now: LoopReading, since last: LoopReading, _ loop: EventLoop) {
    turns.increment(by: now.turns &- last.turns)
    events.increment(by: now.events &- last.events)
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
    // Zero unless the loop measures it.
    let measured = loop.lag
    lag.record(measured.waitPercentile(99) / .seconds(1))
    longestLag.record(measured.max / .seconds(1))
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
