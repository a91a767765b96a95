/// Measures how long a peer's program takes from its start to its first answer.
final class ColdPeer: RowWorker {
  private let command: [String]

  init(command: [String]) { self.command = command }

  func ask(_ request: WorkerRequest, within seconds: Double) throws -> WorkerAnswer {
    let meter = Meter()
    return try meter.answer(
      for: request.id,
      peak: { ($0.counters[.residentBytes] ?? 0) / UInt64(max($0.operations, 1)) },
      { try ColdStart.run(command, operations: request.operations, meter: meter) })
  }

  func finish() {}
}
