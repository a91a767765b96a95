import BenchKit

/// Measures how long a peer's program takes from its start to its first answer.
final class ColdPeer: RowWorker {
  private let command: [String]

  init(command: [String]) { self.command = command }

  func ask(_ request: WorkerRequest, within seconds: Double) throws -> WorkerAnswer {
    let meter = Meter()
    let outcome = try ColdStart.run(command, operations: request.operations, meter: meter)
    guard let measurement = meter.measurement else { throw WrongWork("\(request.id) opened no window") }
    let resident = (outcome.counters[.residentBytes] ?? 0) / UInt64(max(outcome.operations, 1))
    return WorkerAnswer(outcome, measurement, peakRSSBytes: resident)
  }

  func finish() {}
}
