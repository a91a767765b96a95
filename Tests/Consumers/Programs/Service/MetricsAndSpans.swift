// Shows what a loop reports: counts, metrics, a logged snapshot, and a span of a connection.
import UV
import UVService

enum MetricsAndSpans: Program {
  static func main() throws {
    try EventLoop.run { loop in
      let logger = Logger(label: "quiet") { _ in SwiftLogNoOpLogHandler() }
      let watcher = try loop.logSnapshot(on: .user1, to: logger, limit: 10)
      try loop.logStalls(longerThan: .seconds(1), to: logger)
      let report = loop.reportMetrics(every: .milliseconds(1), as: "mine")
      let listener = try loop.tcp.listen(host: "127.0.0.1", port: 0)
      let pool = Pool(loop.tcp.connect(to: try listener.localAddress()))
      pool.reportMetrics(as: "pool", every: .milliseconds(1))
      let client = try await loop.tcp.connect(to: listener.localAddress()).value
      let server = try await listener.accept().value
      try await client.write("12345").value
      let bytes = try await server.withSpan("request") { _ in try await server.read(exactly: 5).value }
      print(bytes?.count ?? 0)
      _ = try? await server.next().timeout(after: .milliseconds(1)).value
      let counts = loop.statistics
      print(counts.accepted, counts.refused, counts.timeouts, counts.bytesRead, counts.bytesWritten)
      print(counts.accepted == 0)
      report.cancel()
      watcher.close()
      client.close()
    }
    let group = try EventLoopGroup(count: 1)
    try EventLoop.run { _ in
      try await group.reportMetrics()
      _ = await group.shutdownGracefully(within: .zero)
    }
  }
}

// Prints:
// 5
// 1 0 1 5 5
// false
