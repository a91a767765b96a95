import Glibc
import UV
import UVSimulation

/// Everything with a date fires no later than that and the longest turn under way, while the loop's thread computes between
/// any two calls.
func punctual(_ world: World, _ ledger: Ledger) throws {
  let ended = Shared(0)
  for name in ["a", "b"] {
    world.node(name, mayBeBusy: false) { loop in
      let lateness = Lateness(loop, ledger)
      if loop.isDrawn(oneIn: 2) { try lateness.countTurns() }
      let things = DatedThings(lateness, ledger)
      let isOver = Shared(false)
      let chores = Chores(lateness)
      let tasks = chores.spawn(until: isOver)
      for _ in 0..<3 {
        for _ in 0..<8 {
          let thing = Dated.allCases[loop.draw(Dated.allCases.count)]
          let longest = [30_000, 900_000, 4_000_000][loop.draw(3)]
          let length = Duration.microseconds(Int64(1000 + loop.draw(longest)))
          chores.computeNowAndThen()
          if loop.isDrawn(oneIn: 2) {
            try things.begin(thing, length)
          } else {
            // In a callback.
            loop.sleep(for: .microseconds(Int64(loop.draw(3000)))) { _ in
              chores.computeNowAndThen()
              do { try things.begin(thing, length) } catch { ledger.complain("\(error)") }
              chores.computeNowAndThen()
            }
          }
          chores.computeNowAndThen()
          if loop.isDrawn(oneIn: 3) { try await loop.dawdle() }
        }
        repeat { try await loop.sleep(for: .milliseconds(10)).value } while things.open > 0
      }
      isOver.value = true
      for task in tasks { try await task.value }
      lateness.end()
      ended.value += 1
    }
  }
  world.eventually("each date has come", within: .seconds(900)) { ended.value == 2 }
}

/// What holds up a loop's thread at times that nothing else knows.
private struct Chores {
  let lateness: Lateness
  /// The longest that one of them computes.
  private let most: Duration

  init(_ lateness: Lateness) {
    self.lateness = lateness
    most = .milliseconds([1, 30, 300][lateness.loop.draw(3)])
  }

  func computeNowAndThen() { if lateness.loop.isDrawn(oneIn: 3) { lateness.compute(atMost: most) } }

  /// Begins some of them.
  func spawn(until isOver: Shared<Bool>) -> [LoopTask<Void, any Error>] {
    let (loop, lateness, most) = (lateness.loop, lateness, most)
    var tasks: [LoopTask<Void, any Error>] = []
    func spawn(_ body: nonisolated(nonsending) @escaping () async throws -> Void) {
      guard loop.isDrawn(oneIn: 2) else { return }
      tasks.append(
        loop.spawn { () async throws in
          while !isOver.value { try await body() }
        })
    }
    let pause = loop.draw([1000, 100_000][loop.draw(2)]) + 1
    spawn {
      try await loop.sleep(for: .microseconds(Int64(pause))).value
      lateness.compute(atMost: most)
    }
    // A message wakes the loop while it waits for a date.
    let chore = Shared({ lateness.compute(atMost: most) })
    let executor = loop.executor
    spawn {
      try await loop.work {
        usleep(UInt32(pause * 2))
        try? executor.execute { _ in chore.value() }
      }.value
    }
    // A source whose handler feeds it.
    spawn {
      try await loop.sleep(for: .microseconds(Int64(pause * 3))).value
      var rest = 5000
      let source = CustomSource<Int>(loop, "greedy") { _ in }
      await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
        source.start { _ in
          rest -= 1
          if rest % 500 == 0 { lateness.compute(atMost: .microseconds(100)) }
          if rest > 0 { return _ = source.send(rest) }
          source.stop()
          continuation.resume()
        }
        _ = source.send(rest)
      }
    }
    return tasks
  }
}
