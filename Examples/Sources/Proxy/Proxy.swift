// A proxy: `Proxy` for HTTP, with CONNECT for everything else, or `Proxy --to HOST:PORT` for one server, whatever
// it speaks. `Proxy --help`.
import ArgumentParser
import UVHTTP
import UVTLS

@main
struct Proxy: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Passes requests by HTTP on to the servers that they name, or connections to one server.",
    discussion: "Whoever reaches the proxy reaches what the proxy's machine reaches.")

  @Option(help: "The address to listen on.") var host = "127.0.0.1"
  @Option(help: "The port to listen on; 0 for any that is free.") var port = 0
  @Option(help: "The server to connect to, HOST:PORT; without it, the one that each request names.")
  var to: HostPort?
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
      let servers = HTTPClient(loop, options: clientOptions)
      for try await client in listener {
        loop.spawn {
          do { try await serve(client, tls, servers) } catch { report(error, loop) }
        }
      }
    }
  }

  private func tlsContext() throws -> TLSContext? {
    guard let tlsCertificate, let tlsKey else { return nil }
    return try .server(TLSIdentity(certificateChain: tlsCertificate, privateKey: tlsKey))
  }

  /// What a client may make the proxy spend. The other server has limits of its own for a body.
  private var limits: HTTPLimits {
    var limits = HTTPLimits()
    limits.body = .max
    (limits.idleTimeout, limits.lifetime) = (.seconds(idleTimeout), .seconds(lifetime))
    limits.lastSilence = .seconds(farewell)
    return limits
  }

  private var clientOptions: HTTPClientOptions {
    var options = HTTPClientOptions()
    (options.connections.creation, options.connections.resources) = (.seconds(connectTimeout), limit)
    (options.headTimeout, options.idleTimeout) = (.seconds(idleTimeout), .seconds(idleTimeout))
    options.total = .seconds(lifetime)
    return options
  }

  private func serve(_ plain: TCPConnection, _ tls: TLSContext?, _ servers: HTTPClient) async throws {
    defer { plain.close() }
    let loop = plain.loop
    // With TLS it is a stream of bytes as without.
    let client: ByteStream = if let tls { try await loop.tls.secure(plain, tls).value } else { plain }
    defer { client.close() }
    if let to { return try await pass(client, to: connect(to, loop)) }
    for try await exchange in loop.http.serve(client, limits: limits) { try await answer(exchange, servers) }
  }

  private func answer(_ exchange: HTTPExchange, _ servers: HTTPClient) async throws {
    let request = exchange.request
    if request.method == .connect, let target = HostPort(request.authority ?? "") {
      let server: TCPConnection
      do throws(UVError) { server = try await connect(target, exchange.loop) } catch {
        let status: HTTPResponse.Status = error.code == .timedOut ? .gatewayTimeout : .badGateway
        return try await exchange.respond(HTTPResponse(status: status), Bytes("\(error)\n")).value
      }
      try await pass(exchange.upgrade(HTTPResponse(status: .ok)).value, to: server)
    } else if request.scheme == "http" {
      // The client hears what fails, and its connection goes on.
      _ = try? await exchange.forward(by: servers).value
    } else {
      let text: Bytes = "this is a proxy: ask for http://HOST/PATH, or use CONNECT\n"
      try await exchange.respond(HTTPResponse(status: .badRequest), text).value
    }
  }

  private func connect(_ target: HostPort, _ loop: EventLoop) async throws(UVError) -> TCPConnection {
    try await loop.tcp.connect(host: target.host, port: target.port).timeout(after: .seconds(connectTimeout))
      .value
  }

  /// Passes on what each side sends, until both have ended.
  private func pass(_ client: ByteStream, to server: TCPConnection) async throws {
    (client.idleTimeout, client.totalTimeout) = (.seconds(idleTimeout), .seconds(lifetime))
    try await client.join(server, lastSilence: .seconds(farewell)).value
  }
}

extension HostPort: ExpressibleByArgument {}

/// Reports why a connection has ended early. That a peer has gone is nothing to report, nor is that it is
/// silent at the end.
func report(_ error: any Error, _ loop: EventLoop) {
  if let error = error as? UVError {
    if [.connectionReset, .brokenPipe, .notConnected, .cancelled].contains(error.code) { return }
    if error.code == .timedOut, loop.isShuttingDown { return }
  }
  (try? loop.standardError)?.write(Bytes("Proxy: \(error)\n")) { _ in }
}
