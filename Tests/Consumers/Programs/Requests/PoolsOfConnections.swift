// A pool lends connections: by leases, to asynchronous code, with limits, and to an object of the program's own.
import UV

private final class Session: PoolResource {
  let connection: TCPConnection
  var questions = 0
  init(_ connection: TCPConnection) { self.connection = connection }
  var isReusable: Bool { connection.isReusable && questions < 2 }
  func close() -> Request<Void> { connection.close() }

  nonisolated(nonsending) func ask(_ question: Bytes) async throws -> Bytes? {
    questions += 1
    try await connection.write([question, "\n"]).value
    return try await connection.readLine(limit: 100).value
  }
}

enum PoolsOfConnections: Program {
  static func main() throws {
    try EventLoop.run { loop in
      let listener = try loop.tcp.listen(host: "127.0.0.1", port: 0)
      let address = try listener.localAddress()
      let server = loop.spawn { () async throws in
        for try await connection in listener {
          connection.start {
            if case .success(let bytes?) = $0 { connection.write(bytes) { _ in } } else { connection.close() }
          }
        }
      }

      var limits = PoolLimits()
      limits.resources = 1
      limits.waiters = 1
      limits.wait = .milliseconds(10)
      limits.creation = .seconds(5)
      limits.idle = .seconds(5)
      limits.lifetime = .seconds(60)
      let pool = Pool(loop.tcp.connect(to: address), limits: limits, retry: RetryPolicy(attempts: 2))

      let lease = try await pool.lease().value
      print(lease.resource.isReusable)
      do throws(UVError) { _ = try await pool.lease().value } catch { print(error.name) }
      lease.giveBack()
      let broken = try await pool.lease().value
      broken.discard()
      pool.lease { result in
        if case .success(let lease) = result { lease.giveBack() }
      }
      let answer = try await pool.withResource(keepingAfter: { _ in true }) { connection in
        try await connection.write("a question\n").value
        return try await connection.readLine(limit: 100).value
      }
      print(answer ?? "nothing")
      let counts = pool.counts
      print(counts.leased, counts.idle, counts.creating, counts.waiting)
      print(counts.leases, counts.created, counts.timeouts, counts.discarded)
      print(
        counts.refused, counts.failed, counts.expired, counts.gone, counts.dropped, counts.waitTime >= .zero)
      var both = counts
      both += counts
      print(both.leases)
      try await pool.close().value

      let sessions = Pool(loop, limits: limits) {
        Session(try await loop.tcp.connect(to: address).value)
      }
      for question: Bytes in ["one", "two", "three"] {
        print(try await sessions.withResource { try await $0.ask(question) } ?? "nothing")
      }
      print(sessions.counts.created, sessions.counts == PoolCounts(), sessions.loop === loop)
      sessions.close { _ in print("closed") }

      let connection = try await loop.tcp.connect(to: address).value
      let idling = connection.idling { _ in }
      idling.cancel()
      try await connection.write("x").value
      try await connection.idling().value
      connection.close()
      listener.close()
      try await server.value
    }
  }
}

// Prints:
// true
// ETIMEDOUT
// a question
// 0 1 0 0
// 4 2 1 1
// 0 0 0 0 0 true
// 8
// one
// two
// three
// 2 false true
// closed
