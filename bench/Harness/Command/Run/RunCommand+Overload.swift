extension RunCommand {
  /// `run --overload`: looks for the peak of each row of a workload, and asks for multiples of it, whatever
  /// comes back.
  ///
  /// Goodput is how many answers with work come within 50 ms after they were due, each second until the last
  /// answer; p99 is that of all answers with work. Without a limit on work under way a queue grows as long as
  /// the measurement lasts, and soon every answer is late. With it, a server says no at once to what it can't
  /// do, and should keep 0.95 of its peak.
  func runOverload() throws {
    guard let workload = BenchMain.current.overload else {
      throw UsageError("this program has no workload to overload")
    }
    let workers = try Workers()
    let (rounds, seconds) = (measure.rounds ?? 3, measure.duration ?? 2)
    let cases = try SuitePlan.cases([workload], styles: rows.style.map(Style.init(rawValue:)), quick: false)
    let rows = try cases.flatMap { item in
      try item.styles.map { OverloadedRow(item.id($0), try workers.start()) }
    }
    let progress = Progress()
    for round in 0..<rounds {
      for (place, index) in LatinSquare.order(count: rows.count, round: round).enumerated() {
        let done = Double(round * rows.count + place) / Double(rounds * rows.count)
        progress.show("round \(round + 1)/\(rounds), \(rows[index].id)", share: done)
        try rows[index].measure(seconds)
      }
    }
    progress.clear()
    let head = ["limit", "style", "peak"] + OverloadedRow.loads.flatMap { ["\($0)×", "p99"] }
    print("goodput as a share of the peak, and p99, at so many times the peak")
    for line in TextTable([head] + rows.map(\.cells), words: [1]).text { print("  " + line) }
    for row in rows where row.limit > 0 { print(row.verdict) }
  }
}

/// A row of the workload, with what it did at each load.
private final class OverloadedRow {
  /// How many times the peak is asked for.
  static let loads = [0.5, 0.9, 1.1, 2]
  /// The share of the peak that is to be kept at the last of them.
  static let bound = 0.95

  let id: WorkloadID
  private let worker: WorkerProcess
  private var peaks: [Double] = []
  private var shares = loads.map { _ in [Double]() }
  private var latencies = loads.map { _ in LatencyHistogram() }

  init(_ id: WorkloadID, _ worker: WorkerProcess) { (self.id, self.worker) = (id, worker) }

  deinit { worker.finish() }

  var limit: Int { id.parameters["limit"] }

  /// One round: the peak of a closed loop, and what is left of it at each load.
  func measure(_ seconds: Double) throws {
    let peak = try ask((peaks.last ?? 1000) * seconds, nil).goodput
    guard peak > 0 else { throw WrongWork("\(id): no answer comes in time, even at the peak") }
    peaks.append(peak)
    for (place, load) in Self.loads.enumerated() {
      let answer = try ask(load * peak * seconds, Arrivals(rate: load * peak))
      shares[place].append(answer.goodput / peak)
      latencies[place].add(LatencyHistogram(answer.latencies))
    }
  }

  private func ask(_ operations: Double, _ arrivals: Arrivals?) throws -> WorkerAnswer {
    try worker.ask(
      WorkerRequest(
        .run, id, operations: max(Int(operations), 100), seed: UInt64(peaks.count + 1), arrivals: arrivals),
      within: 600)
  }

  var cells: [String] {
    [limit == 0 ? "none" : "\(limit)", id.style.rawValue, Figure.count(Statistics.median(peaks)) + "/s"]
      + zip(shares, latencies).flatMap { shares, latencies in
        [
          Figure.fixed(Statistics.median(shares), digits: 2),
          Figure.duration(latencies.percentile(99)),
        ]
      }
  }

  var verdict: String {
    let kept = Statistics.median(shares.last ?? [])
    return "\(id.style): keeps \(Figure.fixed(kept, digits: 3)) of its peak at twice the peak,"
      + " \(kept >= Self.bound ? "met" : "missed"): ≥ \(Self.bound)"
  }
}

extension WorkerAnswer {
  /// Answers with work that came in time, a second.
  fileprivate var goodput: Double { Double(counters[.inTime] ?? 0) * 1e9 / Double(max(wallNanoseconds, 1)) }
}
