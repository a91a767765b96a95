// A server as a service of swift-service-lifecycle: `Service [PORT]`.
//
// It listens on a port of 127.0.0.1 (0, the default: one that the system chooses), and says which. It answers
// each line with the same line, after a moment. SIGTERM has it end in good order: what peers have asked is
// answered. SIGINT ends it at once. SIGUSR1 has it print what it waits for.
import UV
import UVService

LoggingSystem.bootstrap(StreamLogHandler.standardError)
let logger = Logger(label: "Service")

let server = EventLoopService(shutdownWithin: .seconds(10), logger: logger) { loop in
  loop.reportMetrics()
  try loop.printSnapshot(on: .user1)
  let port = CommandLine.arguments.dropFirst().first.flatMap { Int($0) } ?? 0
  let listener = try loop.tcp.listen(host: "127.0.0.1", port: port)
  try await loop.standardOutput.write(Bytes("listening on \(try listener.localAddress())\n")).value
  for try await connection in listener {
    loop.spawn {
      do { try await serve(connection) } catch { logger.error("\(error)") }
    }
  }
}

let group = ServiceGroup(
  configuration: ServiceGroupConfiguration(
    services: [server], gracefulShutdownSignals: [.sigterm], cancellationSignals: [.sigint], logger: logger))
try await group.run()

/// Answers the lines of one connection, until the peer or the service ends.
func serve(_ connection: TCPConnection) async throws(UVError) {
  // An idle peer gets a moment for a line that is on its way.
  connection.endWithServer(after: .milliseconds(250))
  while let line = try await connection.readLine(limit: 1024).value {
    try await connection.loop.sleep(for: .milliseconds(100)).value
    try await connection.write([line, "\n"]).value
  }
}
