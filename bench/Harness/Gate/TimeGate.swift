/// Measures head against base, row by row: three pairs of fresh processes, in duels.
struct TimeGate {
  typealias Side = () throws -> WorkerProcess

  let base: Side
  let head: Side
  var rule = GateRule()
  var options = Options()
  let progress: Progress

  struct Options: Sendable {
    /// How long a batch shall last when it runs alone, in nanoseconds.
    var batch = 32e6
    /// How long all may take, in seconds.
    var budget: Double?
    /// How long a row may take, in seconds; a third of it belongs to each pair.
    var rowBudget = 19.0
    /// What coins and data follow from.
    var seed: UInt64 = 1
    /// Whether both sides must have found the same. Not so when work was injected.
    var comparesWork = true
    /// Whether a second copy of the base measures the noise.
    var measuresNoise = true
    /// Whether a regression is measured once more at the end and must hold.
    var confirms = true
  }

  /// The verdict on every row of `cases`; `report` receives each when it is reached.
  func run(_ cases: [SuitePlan.Case], report: (GateRow) -> Void = { _ in }) throws -> [GateRow] {
    defer { progress.clear() }
    var random = SplitMix64(seed: options.seed)
    let now = ProcessUsage.now().wall
    let deadline = options.budget.map { now + UInt64($0 * 1e9) } ?? .max
    let rows = cases.flatMap { item in item.styles.map { (item, $0) } }
    var judged: [GateRow] = []
    for (index, (item, style)) in rows.enumerated() {
      let done = Double(index) / Double(rows.count)
      let row = try judge(item, style, until: deadline, &random, share: (done, 1 / Double(rows.count)))
      judged.append(row)
      progress.clear()
      report(row)
    }
    guard options.confirms else { return judged }
    // What was slower for a while is found out by asking again when that while is over.
    for (index, (item, style)) in rows.enumerated() where judged[index].outcome == .regressed {
      let again = try judge(item, style, until: deadline, &random, share: (1, 0))
      judged[index].confirm(with: again)
      progress.clear()
      report(judged[index])
    }
    return judged
  }

  private func judge(
    _ item: SuitePlan.Case, _ style: Style, until deadline: UInt64, _ random: inout SplitMix64,
    share: (done: Double, each: Double)
  ) throws -> GateRow {
    let id = item.id(style)
    let started = ProcessUsage.now().wall
    guard started < deadline else {
      return GateRow(id: id, outcome: .inconclusive, reason: "the time budget was used up before it")
    }
    var trace = GateTrace()
    do {
      let operations = try self.operations(item, id)
      for number in 0..<rule.pairs {
        progress.show(
          "\(id): pair \(number + 1)/\(rule.pairs)",
          share: share.done + share.each * Double(number) / Double(rule.pairs))
        let budget = options.rowBudget * Double(number + 1) / Double(rule.pairs)
        // What starts second may find its files warm: the sides take turns at starting.
        let pair = try GatePair(
          id, operations: operations, base: base, head: head, headFirst: number % 2 == 1,
          options: options, random: &random)
        defer { pair.finish() }
        try pair.measure(into: &trace, rule: rule, until: min(deadline, started + UInt64(budget * 1e9)))
      }
    } catch let error as NotComparable {
      return GateRow(id: id, outcome: .notComparable, reason: error.description)
    }
    let seconds = Double(ProcessUsage.now().wall - started) / 1e9
    return GateRow(id: id, trace: trace, rule: rule, seconds: seconds)
  }

  /// How many operations a batch has, found on the base and the same for both.
  private func operations(_ item: SuitePlan.Case, _ id: WorkloadID) throws -> Int {
    // Where a parameter says how many, a batch is cut short all the same: both sides do
    // the same, and a quad must not take seconds.
    var most = Int.max
    if case .parameter(let name) = item.workload.operationCount { most = item.parameters[name] }
    let worker = try base()
    defer { worker.finish() }
    func ask(_ operations: Int) throws -> WorkerAnswer {
      try worker.begin(WorkerRequest(.time, id, operations: operations, seed: 1))()
    }
    // The first batch pays for what is made once.
    _ = try ask(100)
    var calibration = Calibration(target: options.batch, operations: 100)
    while true {
      let answer = try ask(calibration.operations)
      if calibration.note(wall: Double(answer.wallNanoseconds)) { return min(calibration.operations, most) }
    }
  }
}
