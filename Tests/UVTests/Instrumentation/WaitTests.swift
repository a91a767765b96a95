import Foundation
import Testing
import UV
import UVTestSupport

/// What a snapshot says of tasks that wait, for each kind of wait.
@Suite struct WaitTests {
  /// Two tasks wait for the same: a list of waits that knows one of them alone would name the wrong one, or none.
  @Test func `Each of two tasks that wait is listed with what it waits for, until it is cancelled`()
    async throws
  {
    try await withPair { loop, client, server in
      let listener = try loop.tcp.listen(host: "127.0.0.1", port: 0)
      let quiet = try loop.tcp.listen(host: "127.0.0.1", port: 0)
      let child = try loop.processes.spawn("sleep", ["1000"])
      let semaphore = LoopSemaphore(loop, value: 0)
      let condition = LoopCondition(loop)
      let forever = loop.spawn { try? await loop.sleep(for: .untilCancelled).value }
      var limits = PoolLimits()
      limits.resources = 1
      let pool = Pool(try loop.tcp.connect(to: listener.localAddress()), limits: limits)
      let lease = try await pool.lease().value
      let (datagrams, peer) = try fullSocket(loop)
      let bytes = Bytes(Array(repeating: 7, count: 1 << 24))
      let waits: [(operation: String, subject: String?, request: Request<Void>)] = [
        ("sleep", nil, loop.sleep(for: .untilCancelled)),
        ("sleep", nil, loop.sleep(for: .untilCancelled).timeout(after: .untilCancelled)),
        ("read", nil, client.next().map { _ in }),
        ("accept", nil, quiet.next().map { _ in }),
        ("quiescing", nil, client.quiescing()),
        ("wait", nil, semaphore.wait()),
        ("wait", nil, condition.wait()),
        ("exit", "process \(child.processID)", child.exit().map { _ in }),
        ("lease", nil, pool.lease().map { _ in }),
        ("udp_send", nil, datagrams.send("x")),
        ("write", nil, server.write(bytes)),
        ("drain", nil, server.drain()),
      ]
      for (operation, subject, request) in waits {
        let tasks = (0..<2).map { _ in loop.spawn { try? await request.value } }
        for left in [2, 1, 0] {
          try await loop.settle()
          let found = loop.snapshot().tasks.entries.compactMap(\.wait).filter { $0.operation == operation }
          #expect(found.count == left + (operation == "sleep" ? 1 : 0), "\(operation): \(found)")
          if let subject { #expect(found.allSatisfy { $0.subject == subject }) }
          if left > 0 { tasks[left - 1].cancel() }
        }
      }
      forever.cancel()
      await forever.value
      try child.kill(.kill)
      _ = try await child.exit().value
      lease.giveBack()
      try await pool.close().value
      listener.close()
      quiet.close()
      datagrams.close()
      close(peer)
      server.closeReset()
    }
  }

  /// A socket whose peer has no room left.
  private func fullSocket(_ loop: EventLoop) throws -> (UDPSocket, peer: Int32) {
    var pair: [Int32] = [-1, -1]
    #if os(Linux)
    let type = Int32(SOCK_DGRAM.rawValue)
    #else
    let type = SOCK_DGRAM
    #endif
    #expect(socketpair(AF_UNIX, type, 0, &pair) == 0)
    let socket = try loop.udp.open(fileDescriptor: pair[0])
    while try socket.trySend("x") {}
    return (socket, pair[1])
  }
}
