import Testing
import UV
import UVTestSupport

/// When a pool wakes up for things that nobody has, beside a model: things are made at drawn times, lent, and given back in
/// drawn order.
@Suite struct PoolExpiryModelTests {
  /// What the model knows of a thing: when it was made, and since when it has been idle.
  private struct Life {
    var made: (least: LoopClock.Instant, most: LoopClock.Instant)
    var idle: (least: LoopClock.Instant, most: LoopClock.Instant)
    var isIdle = false
  }

  private static let lifetime = Duration.milliseconds(240)
  /// Times of the loop are whole milliseconds.
  private static let slack = Duration.milliseconds(2)

  /// Expects that the pool wakes at `end`, unless that is over: the loop hasn't had a turn since.
  private static func expectWake(_ loop: EventLoop, at end: LoopClock.Instant) {
    let now = loop.clock.now
    if now >= end { return }
    let timers = loop.snapshot().timers.entries.filter { !$0.keepsLoopRunning }
    #expect(timers.count == 1)
    let due = now.advanced(by: timers.first?.dueIn ?? .seconds(1000))
    #expect(due <= end.advanced(by: slack), "late by \(end.duration(to: due))")
  }

  @Test(arguments: 0..<4)
  func `A pool that has an idle thing wakes when the first one's time is over, and closes none earlier`(
    seed: Int
  ) async throws {
    let idle = Duration.milliseconds(seed % 3 == 2 ? 60 : 60_000)
    try await withLoop { loop in
      let draws = Draws(UInt64(seed + 100))
      let factory = PoolThings()
      let pool = factory.pool(loop) {
        ($0.resources, $0.lifetime, $0.idle) = (6, Self.lifetime, idle)
      }
      var lives: [Int: Life] = [:]
      var held: [PoolLease<PoolThing>] = []
      var expirations = 0

      /// Compares the pool with the model: its timer, and what it has closed.
      func look() {
        for (number, life) in lives where life.isIdle && factory.things[number].isClosed {
          // Each life is shortened by up to a tenth.
          let end = min(life.made.least.advanced(by: Self.lifetime * 0.9), life.idle.least.advanced(by: idle))
          #expect(loop.clock.now.advanced(by: Self.slack) >= end, "\(number) was closed too early")
          lives[number] = nil
          expirations += 1
        }
        let ends = lives.values.filter(\.isIdle).map {
          min($0.made.most.advanced(by: Self.lifetime), $0.idle.most.advanced(by: idle))
        }
        if let end = ends.min() { Self.expectWake(loop, at: end) }
      }

      func lease() async throws(UVError) {
        let begun = loop.now
        let lease = try await pool.lease().value
        let number = lease.resource.number
        look()
        if lives[number] == nil { lives[number] = Life(made: (begun, loop.clock.now), idle: (begun, begun)) }
        lives[number]?.isIdle = false
        held.append(lease)
      }

      func giveBack(_ place: Int) {
        let lease = held.remove(at: place)
        let thing = lease.resource
        lease.giveBack()
        // One whose life is over is closed at once.
        if thing.isClosed { lives[thing.number] = nil }
        lives[thing.number]?.isIdle = true
        lives[thing.number]?.idle = (loop.now, loop.clock.now)
      }

      for round in 0..<2 {
        // Made one after the other, and used again in between.
        let count = 3 + draws.draw(4)
        while held.count < count {
          try await lease()
          try await loop.sleep(for: .milliseconds(5 + draws.draw(40))).value
          look()
          if draws.draw(3) > 0 { continue }
          giveBack(draws.draw(held.count))
          try await loop.sleep(for: .milliseconds(draws.draw(10))).value
          look()
        }
        while !held.isEmpty { giveBack(draws.draw(held.count)) }
        // Nobody asks for a while, the second time until none is left.
        for turn in 0..<5000 where pool.counts.idle > 0 && (round == 1 || turn < 30) {
          look()
          try await loop.sleep(for: .milliseconds(1)).value
        }
      }
      look()
      #expect(factory.open.isEmpty && expirations > 0 && pool.counts.expired >= expirations)
      try await pool.close().value
    }
  }

  /// The orders in which three are given back that end one after the other.
  @Test(arguments: [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]])
  func `Each is closed when its own life is over, in whatever order they were given back`(order: [Int])
    async throws
  {
    try await withLoop { loop in
      let factory = PoolThings()
      let pool = factory.pool(loop) {
        ($0.resources, $0.lifetime, $0.idle) = (3, .milliseconds(300), .seconds(60))
      }
      var (leases, made) = ([PoolLease<PoolThing>](), [LoopClock.Instant]())
      for _ in 0..<3 {
        leases.append(try await pool.lease().value)
        made.append(loop.clock.now)
        // By more than lives differ.
        try await loop.sleep(for: .milliseconds(50)).value
      }
      for place in order { leases[place].giveBack() }
      for number in 0..<3 {
        try await loop.until { factory.things[number].isClosed }
        guard let next = factory.things.first(where: { !$0.isClosed }) else { break }
        Self.expectWake(loop, at: made[next.number].advanced(by: .milliseconds(300)))
      }
      #expect(factory.open.isEmpty && pool.counts.expired == 3)
      try await pool.close().value
    }
  }
}
