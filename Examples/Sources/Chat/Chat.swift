// A chat: what one member says, all others read. `Chat --help`; to take part, `nc HOST PORT`.
//
// A member who doesn't read holds up nobody, and costs a bounded amount of memory; see Member.swift.
import ArgumentParser
import UV

@main
struct Chat: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "A chat: what one member says, all others read.",
    discussion:
      "The first line that a member sends is the member's name. /who lists the members, /quit leaves.")

  @Option(help: "The address to listen on.") var host = "127.0.0.1"
  @Option(help: "The port to listen on; 0 for any that is free.") var port = 0
  @Option(help: "How many members there may be.") var maxMembers = 1000
  @Option(help: "How many bytes a line may have.") var maxLine = 1024
  @Option(help: "How many bytes may wait for a member. While there are more, the member misses what is said.")
  var maxBacklog = 64 * 1024
  @Option(help: "How many seconds somebody gets to say a name.") var nameTimeout = 60
  @Option(help: "How many seconds a member may say nothing.") var idleTimeout = 3600
  @Option(help: "How many seconds a member may stay.") var lifetime = 86_400
  @Option(help: "How many seconds a member may not read before the connection is cut off.") var patience = 30
  @Option(help: "How many seconds members get to read the last lines after SIGTERM.") var grace = 2

  func validate() throws {
    guard 0...65535 ~= port else { throw ValidationError("--port is 0 to 65535.") }
    guard maxMembers >= 1, maxLine >= 1, maxBacklog >= 1, patience >= 1, nameTimeout >= 1, idleTimeout >= 1,
      lifetime >= 1,
      grace >= 0
    else {
      throw ValidationError("--grace is 0 or more, and the other numbers are 1 or more.")
    }
  }

  func run() throws {
    try EventLoop.run { loop in
      let room = Room(self)
      let listener = try loop.tcp.listen(host: host, port: port)
      try await loop.standardOutput.write(Bytes("listening on \(try listener.localAddress())\n")).value
      loop.shutdownGracefully(onSignals: [.terminate, .interrupt], within: .seconds(grace)) { result in
        guard case .success(let report) = result else { return }
        (try? loop.standardOutput)?.write(Bytes("ended; \(report.count) members were cut off\n")) { _ in }
      }
      for try await connection in listener {
        loop.spawn {
          do throws(UVError) { try await room.receive(connection) } catch { report(error, connection) }
        }
      }
    }
  }
}

/// Reports why a member has left early. That a member vanishes, or is silent for too long, is nothing to
/// report.
func report(_ error: UVError, _ connection: TCPConnection) {
  if [.cancelled, .connectionReset, .brokenPipe, .timedOut].contains(error.code) { return }
  (try? connection.loop.standardError)?.write(Bytes("Chat: \(error)\n")) { _ in }
}
