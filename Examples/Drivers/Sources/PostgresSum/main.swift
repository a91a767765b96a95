// Adds numbers that a PostgreSQL server counts, over a channel on libuv's loop:
//   PostgresSum HOST PORT USER PASSWORD DATABASE
import Logging
import NIOCore
import PostgresNIO
import UVNIO

let words = CommandLine.arguments
guard words.count == 6, let port = Int(words[2]) else {
  fatalError("PostgresSum HOST PORT USER PASSWORD DATABASE")
}
let logger = Logger(label: "PostgresSum")
let group = try UVEventLoopGroup(count: 1)
// A connection that exists: PostgresNIO would make one by NIOPosix.
let channel = try await UVClientBootstrap(group: group).connect(host: words[1], port: port).get()
let connection = try await PostgresConnection.connect(
  on: channel.eventLoop,
  configuration: .init(
    establishedChannel: channel, username: words[3], password: words[4], database: words[5]),
  id: 1, logger: logger
).get()
var sum = 0
for try await number in try await connection.query("SELECT generate_series(1, 100000)", logger: logger)
  .decode(Int.self)
{
  sum += number
}
print("sum \(sum)")
try await connection.close().get()
try await group.shutdownGracefully()
