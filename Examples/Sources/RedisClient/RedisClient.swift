// A client of a Redis server with a pool of connections: `RedisClient --help`.
//
//   RedisConnection.swift  commands go out, answers come in
//   RedisValue.swift       what a server answers
import ArgumentParser
import UV

/// Many tasks send commands over few connections.
@main
struct RedisClient: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract:
      "Sends each command from a task of its own, and prints the answers in the order of the commands.")

  @Option(help: "The address or the name of the server.") var host = "127.0.0.1"
  @Option(help: "The port of the server.") var port = 6379
  @Option(help: "How many connections there may be.") var connections = 4
  @Option(help: "How often each command is sent.") var times = 1
  @Argument(help: "The commands, such as 'SET name value'.") var commands: [String]

  func run() throws {
    try EventLoop.run { loop in
      var limits = PoolLimits()
      limits.resources = connections
      limits.wait = .seconds(5)
      let pool = Pool(
        loop.tcp.connect(host: host, port: port).map { RedisConnection($0) }, limits: limits,
        retry: RetryPolicy(attempts: 3))

      let answers = commands.flatMap { command in
        (0..<times).map { _ in
          loop.spawn {
            // An error that the server answers with leaves the connection as good as it was.
            try await pool.withResource(keepingAfter: { $0 is RedisError }) { connection in
              try await connection.send(command.split(separator: " ").map { Bytes(String($0)) })
            }
          }
        }
      }
      for answer in answers {
        do { print(try await answer.value) } catch let error as RedisError { print(error.message) }
      }
      let counts = pool.counts
      print("\(counts.leases) commands over \(counts.created) connections")
      try await pool.close().value
    }
  }
}
