import Testing
import UV
import UVTestSupport

/// Resources that are at hand when somebody asks for one.
@Suite struct PoolLoanTests {
  @Test func `The time that leases wait is counted, and none for those that are granted at once`()
    async throws
  {
    try await withPool(1) { loop, _, pool in
      try await pool.lease().value.giveBack()
      let before = pool.counts.waitTime
      // The turn has gone on for a while when the lease is asked for.
      let end = LoopClock.Instant.now.advanced(by: .milliseconds(3))
      while LoopClock.Instant.now < end {}
      let lease = try await pool.lease().value
      #expect(pool.counts.waitTime == before)
      let waiting = loop.spawn { () async throws(UVError) in try await pool.lease().value.giveBack() }
      try await loop.sleep(for: .milliseconds(20)).value
      lease.giveBack()
      try await waiting.value
      #expect(pool.counts.waitTime >= before + .milliseconds(19))
    }
  }

  @Test func `A resource that is at hand is lent at once, unless others wait or the pool has ended`()
    async throws
  {
    try await withPool(1) { loop, _, pool in
      #expect(pool.leaseAtOnce() === nil)
      try await pool.lease().value.giveBack()
      let lease = try #require(pool.leaseAtOnce())
      #expect((pool.counts.leased, pool.counts.leases) == (1, 2))
      #expect(pool.leaseAtOnce() === nil)
      let waiting = loop.spawn { () async throws(UVError) in try await pool.lease().value }
      try await loop.settle()
      lease.giveBack()
      #expect(pool.leaseAtOnce() === nil)
      try await waiting.value.giveBack()
      let closing = pool.close()
      #expect(pool.leaseAtOnce() === nil)
      try await closing.value
    }
  }
}
