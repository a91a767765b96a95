// A server that speaks the Redis protocol (RESP2): `RedisServer --help`.
//
// The same conversation in four styles: `--style callback|promise|publisher|async`. The program is in small files:
//
//   Styles.swift                  the loop of a connection, four times: read, answer, write
//   Session.swift                 one client: bytes go in, answers come out
//   CommandParser.swift           puts commands together from bytes
//   Answers.swift                 puts answers together
//   Server.swift, Store*.swift    what all clients share
import ArgumentParser
import Foundation
import UV

@main
struct RedisServer: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "A server for Redis clients: strings, counters, lists and expiry, in memory.")

  @Option(help: "The address to listen on.") var host = "127.0.0.1"
  @Option(help: "The port to listen on; 0 for any that is free.") var port = 6379
  @Option(help: "How many loops serve connections, each on a thread of its own.") var loops = 1
  @Option(help: "How the loop of a connection is written.") var style = Style.async
  @Option(help: "How many clients may be connected at a time.") var maxClients = 10_000
  @Option(help: "How many bytes the arguments of a command may have.") var maxValue = 64 << 20
  @Option(help: "How many seconds clients get to finish after SIGTERM.") var grace = 2

  func validate() throws {
    guard 0...65535 ~= port else { throw ValidationError("--port is 0 to 65535.") }
    guard loops >= 1, maxClients >= 1, maxValue >= 1 else {
      throw ValidationError("--loops, --max-clients and --max-value are 1 or more.")
    }
    guard 0...3600 ~= grace else { throw ValidationError("--grace is 0 to 3600 seconds.") }
  }

  func run() throws {
    let server = Server(style: style, loops: loops, maxClients: maxClients, maxValue: maxValue)
    let group = try EventLoopGroup(count: loops)
    // The loop of this thread has the signals and the clock. Those of the group have the connections.
    try EventLoop.run { loop in
      let address = try await group.listen(host: host, port: port) { connection in
        server.serve(connection)
      }
      say("listening on \(address)")
      try await loop.withTasks { tasks in
        tasks.spawn { for try await _ in loop.ticks(every: .seconds(1)) { server.removeExpired() } }
        for signal in [Signal.terminate, .interrupt] {
          let signals = try loop.signals(signal)
          tasks.spawn {
            _ = try await signals.next().value
            tasks.cancelAll()
          }
        }
      }
      let report = await group.shutdownGracefully(within: .seconds(grace))
      say("ended; \(report.count) connections were cut off")
    }
  }
}

/// Prints a line at once. `print` would keep it to itself while the output is a pipe.
func say(_ line: String) { FileHandle.standardOutput.write(Data("\(line)\n".utf8)) }

/// Reports what went wrong, without ending anything.
func report(_ line: String) { FileHandle.standardError.write(Data("RedisServer: \(line)\n".utf8)) }
