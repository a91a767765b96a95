extension RowResult.Round {
  init(_ answer: WorkerAnswer) {
    let operations = Double(max(answer.operations, 1))
    self.init(
      throughput: answer.rate,
      cpuNanosecondsPerOperation: Double(answer.cpuNanoseconds) / operations,
      userNanosecondsPerOperation: Double(answer.userNanoseconds) / operations,
      systemNanosecondsPerOperation: Double(answer.systemNanoseconds) / operations,
      latency: LatencyHistogram(answer.latencies).summary, peakRSSBytes: answer.peakRSSBytes)
  }

  /// Below so many nanoseconds of processor time the kernel's shares of user and system time are a few of its ticks, or none.
  static let leastForShares = 1e8

  static func median(_ rounds: [Self]) -> Self {
    func middle(_ value: (Self) -> Double) -> Double { Statistics.median(rounds.map(value)) }
    return Self(
      throughput: middle(\.throughput),
      cpuNanosecondsPerOperation: middle(\.cpuNanosecondsPerOperation),
      userNanosecondsPerOperation: middle(\.userNanosecondsPerOperation),
      systemNanosecondsPerOperation: middle(\.systemNanosecondsPerOperation),
      latency: .median(rounds.map(\.latency)),
      peakRSSBytes: UInt64(middle { Double($0.peakRSSBytes) }))
  }
}

extension RowResult.Ratio {
  /// The ratios of `rounds` to those of the reference row, round by round.
  init(_ rounds: [RowResult.Round], to reference: [RowResult.Round]) {
    let pairs = Array(zip(rounds, reference))
    func middle(_ value: (RowResult.Round, RowResult.Round) -> Double) -> Double {
      Statistics.median(pairs.map(value))
    }
    self.init(
      throughput: middle { $0.throughput / $1.throughput },
      cpu: middle { $0.cpuNanosecondsPerOperation / max($1.cpuNanosecondsPerOperation, 1e-9) },
      cpuNanosecondsAbove: middle { $0.cpuNanosecondsPerOperation - $1.cpuNanosecondsPerOperation })
  }
}

extension RowResult {
  /// What the answers of all rounds of a row amount to. `reference` are the answers of
  /// the reference row in the same rounds.
  init(
    id: WorkloadID, operations: Int, warm: Bool, answers: [WorkerAnswer],
    reference: [WorkerAnswer]?, counts: WorkerAnswer?, arrivals: Arrivals? = nil
  ) {
    let rounds = answers.map(Round.init)
    var pooled = LatencyHistogram()
    for answer in answers { pooled.add(LatencyHistogram(answer.latencies)) }
    self.init(
      workload: id.workload, revision: id.revision, parameters: id.parameters, style: id.style,
      operations: operations, warm: warm, rounds: rounds, median: .median(rounds),
      spread: Spreads(
        throughput: Spread(rounds.map(\.throughput)),
        cpuNanosecondsPerOperation: Spread(rounds.map(\.cpuNanosecondsPerOperation))),
      pooledLatency: pooled.summary, histogram: pooled.sparse,
      ratioToC: reference.map { Ratio(rounds, to: $0.map(Round.init)) },
      countsPerOperation: counts.map { counts in
        counts.counters.mapValues { Double($0) / Double(max(counts.operations, 1)) }
      } ?? [:])
    guard let arrivals else { return }
    let achieved = Statistics.median(rounds.map(\.throughput))
    let isSaturated = Self.isSaturated(offered: arrivals.rate, achieved: achieved)
    var service = LatencyHistogram()
    for answer in answers { service.add(LatencyHistogram(answer.service ?? SparseHistogram())) }
    self.arrivals = arrivals
    achievedRate = achieved
    saturated = isSaturated
    serviceLatency = isSaturated ? nil : service.summary
    if isSaturated { pooledLatency = LatencySummary() }
  }
}
