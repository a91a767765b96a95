import Testing
import UV
import UVTestSupport

/// A thing that a pool lends, without a connection.
final class PoolThing: PoolResource {
  let loop: EventLoop
  let number: Int
  var isReusable = true
  var isClosed = false
  /// Says that it is of no more use; nil while somebody has it.
  var becomeUseless: Completion<Void>?
  /// What a wait does that is cancelled: nothing, or it says so, at once or a little later.
  var cancelling = Cancelling.silent
  enum Cancelling: CaseIterable { case silent, atOnce, later }
  /// The answers to waits that were over. They are ignored.
  var old: [Completion<Void>] = []

  init(_ loop: EventLoop, _ number: Int) { (self.loop, self.number) = (loop, number) }

  func idling(_ done: @escaping Completion<Void>) -> PendingRequest {
    #expect(becomeUseless == nil && !isClosed, "two waits at a time")
    becomeUseless = done
    return PendingRequest { [self] in
      becomeUseless = nil
      old.append(done)
      let cancelled = Result<Void, UVError>.failure(UVError(.cancelled, operation: "idling"))
      switch cancelling {
      case .silent: break
      case .atOnce: done(cancelled)
      case .later: loop.queueMicrotask { done(cancelled) }
      }
    }
  }

  func close() -> Request<Void> {
    #expect(!isClosed, "closed twice")
    isClosed = true
    return loop.sleep(for: .zero)
  }
}

/// Makes things, and keeps them all.
final class PoolThings {
  var things: [PoolThing] = []
  /// Called with each new thing.
  var prepare: (PoolThing) -> Void = { _ in }
  func pool(_ loop: EventLoop, _ change: (inout PoolLimits) -> Void = { _ in }) -> Pool<PoolThing> {
    var limits = PoolLimits()
    change(&limits)
    return Pool(loop, limits: limits, retry: RetryPolicy(attempts: 1)) { [self] in
      things.append(PoolThing(loop, things.count))
      prepare(things.last!)
      return things.last!
    }
  }
  var open: [Int] { things.filter { !$0.isClosed }.map(\.number) }
}

/// Pools beside a model: who asks, leaves and gives back in drawn order.
@Suite struct PoolModelTests {
  @Test(arguments: 0..<20)
  func `Each lease is of an open thing that nobody else has, in the order of asking, and the counts add up`(
    seed: Int
  )
    async throws
  {
    try await withLoop { loop in
      let draws = Draws(UInt64(seed))
      let factory = PoolThings()
      let limit = 1 + draws.draw(3)
      factory.prepare = { $0.cancelling = draws.one(of: PoolThing.Cancelling.allCases) }
      let pool = factory.pool(loop) { ($0.resources, $0.waiters) = (limit, 5) }
      var (held, granted) = ([PoolLease<PoolThing>](), [Int]())
      var (asked, refused, cancelled, discarded, gone, dropped) = (0, 0, 0, 0, 0, 0)
      var pending: [(number: Int, request: PendingRequest)] = []
      for step in 0..<200 {
        switch draws.draw(seed % 2 == 0 ? 10 : 14) {
        case 0...2:
          asked += 1
          let number = asked
          let request = pool.lease { result in
            switch result {
            case .success(let lease):
              #expect(
                !lease.resource.isClosed && lease.resource.isReusable && lease.resource.becomeUseless == nil)
              #expect(!held.contains { $0.resource === lease.resource })
              held.append(lease)
              granted.append(number)
            case .failure(let error):
              if error.code == .busy { refused += 1 } else { cancelled += 1 }
              #expect(error.code == .busy || error.isCancelled)
            }
          }
          pending.append((number, request))
        case 3 where !pending.isEmpty: pending[draws.draw(pending.count)].request.cancel()
        // With half of the seeds more is given back than asked for, so that things are idle.
        case 4 where !held.isEmpty, 10...13 where !held.isEmpty:
          held.remove(at: draws.draw(held.count)).giveBack()
        case 5 where !held.isEmpty:
          let lease = held.remove(at: draws.draw(held.count))
          discarded += 1
          if draws.draw(2) == 0 {
            lease.discard()
          } else {
            lease.resource.isReusable = false; lease.giveBack()
          }
          lease.giveBack()
          lease.discard()
        case 6:
          // One that nobody has becomes useless, or can't be used when it is asked for.
          guard let thing = factory.things.last(where: { $0.becomeUseless != nil && !$0.isClosed }) else {
            break
          }
          gone += 1
          let useless = thing.becomeUseless!
          thing.becomeUseless = nil
          useless(.success(()))
          useless(.success(()))
          #expect(thing.isClosed)
        case 7 where !held.isEmpty && draws.draw(4) == 0:
          held.remove(at: 0)
          dropped += 1
        case 8:
          // A wait that is over says something after all: of a thing that is idle again, lent or closed.
          let answers = factory.things.flatMap(\.old)
          if answers.isEmpty { break }
          let (before, open) = (pool.counts, factory.open)
          answers[draws.draw(answers.count)](
            draws.draw(2) == 0 ? .success(()) : .failure(.init(.endOfFile, operation: "read")))
          #expect(pool.counts == before && factory.open == open, "step \(step)")
        default: for _ in 0..<draws.draw(4) { try await loop.sleep(for: .zero).value }
        }
        let counts = pool.counts
        #expect(counts.leased + counts.idle + counts.creating <= limit, "step \(step)")
        #expect(counts.idle == 0 || counts.waiting == 0)
        #expect((counts.discarded, counts.gone, counts.dropped) == (discarded + dropped, gone, dropped))
      }
      try await loop.settle { pool.counts.creating == 0 }
      while !held.isEmpty || pool.counts.waiting > 0 {
        held.popLast()?.giveBack()
        try await loop.settle { pool.counts.creating == 0 }
      }
      #expect(granted.count + refused + cancelled == asked && granted == granted.sorted())
      #expect(pool.counts.refused == refused && pool.counts.created == factory.things.count)
      #expect(pool.counts.idle == factory.open.count && pool.counts.leased == 0)
      // Leases that were cancelled on their way count as granted.
      #expect(pool.counts.leases >= granted.count)
      try await pool.close().value
      #expect(factory.open.isEmpty)
    }
  }

  @Test func `Callers beyond the limit wait, as many as may, and the next one is refused`() async throws {
    try await withLoop { loop in
      for (resources, waiters) in [(1, 0), (1, 1), (2, 0), (2, 3), (3, 2)] {
        let factory = PoolThings()
        let pool = factory.pool(loop) { ($0.resources, $0.waiters) = (resources, waiters) }
        var (leases, codes) = ([PoolLease<PoolThing>](), [UVError.Code]())
        for _ in 0..<resources + waiters + 2 {
          pool.lease { result in
            switch result {
            case .success(let lease): leases.append(lease)
            case .failure(let error): codes.append(error.code)
            }
          }
        }
        try await loop.settle { leases.count == resources }
        #expect(codes == [.busy, .busy] && pool.counts.waiting == waiters && pool.counts.refused == 2)
        while !leases.isEmpty {
          leases.removeFirst().giveBack()
          try await loop.settle()
        }
        #expect(pool.counts.leases == resources + waiters && factory.things.count == resources)
        try await pool.close().value
      }
    }
  }
}
