/// Measures a server that runs already: how soon it answers, and nothing of its process.
final class RemoteWorker: RowWorker {
  private let server: RemoteServer
  private let generator: LoadGenerator

  init(_ server: RemoteServer) throws {
    self.server = server
    generator = try LoadGenerator(Executable.generator, server: server.address.host)
  }

  func ask(_ request: WorkerRequest, within seconds: Double) throws -> WorkerAnswer {
    let meter = Meter(usage: { ProcessUsage.ofNobody() })
    return try meter.answer(for: server.style) { try generator.run(load(request), meter: meter) }
  }

  func finish() {}

  private func load(_ request: WorkerRequest) -> [(String, String)] {
    let parameters = request.id.parameters
    return request.load + [
      ("mode", server.kind.rawValue), ("port", "\(server.address.port)"), ("foreign", "1"),
      ("connections", "\(parameters["connections"])"),
      ("warmup", "\(parameters["connections"] * 4 * (parameters.value("pipelined") ?? 1))"),
      ("tls", server.isSecure ? "1" : "0"), ("cpu", "-1"), ("target", server.target),
      ("authority", "\(server.address)"),
    ]
  }
}
