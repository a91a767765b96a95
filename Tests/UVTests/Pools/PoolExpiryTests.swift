import Testing
import UV
import UVTestSupport

/// When things that nobody has are closed: each in its time, whichever became idle first.
@Suite struct PoolExpiryTests {
  @Test(arguments: [[0, 1], [1, 0]])
  func `One whose life ends earlier is closed in its time, also if it was given back later`(order: [Int])
    async throws
  {
    try await withLoop { loop in
      let factory = PoolThings()
      let pool = factory.pool(loop) {
        ($0.resources, $0.lifetime, $0.idle) = (2, .milliseconds(300), .seconds(60))
      }
      let first = try await pool.lease().value
      let begun = loop.clock.now
      try await loop.sleep(for: .milliseconds(150)).value
      let second = try await pool.lease().value
      // In one order, and in the other: what was made first isn't always given back first.
      let leases = [first, second]
      for place in order {
        leases[place].giveBack()
        try await loop.settle()
      }
      #expect(pool.counts.idle == 2 || begun.duration(to: loop.clock.now) > .milliseconds(270))
      try await loop.until { factory.things[0].isClosed }
      let elapsed = begun.duration(to: loop.clock.now)
      #expect(elapsed >= .milliseconds(265), "\(elapsed)")
      // The other one has at least 120 ms more, unless the machine is busy.
      if elapsed < .milliseconds(380) { #expect(!factory.things[1].isClosed && pool.counts.expired == 1) }
      try await loop.until { pool.counts.idle == 0 }
      #expect(pool.counts.expired == 2)
      try await pool.close().value
    }
  }

  @Test func `One that is given back later lasts longer, and one that is used begins anew`() async throws {
    try await withLoop { loop in
      let factory = PoolThings()
      let pool = factory.pool(loop) { ($0.resources, $0.idle) = (3, .milliseconds(100)) }
      let leases = [try await pool.lease().value, try await pool.lease().value, try await pool.lease().value]
      leases[0].giveBack()
      let begun = loop.clock.now
      try await loop.sleep(for: .milliseconds(40)).value
      leases[1].giveBack()
      leases[2].giveBack()
      // The last one that was used is used again, all the time.
      while pool.counts.idle > 1 {
        try await loop.sleep(for: .milliseconds(10)).value
        let lease = try await pool.lease().value
        #expect(
          lease.resource === leases[2].resource || begun.duration(to: loop.clock.now) > .milliseconds(130))
        lease.giveBack()
      }
      #expect(factory.things[0].isClosed && factory.things[1].isClosed)
      #expect(pool.counts.expired == 2 && begun.duration(to: loop.clock.now) >= .milliseconds(139))
      try await loop.until { pool.counts.idle == 0 }
      #expect(pool.counts.expired == 3)
      try await pool.close().value
    }
  }

  @Test func `One whose time is over when somebody asks isn't lent, though no timer has fired yet`()
    async throws
  {
    try await withLoop { loop in
      let factory = PoolThings()
      let pool = factory.pool(loop) { $0.idle = .milliseconds(5) }
      try await pool.lease().value.giveBack()
      let end = loop.clock.now.advanced(by: .milliseconds(20))
      while loop.clock.now < end {}
      try await loop.sleep(for: .zero).value
      let lease = try await pool.lease().value
      #expect(lease.resource === factory.things[1] && factory.things[0].isClosed && pool.counts.expired == 1)
      lease.discard()
      try await pool.close().value
    }
  }

  @Test func `The wait for its expiry keeps neither the loop nor the pool`() async throws {
    try await withCallbackLoop { loop in
      let factory = PoolThings()
      var pool: Pool<PoolThing>? = factory.pool(loop)
      pool!.lease { result in
        result.value?.giveBack()
        loop.sleep(for: .zero) { _ in
          #expect(pool!.counts.idle == 1)
          pool = nil
          #expect(factory.open.isEmpty)
        }
      }
    }
  }

  /// Seldom does the first one that is given back end first, as the lives are drawn.
  @Test func `The pool wakes for the one that ends first, whichever was given back before`() async throws {
    try await withLoop { loop in
      var earlier = 0
      for _ in 0..<12 {
        let factory = PoolThings()
        let pool = factory.pool(loop) {
          ($0.resources, $0.lifetime, $0.idle) = (8, .seconds(1000), .seconds(5000))
        }
        var leases: [PoolLease<PoolThing>] = []
        for _ in 0..<8 { leases.append(try await pool.lease().value) }
        /// When the timer that keeps no loop running is due.
        func date() throws -> LoopClock.Instant {
          let timers = loop.snapshot().timers.entries.filter { !$0.keepsLoopRunning }
          #expect(timers.count == 1)
          return loop.clock.now.advanced(by: try #require(timers.first).dueIn)
        }
        var dates: [LoopClock.Instant] = []
        for lease in leases {
          lease.giveBack()
          dates.append(try date())
        }
        for (one, next) in zip(dates, dates.dropFirst()) { #expect(one.duration(to: next) < .seconds(1)) }
        if dates[7].duration(to: dates[0]) > .seconds(1) { earlier += 1 }
        #expect(
          .seconds(800) < loop.clock.now.duration(to: dates[7])
            && loop.clock.now.duration(to: dates[7]) < .seconds(1001))
        // One that is lent and given back again doesn't change when the others end.
        let again = try await pool.lease().value
        again.giveBack()
        #expect(dates[7].duration(to: try date()) < .seconds(1))
        try await pool.close().value
        #expect(loop.snapshot().timers.entries.isEmpty)
      }
      #expect(earlier > 3)
    }
  }
}
