struct Selftest {
  var workers: Workers
  /// The rows, one style each.
  var cases: [SuitePlan.Case]
  /// When it must be over, by the monotonic clock.
  var deadline: UInt64
  var record: SelftestRecord
  private let begun = ProcessUsage.now().wall

  /// Injects something that can be counted, and looks whether counts show it, until the deadline; `save` is
  /// called after each.
  mutating func counts(repetitions: Int, save: (SelftestRecord) throws -> Void) throws {
    let base = try count([], processes: 3)
    for _ in 0..<repetitions {
      for (name, arguments) in [
        ("alloc", ["--inject-alloc"]), ("syscall", ["--inject-syscall"]),
        ("enqueue", ["--inject-enqueue"]), ("counts-0", []),
      ] {
        let started = ProcessUsage.now().wall
        guard started < deadline else { return }
        note(name, base, try count(arguments), since: started)
        try save(record)
      }
    }
  }

  /// Does one per cent more, and looks whether instructions show it, where they do not depend on
  /// timing. `seconds` are what it may take.
  mutating func instructions(repetitions: Int, within seconds: Double) throws {
    let started = ProcessUsage.now().wall
    func counted(
      _ cases: [SuitePlan.Case], _ arguments: [String] = [], repetitions: Int = 1
    ) throws -> [String: Counts] {
      try InstructionCounter(self.started(arguments)).count(cases, repetitions: repetitions)
        .mapValues { [.instructions: $0] }
    }
    let base = try counted(cases, repetitions: 3)
    let unsteady = base.filter { !CountsRule.isSteady(.instructions, in: $0.value) }.keys.sorted()
    for id in unsteady { RootCommand.complain("instructions of \(id) depend on timing: not judged") }
    let steady = base.filter { !unsteady.contains($0.key) }
    let rows = cases.filter { steady[$0.id($0.styles[0]).description] != nil }
    for _ in 0..<repetitions {
      for (name, arguments) in [("instructions-0", []), ("instructions-1", ["--inject", "1"])] {
        let now = ProcessUsage.now().wall
        guard Double(now - started) / 1e9 < seconds else { return }
        note(name, steady, try counted(rows, arguments), since: now)
      }
    }
  }

  private func count(_ arguments: [String], processes: Int = 1) throws -> [String: Counts] {
    try CountsRunner(progress: Progress(), startWorker: started(arguments).start)
      .run(cases, processes: processes)
  }

  private mutating func note(
    _ name: String, _ base: [String: Counts], _ head: [String: Counts], since started: UInt64
  ) {
    let seconds = Double(ProcessUsage.now().wall - started) / 1e9
    for row in CountsRule.judge(base: base, head: head, isChosen: { _ in true }) {
      // A warning is a way of being found.
      record.note(
        workload: WorkloadID(row.id)?.workload ?? row.id, injected: name,
        outcome: row.isWarning ? .regressed : row.outcome, seconds: seconds / Double(max(head.count, 1)))
    }
  }

  /// Compares this program with itself, where `equals`, and with itself doing more, until the
  /// deadline. Comparisons of equals take turns with the others; `save` is called after each.
  mutating func times(
    _ changes: [String], equals: Bool, bias: Double?, save: (SelftestRecord) throws -> Void
  ) throws {
    let progress = Progress()
    let same: [(name: String, base: [String], head: [String])] = equals ? [("0", [], [])] : []
    var plan = changes.isEmpty ? same : []
    for change in changes { plan += same + [(change, [], ["--inject", change])] }
    if let bias {
      let words = ["--inject-bias", "\(bias)"]
      plan.append(("bias", words, words))
    }
    var turn = record.tallies.reduce(0) { $0 + $1.outcomes.values.reduce(0, +) }
    while !plan.isEmpty, !cases.isEmpty {
      // Each row with each change, before any comes again.
      let item = cases[turn % cases.count]
      let (name, base, head) = plan[turn / cases.count % plan.count]
      let now = ProcessUsage.now().wall
      guard now + 20_000_000_000 < deadline else { break }
      progress.show(
        "\(item.workload.name), injected \(name)",
        share: Double(now - begun) / Double(max(deadline - begun, 1)))
      let row = try compare(item, base, head, seed: now)
      record.note(
        workload: item.workload.name, injected: name, outcome: row.outcome, seconds: row.seconds ?? 0)
      try save(record)
      turn += 1
    }
    progress.clear()
  }

  private func compare(
    _ item: SuitePlan.Case, _ base: [String], _ head: [String], seed: UInt64
  ) throws -> GateRow {
    let options = TimeGate.Options(seed: seed, comparesWork: base.isEmpty && head.isEmpty, confirms: false)
    return try TimeGate(
      base: started(base).start, head: started(head).start, options: options,
      progress: Progress(isShown: false)
    ).run([item])[0]
  }

  private func started(_ arguments: [String]) -> Workers {
    var workers = workers
    workers.arguments = arguments
    return workers
  }
}

extension SelftestRecord {
  /// The figures in words.
  var lines: [String] {
    let head = [
      "injected", "workload", "tries", "found", "interval 95 %", "cannot tell", "called same", "s each",
      "at most",
    ]
    let rows = injections.flatMap { injected in
      workloads.compactMap { workload -> [String]? in
        let found = proportion([.regressed, .improved], injected: injected, workload: workload)
        guard found.tries > 0 else { return nil }
        return [Self.label(injected), workload] + cells(found, injected, workload)
      }
    }
    let alarms = proportion([.regressed, .improved], injected: "0")
    let open = proportion([.inconclusive, .tooNoisy], injected: "0")
    return TextTable([head] + rows, words: [0, 1]).text + [
      "",
      "false alarms: \(alarms.hits) of \(alarms.tries) comparisons of a program with itself,"
        + " \(Self.interval(alarms)); cannot tell: \(Self.share(open.rate))",
    ]
  }

  private func cells(_ found: Proportion, _ injected: String, _ workload: String) -> [String] {
    let open = proportion([.inconclusive, .tooNoisy], injected: injected, workload: workload)
    let same = proportion([.unchanged], injected: injected, workload: workload)
    let tally = tallies.first { $0.injected == injected && $0.workload == workload }
    return [
      "\(found.tries)", Self.share(found.rate), Self.interval(found), Self.share(open.rate),
      Self.share(same.rate), Figure.fixed((tally?.seconds ?? 0) / Double(found.tries), digits: 1),
      Figure.fixed(tally?.longest ?? 0, digits: 1),
    ]
  }

  private static func label(_ injected: String) -> String {
    injected == "0" ? "nothing" : Double(injected) == nil ? injected : "\(injected) %"
  }

  private static func share(_ rate: Double?) -> String {
    rate.map { Figure.fixed($0 * 100, digits: 1) + " %" } ?? "–"
  }

  private static func interval(_ proportion: Proportion) -> String {
    let interval = proportion.interval()
    return "\(share(interval.lowerBound)) to \(share(interval.upperBound))"
  }
}
