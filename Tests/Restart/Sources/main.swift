import UVHTTP
import UVTLS

/// A server on three sockets: HTTP and WebSockets; TLS behind a load balancer; and a Unix socket. SIGHUP replaces it.
struct Server {
  let loop: EventLoop
  let folder: String
  let identity: TLSIdentity

  init(_ loop: EventLoop, _ folder: String) throws(UVError) {
    self.loop = loop
    self.folder = folder
    identity = try TLSIdentity(certificateChain: "\(folder)/server.pem", privateKey: "\(folder)/server.key")
  }

  func run() async throws(UVError) {
    let hangups = try loop.signals(.hangup)
    let plain = try loop.tcp.listen(host: "127.0.0.1", port: 0)
    let balanced = try loop.tcp.listen(host: "127.0.0.2", port: 0)
    let secured = try loop.tls.listen(
      over: try balanced.proxyProtocol(from: ["127.0.0.0/8"]), .server(identity, protocols: ["http/1.1"]))
    let unix = try loop.pipes.listen(path: "\(folder)/socket", replacesStale: true)
    loop.spawn { await serve(loop.http.serve(plain)) }
    loop.spawn { await serve(loop.http.serve(secured)) }
    loop.spawn { await serve(loop.http.serve(unix)) }
    try ServiceManager.notify(.ready)
    try await say("\(SystemInfo.processID) \(plain.localAddress().port) \(balanced.localAddress().port)")
    while try await hangups.next().value != nil {
      do throws(UVError) {
        _ = try await loop.handover().value
        break
      } catch { try await say("\(error)") }
    }
    let report = try await loop.shutdownGracefully(within: .seconds(30)).value
    if report.count > 0 { try await say("cut off: \(report)") }
  }

  private func say(_ line: String) async throws(UVError) {
    try await loop.standardOutput.write(Bytes("\(line)\n")).value
  }

  private func serve(_ server: HTTPServer) async {
    do throws(UVError) {
      for try await exchange in server {
        loop.spawn {
          do throws(UVError) { try await answer(exchange) } catch { print(error) }
        }
      }
    } catch { print(error) }
  }

  /// Says which process it is; or echoes messages.
  private func answer(_ exchange: HTTPExchange) async throws(UVError) {
    guard exchange.asksForWebSocket else {
      return try await exchange.respond(HTTPResponse(status: .ok), Bytes("\(SystemInfo.processID)")).value
    }
    let socket = try await exchange.webSocket().value
    for try await message in socket { try await socket.send(message).value }
  }
}

EventLoop.main { loop in try await Server(loop, CommandLine.arguments[1]).run() }
