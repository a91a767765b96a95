/// A figure of a row that is followed over time.
enum HistoryFigure: String, CaseIterable, Sendable {
  case cpu, throughput, p50, p99

  /// Whether it is taken relative to the reference row of its run where there is one: what the machine was up
  /// to is left out then.
  func isRelative(_ row: RowResult) -> Bool {
    switch self {
    case .cpu, .throughput: row.ratioToC != nil && row.style != .c
    case .p50, .p99: false
    }
  }

  /// The figure of a row; nil where it has none of that kind.
  func value(_ row: RowResult, isRelative: Bool) -> Double? {
    switch self {
    case .cpu: isRelative ? row.ratioToC?.cpu : row.median.cpuNanosecondsPerOperation
    case .throughput: isRelative ? row.ratioToC?.throughput : row.median.throughput
    case .p50: row.saturated == true ? nil : row.pooledLatency.p50.map(Double.init)
    case .p99: row.saturated == true ? nil : row.pooledLatency.p99.map(Double.init)
    }
  }

  func title(isRelative: Bool) -> String {
    let name =
      switch self {
      case .cpu: "processor time per operation"
      case .throughput: "operations per second"
      case .p50: "p50 latency"
      case .p99: "p99 latency"
      }
    return isRelative ? name + " relative to c" : name
  }

  func text(_ value: Double, isRelative: Bool) -> String {
    if isRelative { return Figure.ratio(value) }
    return self == .throughput ? Figure.count(value) + "/s" : Figure.duration(value)
  }
}
