// Passes connections on to another server: `Proxy --to HOST:PORT`, `Proxy --help`.
//
// Each side may end what it sends and go on reading, as TCP allows. If one side doesn't read, the other has to wait: a
// chunk is read only when the one before it has been written.
import ArgumentParser
import Foundation
import UV

@main
struct Proxy: ParsableCommand {
  static let configuration = CommandConfiguration(abstract: "Passes TCP connections on to another server.")

  @Option(help: "The address to listen on.") var host = "127.0.0.1"
  @Option(help: "The port to listen on; 0 for any that is free.") var port = 0
  @Option(help: "The server to connect to.") var to: Target
  @Option(help: "How many connections there may be at a time; others wait.") var limit = 1000
  @Option(help: "How many seconds the other server has to accept a connection.") var connectTimeout = 5
  @Option(help: "How many seconds a connection may be silent in both directions.") var idleTimeout = 300
  @Option(help: "How many seconds connections get to end after SIGTERM.") var grace = 5

  func validate() throws {
    guard 0...65535 ~= port else { throw ValidationError("--port is 0 to 65535.") }
    guard limit >= 1, connectTimeout >= 1, idleTimeout >= 1, grace >= 0 else {
      throw ValidationError("--limit and the timeouts are 1 or more, and --grace is 0 or more.")
    }
  }

  func run() throws {
    try EventLoop.run { loop in
      let listener = try loop.tcp.listen(host: host, port: port)
      say("listening on \(try listener.localAddress())")
      for signal in [Signal.terminate, .interrupt] {
        let signals = try loop.signals(signal)
        // Otherwise waiting for a signal would keep the program from ending after the other.
        signals.keepsLoopRunning = false
        // The watcher's own end, which comes with the loop's, is no signal.
        signals.start { if case .success(_?) = $0 { self.end(loop) } }
      }
      try await accept(from: listener)
    }
    say("ended")
  }

  /// Serves the connections until the listener ends.
  private func accept(from listener: TCPListener) async throws(UVError) {
    let loop = listener.loop
    let gate = Gate(loop, limit: limit)
    for try await client in listener {
      loop.spawn {
        do { try await pass(client) } catch { report(error) }
        gate.leave()
      }
      // Nobody is accepted while there are too many. They wait in the system's queue.
      try await gate.enter().value
    }
  }

  /// Connects a client with the server, until both have ended what they send.
  private func pass(_ client: TCPConnection) async throws {
    let loop = client.loop
    let server = try await loop.tcp.connect(host: to.host, port: to.port)
      .timeout(after: .seconds(connectTimeout)).value
    let activity = Activity(loop)
    try await loop.withTasks { tasks in
      let there = tasks.spawn { try await copy(from: client, to: server, activity) }
      let back = tasks.spawn { try await copy(from: server, to: client, activity) }
      tasks.spawn { try await activity.end(after: .seconds(idleTimeout)) }
      try await there.value
      try await back.value
      // Nothing is left to watch.
      tasks.cancelAll()
    }
  }

  /// Copies what one side sends, and then its end. The other direction goes on.
  private func copy(
    from source: TCPConnection, to target: TCPConnection, _ activity: Activity
  ) async throws(UVError) {
    for try await chunk in source {
      activity.note()
      try await target.write(chunk).value
      activity.note()
    }
    try await target.shutdown().value
  }

  /// Accepts no more, and gives those who are connected some time. A second signal gives them none.
  private func end(_ loop: EventLoop) {
    loop.shutdownGracefully(within: loop.isShuttingDown ? .zero : .seconds(grace)) { result in
      if case .success(let report) = result, report.count > 0 {
        say("\(report.count) connections were cut off")
      }
    }
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

/// Prints a line at once. `print` would keep it to itself while the output is a pipe.
func say(_ line: String) { FileHandle.standardOutput.write(Data("\(line)\n".utf8)) }

/// Reports why a connection has ended early. That a peer has gone is nothing to report.
func report(_ error: any Error) {
  if let error = error as? UVError,
    [.connectionReset, .brokenPipe, .notConnected, .cancelled].contains(error.code)
  {
    return
  }
  FileHandle.standardError.write(Data("Proxy: \(error)\n".utf8))
}
