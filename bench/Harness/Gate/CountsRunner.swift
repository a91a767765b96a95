/// Counts what an operation costs: the slope between so many operations and twice as
/// many, so that what a run costs once drops out.
struct CountsRunner {
  let progress: Progress
  /// Starts a fresh process.
  let startWorker: () throws -> WorkerProcess

  /// The counts of every row of `cases`, in so many fresh processes, so many times in each. Of several
  /// processes one is counted while the machine is kept busy: a count that depends on timing shows its range.
  func run(_ cases: [SuitePlan.Case], processes: Int = 1, repetitions: Int = 3) throws -> [String: Counts] {
    defer { progress.clear() }
    var rows: [String: Counts] = [:]
    let all = cases.flatMap { item in item.styles.map { (item, item.id($0)) } }
    for (index, (item, id)) in all.enumerated() {
      progress.show("counting \(id)", share: Double(index) / Double(all.count))
      var values: [Counter: [Double]] = [:]
      for process in 0..<processes {
        let isBusy = process > 0 && process == processes - 1
        let distraction = isBusy ? Distraction(threads: 3 * Machine.current().cores) : nil
        defer { distraction?.end() }
        for slope in try slopes(id, Self.operations(item), repetitions) {
          for (counter, value) in slope { values[counter, default: []].append(value) }
        }
      }
      let ofTiming = item.workload.countersOfTiming(id)
      for (counter, values) in values where CountsRule.counters.contains(counter) {
        rows[id.description, default: [:]][counter] = CountFigure(
          values, ofTiming: ofTiming.contains(counter))
      }
    }
    return rows
  }

  /// How many operations are counted: the same number wherever and whenever it is done. An
  /// array that grows, and doubles, costs an operation more or less with another number.
  static func operations(_ item: SuitePlan.Case) -> Int {
    if case .parameter(let name) = item.workload.operationCount { return min(item.parameters[name], 10_000) }
    return 100
  }

  private func slopes(_ id: WorkloadID, _ operations: Int, _ repetitions: Int) throws -> [[Counter: Double]] {
    let worker = try startWorker()
    defer { worker.finish() }
    func count(_ operations: Int) throws -> [Counter: UInt64] {
      try worker.ask(WorkerRequest(.count, id, operations: operations, seed: 1)).counters
    }
    // The first run pays for what is made once.
    _ = try count(2 * operations)
    return try (0..<repetitions).map { _ in
      let (once, twice) = try (count(operations), count(2 * operations))
      return once.reduce(into: [:]) { slope, counter in
        guard let more = twice[counter.key] else { return }
        slope[counter.key] = max(0, (Double(more) - Double(counter.value)) / Double(operations))
      }
    }
  }
}
