package import UV

/// The counts of a loop, and the numbers of its open handles, requests and tasks at one moment; see ``LoopFigure``.
package struct LoopReading: Sendable {
  package let statistics: LoopStatistics
  package let stalls: Int
  package let connections: Int
  /// Without turns unless the loop measures them.
  package let lag: LoopLag
  /// Nil unless the loop measures them.
  package let pool: PoolTimes?
  package let poolRequests: Int
  package let poolAge: Duration

  /// Reads a loop. On its thread.
  package init(_ loop: EventLoop) {
    statistics = loop.statistics
    stalls = loop.stallCount
    connections = loop.openConnectionCount
    lag = loop.lag
    pool = loop.poolTimes
    (poolRequests, poolAge) = loop.poolUse
  }
}

/// Two readings of a loop, and what it has measured between them.
package struct LoopPeriod {
  package let now: LoopReading
  package let last: LoopReading
  /// Nil if the loop doesn't measure its turns.
  package let lag: LoopLag?

  package init(_ now: LoopReading, since last: LoopReading) {
    self.now = now
    self.last = last
    lag = now.lag.elapsedTime > .zero ? now.lag.since(last.lag) : nil
  }

  /// The mean time of the requests that the pool has finished meanwhile, in seconds.
  fileprivate func poolMean(_ sum: KeyPath<PoolTimes, UInt64>) -> Double? {
    guard let now = now.pool else { return nil }
    let last = last.pool ?? PoolTimes()
    let count = now.count - last.count
    return count == 0 ? 0 : Double(now[keyPath: sum] - last[keyPath: sum]) / Double(count) / 1e9
  }
}

/// A figure that is reported of each loop. Its name is stable.
package struct LoopFigure: Sendable {
  /// How to get the figure; nil if it isn't known.
  package enum Kind: Sendable {
    /// A count that only grows.
    case count(@Sendable (LoopReading) -> Int?)
    /// A time in seconds that only grows.
    case time(@Sendable (LoopReading) -> Duration?)
    /// How much there is at the moment; 0 when the loop has ended.
    case level(@Sendable (LoopReading) -> Double)
    /// A figure of the time since the last reading.
    case period(@Sendable (LoopPeriod) -> Double?)
  }

  package let name: String
  /// A dimension beside the loop's name.
  package let dimension: (name: String, value: String)?
  package let help: String
  package let kind: Kind

  /// The figure at one moment; nil for that of a period, and for what isn't known. Times are in seconds.
  package func value(of reading: LoopReading) -> Double? {
    switch kind {
    case .count(let value): value(reading).map(Double.init)
    case .time(let value): value(reading).map { $0 / .seconds(1) }
    case .level(let value): value(reading)
    case .period: nil
    }
  }

  private init(_ name: String, _ help: String, of dimension: (String, String)? = nil, _ kind: Kind) {
    (self.name, self.help, self.dimension, self.kind) = (name, help, dimension, kind)
  }

  private static func delay(_ name: String, _ value: @escaping @Sendable (LoopLag) -> Duration) -> LoopFigure
  {
    let help = "How long an event waits for the loop, in seconds: \(name)."
    return LoopFigure("uv.eventloop.delay.\(name)", help, .period { $0.lag.map { value($0) / .seconds(1) } })
  }

  private static func time(_ state: String, _ value: @escaping @Sendable (LoopLag) -> Duration) -> LoopFigure
  {
    LoopFigure(
      "uv.eventloop.time", "Seconds in which the loop was busy, and in which it waited.",
      of: ("uv.eventloop.state", state), .time { $0.lag.elapsedTime > .zero ? value($0.lag) : nil })
  }

  /// All figures. Those of one name, which differ by their dimension, follow each other.
  package static let all: [LoopFigure] = [
    .init("uv.eventloop.turns", "Turns of the loop.", .count { $0.statistics.turns.map { Int($0) } }),
    .init(
      "uv.eventloop.events", "Events that the system has reported.",
      .count { $0.statistics.events.map { Int($0) } }),
    .init(
      "uv.eventloop.jobs", "Parts of Swift tasks that have run.",
      .count { $0.statistics.jobsFromLoop + $0.statistics.jobsFromOtherThreads }),
    .init("uv.eventloop.stalls", "Stalls that watchStalls has reported.", .count { $0.stalls }),
    delay("min") { $0.waitPercentile(0) }, delay("max") { $0.max }, delay("mean") { $0.waitMean },
    delay("stddev") { $0.waitStandardDeviation }, delay("p50") { $0.waitPercentile(50) },
    delay("p90") { $0.waitPercentile(90) }, delay("p99") { $0.waitPercentile(99) },
    .init(
      "uv.eventloop.utilization", "The share of the time in which turns ran.", .period { $0.lag?.utilization }
    ),
    time("active") { $0.busyTime },
    time("idle") { max($0.elapsedTime - $0.busyTime, .zero) },
    .init("uv.eventloop.handles", "Handles that are open.", .level { Double($0.statistics.handles) }),
    .init("uv.eventloop.requests", "Requests that libuv holds.", .level { Double($0.statistics.requests) }),
    .init("uv.eventloop.tasks", "Tasks that haven't ended.", .level { Double($0.statistics.tasks) }),
    .init(
      "uv.eventloop.timers", "Sleeps and timeouts that haven't ended.",
      .level { Double($0.statistics.timers) }),
    .init(
      "uv.connections.accepted", "Connections that listeners have accepted.",
      .count { $0.statistics.accepted }),
    .init(
      "uv.connections.refused", "Connections that couldn't be accepted.", .count { $0.statistics.refused }),
    .init(
      "uv.connections.open", "Connections that came through a listener and are open.",
      .level { Double($0.connections) }),
    .init("uv.bytes.read", "Bytes that streams have read.", .count { $0.statistics.bytesRead }),
    .init(
      "uv.bytes.written", "Bytes that the system has taken from streams.",
      .count { $0.statistics.bytesWritten }),
    .init("uv.timeouts", "Waits that have reached their limit.", .count { $0.statistics.timeouts }),
    .init(
      "uv.pool.requests", "The loop's requests that the thread pool has.",
      .level { Double($0.poolRequests) }),
    .init(
      "uv.pool.age", "For how long the thread pool has had the oldest of them, in seconds.",
      .level { $0.poolAge / .seconds(1) }),
    .init("uv.pool.finished", "Requests that the thread pool has finished.", .count { $0.pool?.count }),
    .init(
      "uv.pool.wait", "How long each of them has waited for a thread, in seconds.",
      .period { $0.poolMean(\.waiting) }),
    .init(
      "uv.pool.run", "How long a thread has worked on each of them, in seconds.",
      .period { $0.poolMean(\.running) }),
  ]
}
