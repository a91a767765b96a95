/// A row of a run that is followed over time.
protocol FollowedRow {
  var id: WorkloadID { get }
  /// Whether a figure is taken relative to the reference row of its run, which leaves out how busy the machine was.
  func isRelative(_ figure: HistoryFigure) -> Bool
  /// A figure of the row; nil where it has none of that kind.
  func value(_ figure: HistoryFigure, isRelative: Bool) -> Double?
}

/// A figure of a row that is followed over time.
enum HistoryFigure: String, CaseIterable, Sendable {
  case cpu, throughput, p50, p99
  case p999 = "p99.9"
  case memory

  func title(relativeTo reference: String? = nil) -> String {
    let name =
      switch self {
      case .cpu: "processor time per operation"
      case .throughput: "operations per second"
      case .p50, .p99, .p999: rawValue + " latency"
      case .memory: "memory"
      }
    return name + (reference.map { " relative to " + $0 } ?? "")
  }

  /// Whether so much more or, below 0, less is worse.
  func isWorse(_ change: Double) -> Bool { self == .throughput ? change < 0 : change > 0 }

  func text(_ value: Double, isRelative: Bool) -> String {
    if isRelative { return Figure.ratio(value) }
    switch self {
    case .throughput: return Figure.count(value) + "/s"
    case .memory: return Figure.bytes(value)
    default: return Figure.duration(value)
    }
  }
}

extension RowResult: FollowedRow {
  func isRelative(_ figure: HistoryFigure) -> Bool {
    (figure == .cpu || figure == .throughput) && ratioToC != nil && style != .c
  }

  func value(_ figure: HistoryFigure, isRelative: Bool) -> Double? {
    func latency(_ value: UInt64?) -> Double? { saturated == true ? nil : value.map(Double.init) }
    return switch figure {
    case .cpu: isRelative ? ratioToC?.cpu : median.cpuNanosecondsPerOperation
    case .throughput: isRelative ? ratioToC?.throughput : median.throughput
    case .p50: latency(pooledLatency.p50)
    case .p99: latency(pooledLatency.p99)
    case .p999: latency(pooledLatency.p999)
    case .memory: Double(median.peakRSSBytes)
    }
  }
}
