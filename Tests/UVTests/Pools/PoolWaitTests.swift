import Testing
import UV
import UVTestSupport

/// The wait of a thing that nobody has belongs to one time of being idle, and ends with it.
@Suite struct PoolWaitTests {
  /// How the time has ended in which a thing was idle.
  enum End: CaseIterable, Sendable {
    case lent, idleAgain, lentAgain, discarded, useless, expired, closedPool
  }

  @Test(arguments: End.allCases, PoolThing.Cancelling.allCases)
  func `What a wait says after its end is ignored, whatever has become of its thing`(
    end: End, cancelling: PoolThing.Cancelling
  ) async throws {
    try await withLoop { loop in
      let factory = PoolThings()
      factory.prepare = { $0.cancelling = cancelling }
      let pool = factory.pool(loop) { if end == .expired { $0.idle = .milliseconds(5) } }
      try await pool.lease().value.giveBack()
      let thing = factory.things[0]
      let first = try #require(thing.becomeUseless)
      var lease: PoolLease<PoolThing>?
      if end != .useless, end != .expired, end != .closedPool { lease = try await pool.lease().value }
      switch end {
      case .lent: break
      case .idleAgain: lease?.giveBack()
      case .lentAgain:
        lease?.giveBack()
        lease = try await pool.lease().value
      case .discarded: lease?.discard()
      case .useless: first(.success(()))
      case .expired: try await loop.until { thing.isClosed }
      case .closedPool: try await pool.close().value
      }
      let isClosed = end != .lent && end != .idleAgain && end != .lentAgain
      #expect(thing.isClosed == isClosed)
      let counts = pool.counts
      #expect(counts.idle == (end == .idleAgain ? 1 : 0) && counts.gone == (end == .useless ? 1 : 0))
      for result in [.success(()), .failure(UVError(.endOfFile, operation: "read"))]
        as [Result<Void, UVError>]
      {
        first(result)
        try await loop.settle()
        #expect(pool.counts == counts && thing.isClosed == isClosed)
      }
      // The present one counts.
      if end == .idleAgain {
        let second = try #require(thing.becomeUseless)
        second(.success(()))
        #expect(thing.isClosed && pool.counts.gone == 1)
      }
      lease?.giveBack()
      try await pool.close().value
      #expect(factory.open.isEmpty)
    }
  }
}
