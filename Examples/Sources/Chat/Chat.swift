// A chat in the browser: what one member says, all others read. `Chat --help`; to take part, open the address that
// it prints.
//
// A member who doesn't read holds up nobody, and costs a bounded amount of memory: see `WebSocketRoom`.
import ArgumentParser
import UVHTTP

@main
struct Chat: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "A chat in the browser: what one member says, all others read.",
    discussion:
      "The first line that a member sends is the member's name. /who lists the members, /quit leaves.")

  @Option(help: "The address to listen on.") var host = "127.0.0.1"
  @Option(help: "The port to listen on; 0 for any that is free.") var port = 0
  @Option(help: "How many members there may be.") var maxMembers = 1000
  @Option(help: "How many bytes a line may have.") var maxLine = 1024
  @Option(help: "How many seconds somebody gets to say a name.") var nameTimeout = 60
  @Option(help: "How many seconds a member may say nothing.") var idleTimeout = 3600
  @Option(help: "How many seconds a member may stay.") var lifetime = 86_400
  @Option(help: "How many seconds a member may not read before the connection is cut off.") var patience = 30
  @Option(help: "How many seconds members get to read the last lines after SIGTERM.") var grace = 2

  func validate() throws {
    guard 0...65535 ~= port else { throw ValidationError("--port is 0 to 65535.") }
    guard maxMembers >= 1, maxLine >= 1, patience >= 1, nameTimeout >= 1, idleTimeout >= 1, lifetime >= 1,
      grace >= 0
    else {
      throw ValidationError("--grace is 0 or more, and the other numbers are 1 or more.")
    }
  }

  func run() throws {
    try EventLoop.run { loop in
      let room = Room(self)
      let server = try loop.http.listen(host: host, port: port)
      try await loop.standardOutput.write(Bytes("listening on \(try server.localAddress())\n")).value
      loop.shutdownGracefully(onSignals: [.terminate, .interrupt], within: .seconds(grace)) { result in
        guard case .success(let report) = result else { return }
        (try? loop.standardOutput)?.write(Bytes("ended; \(report.count) members were cut off\n")) { _ in }
      }
      for try await exchange in server {
        loop.spawn {
          do { try await answer(exchange, room) } catch { report(error, loop) }
        }
      }
    }
  }

  private func answer(_ exchange: HTTPExchange, _ room: Room) async throws {
    let request = exchange.request
    switch request.path {
    case "/":
      let fields: HTTPFields = [.contentType: "text/html; charset=utf-8"]
      try await exchange.respond(HTTPResponse(status: .ok, headerFields: fields), Bytes(page)).value
    case "/chat":
      // A page of another site may not bring its visitors here.
      if let origin = request.headerFields[.origin], !origin.hasSuffix("://\(request.authority ?? "")") {
        return try await exchange.respond(HTTPResponse(status: .forbidden)).value
      }
      var limits = WebSocketLimits()
      limits.message = maxLine
      // A browser answers a ping, though nobody speaks, and a member who doesn't read does not.
      (limits.silence, limits.keepAlive) = (.seconds(patience), .seconds(patience) / 2)
      try await room.receive(exchange.webSocket(limits: limits).value)
    default: try await exchange.respond(HTTPResponse(status: .notFound)).value
    }
  }
}

/// Reports why a member has left early. That a member vanishes, is silent for too long, or says what can't be said is
/// nothing to report.
func report(_ error: any Error, _ loop: EventLoop) {
  let quiet: [UVError.Code] = [
    .cancelled, .connectionReset, .brokenPipe, .timedOut, .endOfFile, .protocolError, .messageTooLong,
  ]
  if let error = error as? UVError, quiet.contains(error.code) { return }
  (try? loop.standardError)?.write(Bytes("Chat: \(error)\n")) { _ in }
}
