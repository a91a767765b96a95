/// Counts what an operation costs: the slope between so many operations and twice as
/// many, so that what a run costs once drops out.
public final class CountsRunner {
  private let startWorker: () throws -> WorkerProcess
  private let progress: Progress
  /// What the workers said of the libraries they are linked with.
  public private(set) var libraries: [String: String] = [:]

  /// A runner; `startWorker` starts a fresh process.
  public init(progress: Progress, startWorker: @escaping () throws -> WorkerProcess) {
    self.progress = progress
    self.startWorker = startWorker
  }

  /// The counts of every row of `cases`, each counted so many times.
  public func run(_ cases: [SuitePlan.Case], repetitions: Int = 3) throws -> [String: Counts] {
    defer { progress.clear() }
    var rows: [String: Counts] = [:]
    let all = cases.flatMap { item in item.styles.map { (item, item.id($0)) } }
    for (index, (item, id)) in all.enumerated() {
      progress.show("counting \(id)", share: Double(index) / Double(all.count))
      rows[id.description] = try count(item, id, repetitions)
    }
    return rows
  }

  private func count(
    _ item: SuitePlan.Case, _ id: WorkloadID, _ repetitions: Int
  ) throws -> Counts {
    let worker = try startWorker()
    defer { worker.finish() }
    libraries.merge(worker.hello.libraries) { $1 }
    let operations = try Self.operations(item, id, worker)
    var values: [String: [Double]] = [:]
    for _ in 0..<repetitions {
      let slope = try Self.slope(worker, id, operations)
      for (name, value) in slope { values[name, default: []].append(value) }
    }
    return values.mapValues(CountFigure.init).filter { CountsRule.counters.contains($0.key) }
  }

  /// Enough operations for a slope, and not more than a tenth of a second of them.
  static func operations(
    _ item: SuitePlan.Case, _ id: WorkloadID, _ worker: WorkerProcess
  ) throws -> Int {
    if case .parameter(let name) = item.workload.operationCount { return item.parameters[name] }
    let answer = try worker.ask(WorkerRequest(.time, id, operations: 50, seed: 1))
    let each = max(Double(answer.wallNanoseconds) / 50, 1)
    return [100, 200, 500, 1000, 2000, 5000].last { Double($0) * each < 1e8 } ?? 50
  }

  private static func slope(
    _ worker: WorkerProcess, _ id: WorkloadID, _ operations: Int
  ) throws -> [String: Double] {
    let once = try worker.ask(WorkerRequest(.count, id, operations: operations, seed: 1)).counters
    let twice = try worker.ask(WorkerRequest(.count, id, operations: 2 * operations, seed: 1)).counters
    return once.reduce(into: [:]) { slope, counter in
      guard let more = twice[counter.key] else { return }
      slope[counter.key] = max(0, (Double(more) - Double(counter.value)) / Double(operations))
    }
  }
}
