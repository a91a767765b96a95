import BenchKit

/// Measures a server that runs already: how soon it answers, and nothing of its process.
final class RemoteWorker: RowWorker {
  private let server: RemoteServer
  private let generator: LoadGenerator

  /// Starts the load generator.
  init(_ server: RemoteServer) throws {
    self.server = server
    generator = try LoadGenerator(Executable.generator, server: server.address.host)
  }

  func ask(_ request: WorkerRequest, within seconds: Double) throws -> WorkerAnswer {
    let meter = Meter(usage: { ProcessUsage.ofNobody() })
    let outcome: RunOutcome
    do {
      outcome = try generator.run(load(request), meter: meter)
    } catch let wrong as WrongWork {
      throw WrongWork("\(server.style): \(wrong)")
    }
    guard let measurement = meter.measurement else { throw WrongWork("\(server.style) opened no window") }
    return WorkerAnswer(outcome, measurement, peakRSSBytes: 0)
  }

  func finish() {}

  private func load(_ request: WorkerRequest) -> [(String, String)] {
    let parameters = request.id.parameters
    let pipelined = parameters.value("pipelined") ?? 1
    return [
      ("mode", server.kind.rawValue), ("port", "\(server.address.port)"), ("foreign", "1"),
      ("connections", "\(parameters["connections"])"), ("size", "\(parameters.value("size") ?? 1)"),
      ("pipelined", "\(pipelined)"), ("operations", "\(request.operations)"),
      ("warmup", "\(parameters["connections"] * 4 * pipelined)"),
      ("sets", "\(parameters.value("sets") ?? 0)"), ("seed", "\(request.seed)"),
      ("tls", server.isSecure ? "1" : "0"), ("silent", request.verb == .run ? "0" : "1"), ("cpu", "-1"),
      ("target", server.target), ("authority", "\(server.address)"),
    ] + (request.arrivals?.values ?? [])
  }
}
