/// A figure of a row as every table shows it, and its heading: – where there are fewer samples than it needs.
struct RowFigure: Sendable {
  var title: String
  let text: @Sendable (RowResult) -> String

  init(_ title: String, _ text: @escaping @Sendable (RowResult) -> String) {
    (self.title, self.text) = (title, text)
  }

  /// The head, and a row of cells for each row.
  static func table(_ rows: [RowResult], _ figures: [RowFigure]) -> [[String]] {
    [figures.map(\.title)] + rows.map { row in figures.map { $0.text(row) } }
  }

  static let workload = RowFigure("workload", \.caseName)
  static let name = RowFigure("style") { $0.style.rawValue }
  static let style = RowFigure("style") {
    $0.style.rawValue + ($0.warm ? "" : " *") + ($0.saturated == true ? " saturated" : "")
  }

  static let throughput = RowFigure("ops/s") { Figure.count($0.median.throughput) }
  /// How far its rounds lie apart.
  static let throughputSpread = RowFigure("±") { $0.text($0.spread.throughput) }
  static let throughputRatio = RowFigure("ops/s vs c") { $0.ratio { Figure.ratio($0.throughput) } }
  static let cpu = RowFigure("CPU/op") {
    $0.hasProcess ? Figure.duration($0.median.cpuNanosecondsPerOperation) : ""
  }
  static let cpuSpread = RowFigure("±") { $0.hasProcess ? $0.text($0.spread.cpuNanosecondsPerOperation) : "" }
  static let cpuRatio = RowFigure("CPU vs c") { $0.ratio { Figure.ratio($0.cpu) } }
  static let aboveC = RowFigure("above c") {
    $0.style == .c ? "" : $0.ratio { Figure.duration($0.cpuNanosecondsAbove) }
  }
  static let memory = RowFigure("peak RSS") {
    $0.hasProcess ? Figure.bytes(Double($0.median.peakRSSBytes)) : ""
  }

  static let p50 = RowFigure("p50") { Figure.duration($0.pooledLatency.p50) }
  static let p99 = RowFigure("p99") { Figure.duration($0.pooledLatency.p99) }
  static let p999 = RowFigure("p99.9") { Figure.duration($0.pooledLatency.p999) }
  static let max = RowFigure("max") { Figure.duration($0.pooledLatency.max) }
  /// In an open loop, since operations were begun.
  static let serviceP99 = RowFigure("service p99") {
    $0.arrivals == nil ? "" : Figure.duration($0.serviceLatency?.p99)
  }
  static let peakRate = RowFigure("peak rate") { $0.peakRate.map { Figure.count($0) + "/s" } ?? "" }

  static let allocations = count("allocs/op", .allocations)
  static let systemCalls = count("calls/op", .systemCalls)
  static let jobs = count("jobs/op", .jobs)

  private static func count(_ title: String, _ counter: Counter) -> RowFigure {
    RowFigure(title) { $0.countsPerOperation[counter].map { Figure.fixed($0, digits: 2) } ?? "" }
  }
}

extension RowResult {
  /// Rounds without which nothing can be said about how far they lie apart.
  static let leastRounds = 3
  /// Operations in all rounds without which a ratio is that of two accidents.
  static let leastOperations = 100

  /// User and system time of an operation, the mean of some rounds; nil for rounds too short for the kernel to separate them.
  func shares(of rounds: [Round]) -> [Double?] {
    let all = rounds.reduce(0) { $0 + $1.cpuNanosecondsPerOperation } * Double(operations)
    guard all >= Round.leastForShares else { return [nil, nil] }
    let count = Double(rounds.count)
    return [
      rounds.reduce(0) { $0 + $1.userNanosecondsPerOperation } / count,
      rounds.reduce(0) { $0 + $1.systemNanosecondsPerOperation } / count,
    ]
  }

  /// Whether a ratio to c says anything.
  var hasEnoughForARatio: Bool {
    rounds.count >= Self.leastRounds && operations * rounds.count >= Self.leastOperations
  }

  /// Whether the measured process could be looked at: a server that ran already can't.
  fileprivate var hasProcess: Bool { median.cpuNanosecondsPerOperation > 0 }

  fileprivate func text(_ spread: Spread) -> String {
    rounds.count < Self.leastRounds ? "–" : Figure.spread(spread.relative)
  }

  fileprivate func ratio(_ text: (Ratio) -> String) -> String {
    ratioToC.map { hasEnoughForARatio ? text($0) : "–" } ?? ""
  }
}
