/// The figures of a row as every table shows them: – where there are fewer samples than the figure needs.
struct RowFigures {
  /// A heading, and what stands below it.
  typealias Column = (title: String, figure: (RowFigures) -> String)

  let row: RowResult

  /// The head, and a row of cells for each row.
  static func table(_ rows: [RowResult], _ columns: [Column]) -> [[String]] {
    [columns.map(\.title)] + rows.map { row in columns.map { $0.figure(RowFigures(row: row)) } }
  }

  /// The workload, and the parameters of the case.
  var workload: String {
    row.workload + (row.parameters.names.isEmpty ? "" : " \(row.parameters)")
  }

  var name: String { row.style.rawValue }

  var style: String {
    row.style.rawValue + (row.warm ? "" : " *") + (row.saturated == true ? " saturated" : "")
  }

  /// Operations per second.
  var throughput: String { Figure.count(row.median.throughput) }
  /// How far its rounds lie apart.
  var throughputSpread: String { spread(row.spread.throughput) }
  var throughputRatio: String { ratio { Figure.ratio($0.throughput) } }
  /// Processor time for an operation.
  var cpu: String { hasProcess ? Figure.duration(row.median.cpuNanosecondsPerOperation) : "" }
  /// How far its rounds lie apart.
  var cpuSpread: String { hasProcess ? spread(row.spread.cpuNanosecondsPerOperation) : "" }
  var cpuRatio: String { ratio { Figure.ratio($0.cpu) } }
  /// What an operation takes beyond c's.
  var aboveC: String { row.style == .c ? "" : ratio { Figure.duration($0.cpuNanosecondsAbove) } }
  /// The largest resident size.
  var memory: String { hasProcess ? Figure.bytes(Double(row.median.peakRSSBytes)) : "" }

  /// Whether the measured process could be looked at: a server that ran already can't.
  private var hasProcess: Bool { row.median.cpuNanosecondsPerOperation > 0 }

  // Percentiles of the latencies of all rounds.
  var p50: String { Self.duration(row.pooledLatency.p50) }
  var p99: String { Self.duration(row.pooledLatency.p99) }
  var p999: String { Self.duration(row.pooledLatency.p999) }
  var max: String { Self.duration(row.pooledLatency.max) }
  /// In an open loop, since operations were begun.
  var serviceP99: String { row.arrivals == nil ? "" : Self.duration(row.serviceLatency?.p99) }
  /// The highest rate that it kept up with.
  var peakRate: String { row.peakRate.map { Figure.count($0) + "/s" } ?? "" }

  // Counts for each operation.
  var allocations: String { count(.allocations) }
  var systemCalls: String { count(.systemCalls) }
  var jobs: String { count(.jobs) }

  /// A latency; nil is one of which there are too few samples.
  static func duration(_ value: UInt64?) -> String { value.map { Figure.duration(Double($0)) } ?? "–" }

  private func count(_ counter: Counter) -> String {
    row.countsPerOperation[counter].map { Figure.fixed($0, digits: 2) } ?? ""
  }

  private func spread(_ spread: Spread) -> String {
    row.rounds.count < RowResult.leastRounds ? "–" : Figure.spread(spread.relative)
  }

  private func ratio(_ text: (RowResult.Ratio) -> String) -> String {
    guard let ratio = row.ratioToC else { return "" }
    return row.hasEnoughForARatio ? text(ratio) : "–"
  }
}

extension RowResult {
  /// Rounds without which nothing can be said about how far they lie apart.
  static let leastRounds = 3
  /// Operations in all rounds without which a ratio is that of two accidents.
  static let leastOperations = 100

  /// Whether a ratio to c says anything.
  var hasEnoughForARatio: Bool {
    rounds.count >= Self.leastRounds && operations * rounds.count >= Self.leastOperations
  }
}
