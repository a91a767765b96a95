// A server that speaks the Redis protocol (RESP2): `RedisServer --help`.
//
// The same conversation in four styles: `--style callback|promise|publisher|async`. The program is in small
// files:
//
//   Styles.swift                  the loop of a connection, four times: read, answer, write Session.swift
//   one client: bytes go in, answers come out Server.swift                  what all clients share Commands
//   bytes into commands, what they do to the store, and answers; the benchmark has it, too
import ArgumentParser
import UV
import UVTLS

@main
struct RedisServer: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "A server for Redis clients: strings, counters, lists and expiry, in memory.")

  @Option(help: "The address to listen on.") var host = "127.0.0.1"
  @Option(help: "The port to listen on; 0 for any that is free.") var port = 6379
  @Option(help: "How many loops serve connections, each on a thread of its own.") var loops = 1
  @Option(help: "How the loop of a connection is written.") var style = Style.async
  @Option(help: "The certificate chain for TLS, a file in PEM form.") var tlsCertificate: String?
  @Option(help: "The private key for TLS, a file in PEM form.") var tlsKey: String?
  @Option(help: "How many clients may be connected at a time.") var maxClients = 10_000
  @Option(help: "How many bytes a command may have, 96 for each argument among them, and a string.")
  var maxValue = 64 << 20
  @Option(help: "How many bytes may be kept for all commands and answers that are under way.")
  var maxPending = 256 << 20
  @Option(help: "How many seconds a client may be silent.") var idleTimeout = 300
  @Option(help: "How many seconds a command may take to come, and its answer to leave.") var commandTimeout =
    60
  @Option(help: "After how many seconds a connection ends, once it is idle or has got an answer.")
  var lifetime = 86_400
  @Option(help: "How many seconds clients get to finish after SIGTERM.") var grace = 2

  func validate() throws {
    guard 0...65535 ~= port else { throw ValidationError("--port is 0 to 65535.") }
    guard loops >= 1, maxClients >= 1, maxValue >= 1, maxPending >= 1 else {
      throw ValidationError("--loops, --max-clients, --max-value and --max-pending are 1 or more.")
    }
    guard idleTimeout >= 1, commandTimeout >= 1, lifetime >= 1 else {
      throw ValidationError("--idle-timeout, --command-timeout and --lifetime are 1 or more.")
    }
    guard 0...3600 ~= grace else { throw ValidationError("--grace is 0 to 3600 seconds.") }
    guard (tlsCertificate == nil) == (tlsKey == nil) else {
      throw ValidationError("--tls-certificate and --tls-key come together.")
    }
  }

  func run() throws {
    let limits = Limits(
      maxClients: maxClients, maxValue: maxValue, maxPending: maxPending, idleTimeout: .seconds(idleTimeout),
      commandTimeout: .seconds(commandTimeout), lifetime: .seconds(lifetime))
    let server = try Server(style: style, loops: loops, limits: limits, tls: tlsContext())
    let group = try EventLoopGroup(count: loops)
    // The loop of this thread has the signals and the clock. Those of the group have the connections.
    try EventLoop.run { loop in
      let address = try await group.listen(host: host, port: port) { connection in
        server.serve(connection)
      }
      let output = try loop.standardOutput
      try await output.write(Bytes("listening on \(address)\n")).value
      let ticks = loop.ticks(every: .seconds(1))
      ticks.start { _ in server.removeExpired() }
      // A second signal gives the clients no more time.
      let report = try await group.shutdownGracefully(
        onSignals: [.terminate, .interrupt], within: .seconds(grace), on: loop
      ).value
      ticks.stop()
      try await output.write(Bytes("ended; \(report.count) connections were cut off\n")).value
    }
  }

  private func tlsContext() throws -> TLSContext? {
    guard let tlsCertificate, let tlsKey else { return nil }
    return try .server(TLSIdentity(certificateChain: tlsCertificate, privateKey: tlsKey))
  }
}

/// Reports what went wrong, without ending anything.
func report(_ line: String, _ loop: EventLoop) {
  (try? loop.standardError)?.write(Bytes("RedisServer: \(line)\n")) { _ in }
}
