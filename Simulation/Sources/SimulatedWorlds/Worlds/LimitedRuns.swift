import UV
import UVSimulation

/// Bodies on other loops that start tasks, only so many at a time, with deadlines around them and within, while callers
/// cancel and loops stop. No more tasks run than the limit says. Each value comes once, and nothing of a body
/// runs when its end is reported.
func limitedRuns(_ world: World, _ ledger: Ledger) throws {
  world.node("a") { loop in
    let group = try EventLoopGroup(count: 2)
    let stops = loop.isDrawn(oneIn: 3)
    let isStopped = Shared(false)
    var callers: [LoopTask<Void, any Error>] = []
    for number in 0..<12 {
      let executor = group.next()
      let run = LimitedRun(limit: 1 + loop.draw(4), count: loop.draw(12), ledger)
      let deadline = Duration.microseconds(Int64(loop.draw([1000, 100_000, 3_000_000][loop.draw(3)])))
      let isCancelled = loop.isDrawn(oneIn: 4)
      let done: Completion<Void> = ledger.ask("run \(number)")
      let caller = loop.spawn { () async throws in
        defer { done(.success(())) }
        let start = loop.clock.now
        do {
          let sum = try await executor.run { other in
            try await other.withDeadline(deadline) { try await run.body(other) }
          }
          try expect(sum == run.count * (run.count - 1) / 2, "run \(number): the sum \(sum)")
          try expect(run.ended == run.count, "run \(number): \(run.ended) of \(run.count) have ended")
        } catch let error as UVError {
          let isLate = start.duration(to: loop.clock.now) >= deadline
          switch error.code {
          case .timedOut: try expect(isLate, "run \(number) is late after less than \(deadline)")
          case .loopClosed: try expect(isStopped.value, "run \(number): \(error)")
          default:
            try expect(error.isCancelled && (isCancelled || isStopped.value), "run \(number): \(error)")
          }
          // A loop that stops drops its tasks.
          if error.code == .loopClosed { return }
        }
        try expect(run.running == 0, "run \(number): \(run.running) tasks run after its end")
      }
      callers.append(caller)
      if isCancelled { loop.cancel(PendingRequest { caller.cancel() }) }
      if stops, loop.isDrawn(oneIn: 12) {
        isStopped.value = true
        executor.stop()
      }
      if loop.isDrawn(oneIn: 3) { try await loop.dawdle() }
    }
    for caller in callers { try await caller.value }
    _ = await group.shutdownGracefully(within: .seconds(1))
  }
}

// Sound: one thread of a world runs at a time.
/// A body, and how many of its tasks run and have ended.
private final class LimitedRun: @unchecked Sendable {
  let limit: Int
  let count: Int
  private let ledger: Ledger
  private(set) var running = 0
  private(set) var ended = 0

  init(limit: Int, count: Int, _ ledger: Ledger) {
    (self.limit, self.count, self.ledger) = (limit, count, ledger)
  }

  /// - Returns: The sum of the numbers of its tasks.
  nonisolated(nonsending) func body(_ loop: EventLoop) async throws -> Int {
    try await loop.withTasks(of: Int.self, limit: limit) { tasks in
      var left = self.count
      while left > 0 {
        left -= 1
        let number = left
        // A task that starts the next one gives up its place meanwhile.
        let next = left > 0 && loop.isDrawn(oneIn: 3) ? left - 1 : nil
        if next != nil { left -= 1 }
        try await tasks.spawn {
          try await self.work(loop, number)
          if let next {
            try await tasks.spawn {
              try await self.work(loop, next)
              return next
            }
          }
          return number
        }
      }
      var sum = 0
      for try await value in tasks { sum += value }
      return sum
    }
  }

  private nonisolated(nonsending) func work(_ loop: EventLoop, _ number: Int) async throws {
    running += 1
    if running > limit { ledger.complain("\(running) tasks run in place of \(limit)") }
    defer { running -= 1 }
    let length = Duration.microseconds(Int64(loop.draw([1, 3000, 300_000][loop.draw(3)])))
    switch loop.draw(4) {
    case 0: try await loop.sleep(for: length).value
    case 1: _ = try await loop.work { number }.value
    case 2:
      // One that is late goes on.
      do { try await loop.withDeadline(length) { try await loop.sleep(for: .seconds(1000)).value } } catch let
        error as UVError
      {
        if error.code != .timedOut { throw error }
      }
    default: try await loop.withTasks { $0.spawn { try await loop.sleep(for: length).value } }
    }
    ended += 1
  }
}
