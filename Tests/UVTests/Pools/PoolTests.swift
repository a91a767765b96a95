import Testing
import UV
import UVTestSupport

@Suite struct PoolTests {
  @Test func `A connection is used again, and callers beyond the limit wait in order`() async throws {
    try await withPool(2) { loop, server, pool in
      var order: [Int] = []
      try await loop.withTasks { tasks in
        for number in 0..<10 {
          tasks.spawn {
            try await pool.withResource { connection in
              // Answers on two connections may come in any order.
              order.append(number)
              let answer = try await echo(Bytes("\(number)"), connection)
              #expect(answer == Bytes("\(number)"))
            }
          }
        }
      }
      #expect(order == Array(0..<10))
      let counts = pool.counts
      #expect((counts.created, counts.leases, counts.idle, counts.leased, counts.waiting) == (2, 10, 2, 0, 0))
      #expect(server.connections.count == 2)
    }
  }

  @Test("The timeouts that a user has set don't count while a connection is idle, and do for the next user")
  func timeouts() async throws {
    try await withPool(1) { loop, _, pool in
      try await pool.withResource { connection in
        connection.readTimeout = .milliseconds(20)
        connection.idleTimeout = .milliseconds(30)
        _ = try await echo("a", connection)
      }
      try await loop.sleep(for: .milliseconds(100)).value
      #expect((pool.counts.idle, pool.counts.gone, loop.statistics.timeouts) == (1, 0, 0))
      try await pool.withResource { connection in
        #expect(try await echo("b", connection) == "b")
        await expectError(.timedOut, of: try await connection.next().value)
      }
      #expect((pool.counts.created, pool.counts.leases) == (1, 2))
    }
  }

  @Test func `A lease is never granted on its caller's stack, also if a connection is idle`() async throws {
    try await withPool { loop, _, pool in
      try await pool.withResource { _ in }
      var hasReturned = false
      let granted = CustomSource<Bool>(loop, "granted") { _ in }
      pool.lease { result in
        guard case .success(let lease) = result else { return }
        granted.send(hasReturned)
        lease.giveBack()
      }
      hasReturned = true
      #expect(try await granted.next().value == true)
    }
  }

  @Test("A waiter's deadline passes, also that of one who holds the only connection and asks again")
  func deadline() async throws {
    try await withPool(1, { $0.wait = .milliseconds(20) }) { loop, _, pool throws in
      await #expect {
        try await pool.withResource { _ in try await pool.withResource { _ in } }
      } throws: {
        let error = $0 as? UVError
        return error?.code == .timedOut && error?.subject?.contains("1 of 1 are lent") == true
      }
      #expect((pool.counts.timeouts, pool.counts.leased, pool.counts.waiting) == (1, 0, 0))
      #expect(loop.statistics.timeouts == 1)
      // The place is free again.
      #expect(try await pool.withResource { try await echo("a", $0) } == "a")
    }
  }

  @Test func `Callers that come when too many wait are refused at once`() async throws {
    try await withPool(1, { $0.waiters = 1 }) { loop, _, pool in
      let lease = try await pool.lease().value
      let waiting = loop.spawn { () async throws(UVError) in try await pool.lease().value.giveBack() }
      try await loop.until { pool.counts.waiting == 1 }
      await expectError(.busy, of: try await pool.lease().value)
      lease.giveBack()
      try await waiting.value
      #expect((pool.counts.refused, pool.counts.leases) == (1, 2))
    }
  }

  @Test func `Waiters that are cancelled cost the others nothing, in whatever state`() async throws {
    try await withPool(1) { loop, _, pool in
      let lease = try await pool.lease().value
      var ends: [String] = []
      var pending: [PendingRequest] = []
      for number in 0..<100 {
        pending.append(
          pool.lease { result in
            switch result {
            case .success(let lease):
              ends.append("lease \(number)")
              lease.giveBack()
            case .failure(let error): if !error.isCancelled { ends.append("\(error)") }
            }
          })
      }
      for number in 0..<100 where number % 10 != 0 { pending[number].cancel() }
      #expect(pool.counts.waiting == 10)
      lease.giveBack()
      // The first one has its lease on the way to it.
      pending[0].cancel()
      try await loop.until { ends.count == 9 }
      #expect(ends == stride(from: 10, to: 100, by: 10).map { "lease \($0)" })
      #expect((pool.counts.idle, pool.counts.leased, pool.counts.created) == (1, 0, 1))
      for request in pending { request.cancel() }
    }
  }

  @Test func `A body that throws or is cancelled ends its lease, and nobody gets its answer`() async throws {
    struct Wrong: Error {}
    try await withPool(1) { loop, _, pool in
      await #expect(throws: Wrong.self) {
        try await pool.withResource { connection in
          try await connection.write("an answer that nobody reads\n").value
          throw Wrong()
        }
      }
      #expect((pool.counts.leased, pool.counts.discarded, pool.counts.dropped) == (0, 1, 0))
      await #expect(throws: Wrong.self) {
        try await pool.withResource(keepingAfter: { $0 is Wrong }) { _ in throw Wrong() }
      }
      #expect((pool.counts.leased, pool.counts.idle, pool.counts.discarded) == (0, 1, 1))
      let task = loop.spawn { () async throws in
        try await pool.withResource { connection in _ = try await connection.next().value }
      }
      try await loop.until { pool.counts.leased == 1 }
      task.cancel()
      await #expect { try await task.value } throws: { ($0 as? UVError)?.isCancelled == true }
      #expect((pool.counts.leased, pool.counts.discarded) == (0, 2))
      #expect(try await pool.withResource { try await echo("b", $0) } == "b")
      // What has come and wasn't read, and what somebody still waits for, isn't lent.
      let lease = try await pool.lease().value
      try await lease.resource.write("more\nthan one line\n").value
      #expect(try await lease.resource.readLine(limit: 100).value == "more")
      try await loop.until { lease.resource.unreadByteCount > 0 }
      lease.giveBack()
      lease.giveBack()
      lease.discard()
      let second = try await pool.lease().value
      second.resource.next { _ in }
      second.giveBack()
      #expect((pool.counts.idle, pool.counts.discarded) == (0, 4))
    }
  }

  @Test func `A lease that is dropped is counted and its connection closed, from any thread`() async throws {
    try await withPool(1) { loop, _, pool in
      _ = try await pool.lease().value
      #expect((pool.counts.dropped, pool.counts.leased, pool.counts.discarded) == (1, 0, 1))
      let box = Box(try await pool.lease().value)
      #expect(pool.counts.leased == 1)
      try await loop.work { box.value = nil }.value
      try await loop.until { pool.counts.dropped == 2 }
      #expect(pool.counts.leased == 0)
      #expect(try await pool.withResource { try await echo("a", $0) } == "a")
      #expect(pool.counts.created == 3)
    }
  }

  @Test("A peer that goes while its connection is idle is seen, and the connection isn't lent")
  func goneWhileIdle() async throws {
    try await withPool(3) { loop, server, pool in
      let leases = [try await pool.lease().value, try await pool.lease().value, try await pool.lease().value]
      for lease in leases { #expect(try await echo("a", lease.resource) == "a") }
      for lease in leases { lease.giveBack() }
      #expect(pool.counts.idle == 3)
      server.connections[0].close()
      // Nobody has asked for this.
      try await server.connections[1].write("surprise").value
      try await loop.until { pool.counts.idle == 1 }
      #expect(pool.counts.gone == 2)
      #expect(try await pool.withResource { try await echo("b", $0) } == "b")
      // The program itself closes what is idle.
      leases[2].resource.close()
      #expect(try await pool.withResource { try await echo("c", $0) } == "c")
      #expect((pool.counts.created, pool.counts.gone) == (4, 3))
    }
  }

  @Test("A peer that goes while its connection is lent fails the read, and the next lease gets another")
  func goneWhileLeased() async throws {
    try await withPool(1) { _, _, pool in
      try await pool.withResource { connection in
        try await connection.write("close\n").value
        #expect(try await connection.next().value == nil)
      }
      #expect((pool.counts.idle, pool.counts.discarded) == (0, 1))
      #expect(try await pool.withResource { try await echo("a", $0) } == "a")
    }
  }

  @Test func `A connection whose wait for its end is over is as it was before, and stays as it is set then`()
    async throws
  {
    try await withPair { loop, client, server in
      var isOver = false
      let wait = client.idling { _ in isOver = true }
      #expect(!client.keepsLoopRunning)
      try await server.write("x").value
      try await loop.until { isOver }
      #expect(client.keepsLoopRunning)
      client.keepsLoopRunning = false
      // It is too late.
      wait.cancel()
      #expect(!client.keepsLoopRunning)
      client.keepsLoopRunning = true
      client.readTimeout = .milliseconds(1)
      await expectError(.timedOut, of: try await client.next().value)
    }
  }

  @Test func `Connections that become idle one after the other are closed one after the other`() async throws
  {
    try await withPool(2, { $0.idle = .milliseconds(20) }) { loop, _, pool in
      let (first, second) = (try await pool.lease().value, try await pool.lease().value)
      first.giveBack()
      let given = loop.clock.now
      try await loop.until { given.duration(to: loop.clock.now) > .milliseconds(10) }
      second.giveBack()
      try await loop.until { pool.counts.expired == 2 }
      #expect((pool.counts.idle, pool.counts.created) == (0, 2))
    }
  }

  @Test(
    "Connections are closed when their idle time or their life is over, the one used last being lent first")
  func expiry() async throws {
    try await withLoop { loop in
      let server = try PoolServer(loop)
      let pool = server.pool(2)
      let (first, second) = (try await pool.lease().value, try await pool.lease().value)
      let last = ObjectIdentifier(second.resource)
      first.giveBack()
      second.giveBack()
      try await pool.withResource { #expect(ObjectIdentifier($0) == last) }
      try await pool.close().value

      let brief = server.pool(2) { $0.idle = .milliseconds(1) }
      let leases = (try await brief.lease().value, try await brief.lease().value)
      leases.0.giveBack()
      leases.1.giveBack()
      try await loop.until { brief.counts.idle == 0 }
      #expect((brief.counts.expired, brief.counts.created) == (2, 2))
      try await brief.close().value

      let short = server.pool(1) { $0.lifetime = .zero }
      try await short.withResource { _ in }
      #expect((short.counts.idle, short.counts.expired) == (0, 1))
      try await short.close().value

      let none = server.pool(1) { $0.idle = .zero }
      try await none.withResource { _ in }
      #expect((none.counts.idle, none.counts.discarded) == (0, 0))
      try await none.close().value
      server.close()
    }
  }
}
