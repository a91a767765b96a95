// Counts in a Valkey cluster of one node, over channels on libuv's loop: ValkeyCount HOST PORT TIMES
import Logging
import NIOCore
import UVNIO
import Valkey

let words = CommandLine.arguments
guard words.count == 4, let port = Int(words[2]), let times = Int(words[3]) else {
  fatalError("ValkeyCount HOST PORT TIMES")
}
let host = words[1]
let group = try UVEventLoopGroup(count: 1)
let client = ValkeyClusterClient(
  clientConfiguration: .init(),
  nodeDiscovery: ValkeyStaticNodeDiscovery([.init(endpoint: host, port: port)]), eventLoopGroup: group,
  logger: Logger(label: "ValkeyCount"),
  // The cluster has one node, whose address we know. Without this, the client makes channels by NIOPosix.
  channelFactory: { _, loop in try await UVClientBootstrap(group: loop).connect(host: host, port: port).get()
  })
try await withThrowingTaskGroup { tasks in
  tasks.addTask { await client.run() }
  var count = 0
  for _ in 0..<times { count = try await client.incr("ValkeyCount") }
  print("count \(count)")
  tasks.cancelAll()
}
try await group.shutdownGracefully()
