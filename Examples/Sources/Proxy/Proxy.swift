// Passes connections on to another server: `Proxy --to HOST:PORT`, `Proxy --help`.
//
// Each side may end what it sends and go on reading, as TCP allows. If one side doesn't read, the other has
// to wait: a chunk is read only when the one before it has been written.
import ArgumentParser
import Foundation
import UV
import UVTLS

@main
struct Proxy: ParsableCommand {
  static let configuration = CommandConfiguration(abstract: "Passes TCP connections on to another server.")

  @Option(help: "The address to listen on.") var host = "127.0.0.1"
  @Option(help: "The port to listen on; 0 for any that is free.") var port = 0
  @Option(help: "The server to connect to.") var to: Target
  @Option(help: "The certificate chain for clients that speak TLS, a file in PEM form.") var tlsCertificate:
    String?
  @Option(help: "The private key for clients that speak TLS, a file in PEM form.") var tlsKey: String?
  @Option(help: "How many connections there may be at a time; others wait.") var limit = 1000
  @Option(help: "How many seconds the other server has to accept a connection.") var connectTimeout = 5
  @Option(help: "How many seconds a connection may be silent in both directions.") var idleTimeout = 300
  @Option(help: "How many seconds a connection may last, whatever it does.") var lifetime = 86_400
  @Option(help: "How many seconds connections get to end after SIGTERM.") var grace = 5
  @Option(help: "How many seconds a connection may be silent after SIGTERM.") var farewell = 1

  func validate() throws {
    guard 0...65535 ~= port else { throw ValidationError("--port is 0 to 65535.") }
    guard limit >= 1, connectTimeout >= 1, idleTimeout >= 1, lifetime >= 1, farewell >= 1, grace >= 0 else {
      throw ValidationError("--limit and the timeouts are 1 or more, and --grace is 0 or more.")
    }
    guard (tlsCertificate == nil) == (tlsKey == nil) else {
      throw ValidationError("--tls-certificate and --tls-key come together.")
    }
  }

  func run() throws {
    let tls = try tlsContext()
    try EventLoop.run { loop in
      let listener = try loop.tcp.listen(host: host, port: port)
      // Nobody is accepted while there are too many. They wait in the system's queue.
      listener.connectionLimit = limit
      try await loop.standardOutput.write(Bytes("listening on \(try listener.localAddress())\n")).value
      // A second signal gives the connections no more time.
      loop.shutdownGracefully(onSignals: [.terminate, .interrupt], within: .seconds(grace)) { result in
        guard case .success(let report) = result else { return }
        (try? loop.standardOutput)?.write(Bytes("ended; \(report.count) connections were cut off\n")) { _ in }
      }
      for try await client in listener {
        loop.spawn {
          do { try await pass(client, tls) } catch { report(error, loop) }
        }
      }
    }
  }

  private func tlsContext() throws -> TLSContext? {
    guard let tlsCertificate, let tlsKey else { return nil }
    return try .server(TLSIdentity(certificateChain: tlsCertificate, privateKey: tlsKey))
  }

  /// Connects a client with the server, until both have ended what they send.
  private func pass(_ plain: TCPConnection, _ tls: TLSContext?) async throws {
    defer { plain.close() }
    let loop = plain.loop
    // With TLS it is a stream of bytes as without.
    let client: ByteStream = if let tls { try await loop.tls.secure(plain, tls).value } else { plain }
    defer { client.close() }
    let server = try await loop.tcp.connect(host: to.host, port: to.port)
      .timeout(after: .seconds(connectTimeout)).value
    defer { server.close() }
    // The bytes of the one are written to the other, so both are silent or neither is.
    client.idleTimeout = .seconds(idleTimeout)
    server.idleTimeout = .seconds(idleTimeout)
    client.totalTimeout = .seconds(lifetime)
    server.totalTimeout = .seconds(lifetime)
    client.quiescing { result in
      guard case .success = result else { return }
      client.idleTimeout = .seconds(farewell)
      server.idleTimeout = .seconds(farewell)
    }
    try await loop.withTasks { tasks in
      tasks.spawn { try await copy(from: client, to: server) }
      tasks.spawn { try await copy(from: server, to: client) }
    }
  }

  /// Copies what one side sends, and then its end. The other direction goes on.
  private func copy(from source: ByteStream, to target: ByteStream) async throws(UVError) {
    for try await chunk in source { try await target.write(chunk).value }
    try await target.shutdown().value
  }
}

/// `HOST:PORT`.
struct Target: ExpressibleByArgument {
  let host: String
  let port: Int

  init?(argument: String) {
    guard let colon = argument.lastIndex(of: ":"), let port = Int(argument[argument.index(after: colon)...]),
      1...65535 ~= port, colon > argument.startIndex
    else { return nil }
    // An IPv6 address may be in brackets.
    host = argument[..<colon].trimmingCharacters(in: CharacterSet(charactersIn: "[]"))
    self.port = port
  }
}

/// Reports why a connection has ended early. That a peer has gone is nothing to report, nor is that it is
/// silent at the end.
func report(_ error: any Error, _ loop: EventLoop) {
  if let error = error as? UVError {
    if [.connectionReset, .brokenPipe, .notConnected, .cancelled].contains(error.code) { return }
    if error.code == .timedOut, loop.isShuttingDown { return }
  }
  (try? loop.standardError)?.write(Bytes("Proxy: \(error)\n")) { _ in }
}
