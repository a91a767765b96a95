import Testing
import UV
import UVTestSupport

/// Who waits to start a task of a limited group, and in which order they come.
@Suite struct TurnsInLineTests {
  @Test func `A task of the group that starts another doesn't overtake who waits for a place`() async throws {
    try await withLoop { loop in
      for waiting in 1...3 {
        var (order, isWaiting) = ([String](), false)
        try await loop.withTasks(limit: 1) { tasks in
          try await tasks.spawn {
            order.append("A")
            try await loop.until { isWaiting }
            try await loop.settle()
            try await tasks.spawn { order.append("C") }
            order.append("A again")
          }
          let others = (0..<waiting).map { number in
            loop.spawn { try await tasks.spawn { order.append("B\(number)") } }
          }
          try await loop.settle()
          isWaiting = true
          for other in others { _ = try await other.value }
        }
        let line = (0..<waiting).map { "B\($0)" } + ["C"]
        #expect(order.filter { $0 != "A again" } == ["A"] + line, "\(waiting) wait")
      }
    }
  }

  @Test(arguments: 1...3, [false, true])
  func `Callers get their places in the order in which they asked, from wherever they ask`(
    limit: Int, isNested: Bool
  )
    async throws
  {
    try await withLoop { loop in
      var (asked, started) = ([Int](), [Int]())
      let gate = LoopSemaphore(loop, value: 0)
      try await loop.withTasks(limit: limit) { tasks in
        for _ in 0..<limit {
          try await tasks.spawn {
            try await gate.wait().value
            guard isNested else { return }
            // It gives its place up, and takes its turn with the others.
            let number = 100 + asked.count
            asked.append(number)
            try await tasks.spawn { started.append(number) }
          }
        }
        let callers = (0..<6).map { number in
          loop.spawn {
            asked.append(number)
            try await tasks.spawn { started.append(number) }
          }
        }
        try await loop.settle()
        #expect(started == [] && asked == Array(0..<6))
        for _ in 0..<limit {
          gate.signal()
          try await loop.settle()
        }
        for caller in callers { _ = try await caller.value }
      }
      #expect(started == asked)
    }
  }

  @Test
  func
    `A place that is free isn't waited for, and one that becomes free is for who waits, not for who comes`()
    async throws
  {
    try await withLoop { loop in
      var order: [String] = []
      try await loop.withTasks(limit: 2) { tasks in
        let stuck = try await tasks.spawn { try await loop.sleep(for: .untilCancelled).value }
        let second = try await tasks.spawn { try await loop.sleep(for: .untilCancelled).value }
        let waiting = loop.spawn { try await tasks.spawn { order.append("waiting") } }
        try await loop.settle()
        // In one callback: the place is on its way to the one who waits.
        stuck.cancel()
        let late = loop.spawn { try await tasks.spawn { order.append("late") } }
        _ = try await waiting.value
        _ = try await late.value
        #expect(order.first == "waiting")
        second.cancel()
      }
      #expect(order == ["waiting", "late"])
    }
  }

  @Test(arguments: 0..<10)
  func `Trees of tasks that start each other keep to the limit, and all of them run`(seed: Int) async throws {
    try await withLoop { loop in
      let draws = Draws(UInt64(seed))
      let limit = 1 + draws.draw(3)
      // A task that waits for a place doesn't count.
      var (running, most, begun, planned) = (0, 0, 0, 0)
      nonisolated(nonsending) func grow(_ tasks: LimitedTaskGroup<Void>, _ depth: Int) async throws {
        begun += 1
        running += 1
        most = max(most, running)
        for _ in 0..<draws.draw(3) { try await loop.sleep(for: .zero).value }
        if depth > 0 {
          for _ in 0..<1 + draws.draw(2) {
            planned += 1
            running -= 1
            try await tasks.spawn { try await grow(tasks, depth - 1) }
            running += 1
            most = max(most, running)
          }
        }
        running -= 1
      }
      try await loop.withTasks(limit: limit) { tasks in
        for _ in 0..<3 {
          planned += 1
          try await tasks.spawn { try await grow(tasks, 4) }
        }
      }
      #expect(begun == planned && running == 0 && most <= limit, "\(most) of \(limit)")
    }
  }
}
