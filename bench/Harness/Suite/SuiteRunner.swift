/// Measures the cases of a plan, each with a live worker for every row.
final class SuiteRunner {
  private let plan: SuitePlan
  private let startWorker: (WorkloadID) throws -> any RowWorker
  private let progress: Progress
  private let started = ProcessUsage.now().wall
  private var finishedCases = 0
  private(set) var libraries: [String: String] = [:]
  /// Cases for which the budget had no time left.
  private(set) var leftOut: [SuitePlan.Case] = []
  /// Programs of others for which it had none in a case that was measured.
  private(set) var leftOutRows: [WorkloadID] = []

  init(_ plan: SuitePlan, progress: Progress, startWorker: @escaping (WorkloadID) throws -> any RowWorker) {
    (self.plan, self.progress, self.startWorker) = (plan, progress, startWorker)
  }

  /// Measures everything; `report` receives the rows of each case when it is done.
  func run(_ report: ([RowResult]) -> Void) throws -> [RowResult] {
    defer { progress.clear() }
    var results: [RowResult] = []
    for item in plan.cases {
      if finishedCases > 0, let budget = plan.budget, Double(ProcessUsage.now().wall - started) > budget {
        leftOut.append(item)
        continue
      }
      let rows = try measure(item)
      finishedCases += 1
      results += rows
      progress.clear()
      report(rows)
    }
    return results
  }

  private func measure(_ whole: SuitePlan.Case) throws -> [RowResult] {
    var item = whole
    if let budget = plan.budget {
      item.styles = plan.affordableStyles(whole, within: share(of: budget))
      leftOutRows += whole.styles.filter { !item.styles.contains($0) }.map(whole.id)
    }
    let rows = try item.styles.map { style in
      let worker = try startWorker(item.id(style))
      libraries.merge(worker.hello.libraries) { $1 }
      return Row(id: item.id(style), worker: worker)
    }
    defer { for row in rows { row.worker.finish() } }
    let started = ProcessUsage.now().wall
    let end = plan.budget.map { started + UInt64(share(of: $0)) } ?? .max
    var operations = try prepare(item, rows, since: started)
    var arrivals: Arrivals?
    switch plan.load {
    case .closed: break
    case .rate(let given): arrivals = given
    case .shareOfPeak(let share, let isPoisson):
      let capacity = try rows[0].ask(.time, operations: operations, seed: seed(-3)).rate
      arrivals = Arrivals(rate: Double(Calibration.rounded(share * capacity)), isPoisson: isPoisson)
    case .findPeak: return try findPeaks(item, rows, operations, since: started, until: end)
    }
    if let arrivals {
      let window = min(plan.window, affordable(Double(plan.rounds * rows.count), since: started))
      operations = max(100, Int(arrivals.rate * window / 1e9))
    }
    var spent = 0.0
    for round in 0..<plan.rounds {
      try startAnew(item, rows, operations, before: round)
      let begin = ProcessUsage.now().wall
      for (place, index) in LatinSquare.order(count: rows.count, round: round).enumerated() {
        let done = Double(round * rows.count + place) / Double(plan.rounds * rows.count)
        show(item, "round \(round + 1)/\(plan.rounds), \(rows[index].id.style)", done)
        let row = rows[index]
        row.answers.append(
          try row.ask(.run, operations: operations, seed: seed(round), arrivals: arrivals))
      }
      try compare(rows)
      // On a machine that is busy with something else fewer rounds are better than none. Without a few of them
      // there is no ratio, and nothing has been found out.
      let now = ProcessUsage.now().wall
      spent += Double(now - begin)
      // Rounds whose operations a parameter gives may be long.
      let isLate = spent > 3 * Double(plan.rounds * rows.count) * plan.window
      let count = round + 1
      if now > end && count >= RowResult.leastRounds || isLate && count >= SuitePlan.usualRounds { break }
    }
    if plan.counts {
      for row in rows { row.counts = try row.ask(.count, operations: operations, seed: seed(plan.rounds)) }
    }
    return results(rows, operations, arrivals)
  }

  private func results(_ rows: [Row], _ operations: Int, _ arrivals: Arrivals?) -> [RowResult] {
    let reference = rows.first { $0.id.style == .c }?.answers
    return rows.map { row in
      var result = RowResult(
        id: row.id, operations: operations, warm: row.warm, answers: row.answers, reference: reference,
        counts: row.counts, arrivals: arrivals)
      if !row.peaks.isEmpty { result.peakRate = Statistics.median(row.peaks) }
      return result
    }
  }

  private func findPeaks(
    _ item: SuitePlan.Case, _ rows: [Row], _ operations: Int, since started: UInt64, until end: UInt64
  ) throws -> [RowResult] {
    let passes = plan.rounds * rows.count * (PeakSearch.mostTries + 1)
    let window = min(plan.window, affordable(Double(passes), since: started))
    for round in 0..<plan.rounds where round == 0 || ProcessUsage.now().wall <= end {
      try startAnew(item, rows, operations, before: round)
      for index in LatinSquare.order(count: rows.count, round: round) {
        let row = rows[index]
        show(item, "peak \(round + 1)/\(plan.rounds), \(row.id.style)", Double(round) / Double(plan.rounds))
        let capacity = try row.ask(.time, operations: operations, seed: seed(round)).rate
        var search = PeakSearch(capacity: capacity)
        while let rate = search.next {
          let count = max(100, Int(rate * window / 1e9))
          let answer = try row.ask(.run, operations: count, seed: seed(round), arrivals: Arrivals(rate: rate))
          search.note(answer)
        }
        guard let best = search.best else { continue }
        row.answers.append(best.answer)
        row.peaks.append(best.rate)
      }
    }
    return results(rows, operations, nil)
  }

  /// Calibrates, warms all rows up, and says how many operations a round has: the same
  /// for all, mainly after the first row.
  private func prepare(_ item: SuitePlan.Case, _ rows: [Row], since started: UInt64) throws -> Int {
    show(item, "calibrating", 0)
    var operations: Int
    switch item.workload.operationCount {
    case .parameter(let name):
      operations = item.parameters[name]
    case .calibrated:
      operations = try calibrate(rows[0])
      // A row that is much slower must not make a round endless; all rows do less then.
      for row in rows.dropFirst() {
        show(item, "calibrating \(row.id.style)", 0)
        operations = min(operations, try calibrate(row) * 4)
      }
    }
    let perRound = try warmUp(item, rows, operations)
    if item.workload.operationCount == .calibrated {
      // A process that is started anew warms up for two rounds at least.
      let passes = Double(plan.rounds + 2 * (plan.processes - 1)) + (plan.counts ? 1.2 : 0)
      let affordable = affordable(passes, since: started)
      if perRound > affordable {
        // A round of a few operations would measure their start and nothing else.
        operations = Calibration.rounded(Double(operations) * max(affordable / perRound, 0.1))
      }
    }
    return operations
  }

  /// Goes on with other processes, where the plan wants that before a round.
  private func startAnew(_ item: SuitePlan.Case, _ rows: [Row], _ operations: Int, before round: Int) throws {
    guard plan.startsAnew(before: round) else { return }
    for row in rows { try row.startAnew(startWorker) }
    _ = try warmUp(item, rows, operations, share: Double(round) / Double(plan.rounds))
  }

  /// Warms all rows up. Returns how long a round of all of them takes, in nanoseconds.
  private func warmUp(
    _ item: SuitePlan.Case, _ rows: [Row], _ operations: Int, share: Double = 0
  ) throws -> Double {
    try rows.reduce(0) { time, row in
      show(item, "warming up \(row.id.style)", share)
      return time + (try row.warmUp(operations: operations, limit: plan.warmUp, seed: seed(-2)))
    }
  }

  /// How long each of so many passes over a case may take, in nanoseconds.
  private func affordable(_ passes: Double, since started: UInt64) -> Double {
    guard let budget = plan.budget else { return .infinity }
    let share = share(of: budget)
    return max(share - Double(ProcessUsage.now().wall - started), share / 4) / passes
  }

  /// The part of what is left of the budget that belongs to the next case.
  private func share(of budget: Double) -> Double {
    let left = budget - Double(ProcessUsage.now().wall - started)
    return max(0, left) / Double(plan.cases.count - finishedCases)
  }

  /// How many operations of a row take as long as a window shall be.
  private func calibrate(_ row: Row) throws -> Int {
    var calibration = Calibration(target: plan.window)
    while true {
      let answer = try row.ask(.run, operations: calibration.operations, seed: seed(-1))
      if calibration.note(wall: Double(answer.wallNanoseconds)) { return calibration.operations }
    }
  }

  /// All rows did the same work in the last round, or there are no figures. A peer without a checksum has had
  /// its work checked by who started it.
  private func compare(_ rows: [Row]) throws {
    let checksums = rows.map { $0.answers.last?.checksum ?? "" }
    for (row, checksum) in zip(rows, checksums) where !checksum.isEmpty && checksum != checksums[0] {
      throw WrongWork("\(row.id) found something else than \(rows[0].id.style)")
    }
  }

  /// The same data for all rows of a round; other data in another round.
  private func seed(_ round: Int) -> UInt64 { UInt64(1_000_003 + round) }

  private func show(_ item: SuitePlan.Case, _ text: String, _ share: Double) {
    let parameters = item.parameters.description
    progress.show(
      item.workload.name + (parameters.isEmpty ? "" : " " + parameters) + ": " + text,
      share: (Double(finishedCases) + share) / Double(plan.cases.count))
  }
}

private final class Row {
  let id: WorkloadID
  private(set) var worker: any RowWorker
  var answers: [WorkerAnswer] = []
  var counts: WorkerAnswer?
  var peaks: [Double] = []
  /// Whether its processes settled, all of them.
  private(set) var warm = true

  init(id: WorkloadID, worker: any RowWorker) { (self.id, self.worker) = (id, worker) }

  func ask(
    _ verb: WorkerRequest.Verb, operations: Int, seed: UInt64, arrivals: Arrivals? = nil
  ) throws -> WorkerAnswer {
    let answer = try worker.ask(
      WorkerRequest(verb, id, operations: operations, seed: seed, arrivals: arrivals), within: 600)
    guard answer.operations == operations else {
      throw WrongWork("\(id): \(answer.operations) of \(operations) operations completed")
    }
    return answer
  }

  /// Goes on with another process.
  func startAnew(_ start: (WorkloadID) throws -> any RowWorker) throws {
    worker.finish()
    worker = try start(id)
  }

  /// Returns how long the last window was, in nanoseconds.
  func warmUp(operations: Int, limit: Double, seed: UInt64) throws -> Double {
    var warmUp = WarmUp(limit: limit)
    while true {
      let answer = try ask(.run, operations: operations, seed: seed)
      if warmUp.note(wall: Double(answer.wallNanoseconds)) {
        warm = warm && warmUp.settled
        return Double(answer.wallNanoseconds)
      }
    }
  }
}
