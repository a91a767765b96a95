import Testing
import UV
import UVTestSupport

/// Groups of which only so many tasks run at the same time.
@Suite struct LimitedTaskGroupTests {
  private struct Broken: Error, Equatable {}

  /// Counts how many tasks run.
  private final class Meter {
    var running = 0
    var most = 0
    var ended = 0

    nonisolated(nonsending) func run(_ loop: EventLoop, _ work: Duration = .zero) async throws {
      running += 1
      most = max(most, running)
      defer { (running, ended) = (running - 1, ended + 1) }
      try await loop.sleep(for: work).value
    }
  }

  @Test("No more tasks run than the limit says, and all of them run", arguments: [1, 3, 100])
  func limit(_ limit: Int) async throws {
    try await withLoop { loop in
      let meter = Meter()
      let value = try await loop.withTasks(limit: limit) { tasks in
        for _ in 0..<20 { try await tasks.spawn { try await meter.run(loop) } }
        return "all"
      }
      #expect(value == "all")
      #expect(meter.ended == 20)
      #expect(meter.most == min(limit, 20))
    }
  }

  @Test("A limit below 1 is refused", arguments: [0, -1, .min])
  func badLimit(_ limit: Int) async throws {
    try await withLoop { loop in
      await #expect { try await loop.withTasks(limit: limit) { _ in Issue.record("the body ran") } } throws: {
        ($0 as? UVError)?.code == .invalidArgument
      }
    }
  }

  @Test("Values come in the order in which the tasks end, then nil; and again after more tasks")
  func order() async throws {
    try await withLoop { loop in
      try await loop.withTasks(of: Int.self) { tasks in
        #expect(try await tasks.next().value == nil)
        for _ in 0..<2 {
          for number in [3, 1, 2] {
            try await tasks.spawn {
              try await loop.sleep(for: .milliseconds(20 * number)).value
              return number
            }
          }
          var values: [Int] = []
          for try await value in tasks { values.append(value) }
          #expect(values == [1, 2, 3])
        }
      }
    }
  }

  @Test func `Values without content are counted, optional values aren't taken for the end`() async throws {
    try await withLoop { loop in
      try await loop.withTasks(limit: 2) { tasks in
        for _ in 0..<5 { try await tasks.spawn {} }
        var count = 0
        for try await _ in tasks { count += 1 }
        #expect(count == 5)
      }
      try await loop.withTasks(of: Int?.self) { tasks in
        try await tasks.spawn { nil }
        try await tasks.spawn { 1 }
        var values: [Int?] = []
        for try await value in tasks { values.append(value) }
        #expect(values == [nil, 1])
      }
    }
  }

  @Test func `A value goes to the reader that asked first; one that is cancelled takes none`() async throws {
    try await withLoop { loop in
      let log = Log<String>()
      try await loop.withTasks(of: Int.self) { tasks in
        try await tasks.spawn {
          try await loop.settle()
          return 1
        }
        let cancelled = tasks.next { log.append("first \($0.error?.name ?? "?")") }
        tasks.next { log.append("second \($0.value.map { "\($0 ?? -1)" } ?? "?")") }
        tasks.next { log.append("third \($0.value.map { "\($0 ?? -1)" } ?? "?")") }
        cancelled.cancel()
        cancelled.cancel()
        #expect(log.values == [])
      }
      try await loop.settle { log.values.count == 3 }
      #expect(log.values == ["first ECANCELED", "second 1", "third -1"])
    }
  }

  @Test func `The first error cancels the others and the waiters for a start, and is thrown`() async throws {
    try await withLoop { loop in
      var (cancelled, started) = (0, 0)
      var waiting: UVError.Code?
      await #expect(throws: Broken.self) {
        try await loop.withTasks(limit: 2) { tasks in
          try await tasks.spawn {
            do { try await loop.sleep(for: .untilCancelled).value } catch {
              cancelled += 1
              throw error
            }
          }
          try await tasks.spawn {
            try await loop.settle()
            throw Broken()
          }
          do throws(UVError) {
            try await tasks.spawn { started += 1 }
          } catch {
            waiting = error.code
            throw error
          }
        }
      }
      #expect(cancelled == 1 && started == 0 && waiting == .cancelled)
    }
  }

  @Test("Cancelling the caller cancels the tasks, and the body that waits for a place or a value")
  func parent() async throws {
    for waitsForPlace in [true, false] {
      try await withLoop { loop in
        var log: [String] = []
        let parent = loop.spawn {
          try await loop.withTasks(of: Int.self, limit: 1) { tasks in
            try await tasks.spawn {
              do { try await loop.sleep(for: .untilCancelled).value } catch { log.append("task") }
              return 1
            }
            do {
              if waitsForPlace { try await tasks.spawn { 2 } } else { _ = try await tasks.next().value }
            } catch {
              log.append("body \(error)")
              throw error
            }
          }
        }
        try await loop.settle()
        parent.cancel()
        await #expect { try await parent.value } throws: { ($0 as? UVError)?.isCancelled == true }
        let operation = waitsForPlace ? "spawn" : "next"
        #expect(log.sorted() == ["body \(operation): operation canceled (ECANCELED)", "task"])
      }
    }
  }

  @Test("A task that waits to start is cancelled alone, and the place goes to the next one")
  func cancelledInLine() async throws {
    try await withLoop { loop in
      var log: [String] = []
      try await loop.withTasks(limit: 1) { tasks in
        try await tasks.spawn { try await loop.settle() }
        let first = loop.spawn { try await tasks.spawn { log.append("first") } }
        let second = loop.spawn { try await tasks.spawn { log.append("second") } }
        try await loop.sleep(for: .zero).value
        first.cancel()
        await #expect { _ = try await first.value } throws: { ($0 as? UVError)?.isCancelled == true }
        _ = try await second.value
      }
      #expect(log == ["second"])
    }
  }

  @Test func `A task that is cancelled alone frees its place, and has no value`() async throws {
    try await withLoop { loop in
      try await loop.withTasks(of: Int.self, limit: 1) { tasks in
        let stuck = try await tasks.spawn {
          try await loop.sleep(for: .untilCancelled).value
          return 1
        }
        loop.queueMicrotask { stuck.cancel() }
        try await tasks.spawn { 2 }
        var values: [Int] = []
        for try await value in tasks { values.append(value) }
        #expect(values == [2])
      }
    }
  }

  @Test("Tasks that start each other don't wait for ever, and keep to the limit", arguments: [1, 2, 3])
  func recursive(limit: Int) async throws {
    try await withLoop { loop in
      let meter = Meter()
      try await loop.withTasks(limit: limit) { tasks in
        try await tasks.spawn { try await Self.crawl(loop, tasks, meter, 4) }
      }
      #expect(meter.ended == 31)
      #expect(meter.most <= limit)
    }
  }

  @Test func `To start a task for which there is room doesn't suspend the caller`() async throws {
    try await withLoop { loop in
      let jobs = try await loop.withTasks(limit: 100) { tasks in
        let before = loop.statistics.jobsFromLoop
        for _ in 0..<100 { try await tasks.spawn {} }
        return loop.statistics.jobsFromLoop - before
      }
      // Each task's first.
      #expect(jobs == 100)
    }
  }

  @Test func `A caller that is cancelled while another has its place frees no place at its end`() async throws
  {
    try await withLoop { loop in
      let (meter, gate) = (Meter(), LoopSemaphore(loop, value: 0))
      var begun = 0
      try await loop.withTasks(limit: 1) { tasks in
        let caller = try await tasks.spawn {
          try await tasks.spawn {
            begun += 1
            try await gate.wait().value
            begun -= 1
          }
        }
        try await loop.settle()
        #expect(begun == 1)
        caller.cancel()
        _ = try await caller.value
        let next = loop.spawn {
          try await tasks.spawn {
            #expect(begun == 0)
            try await meter.run(loop)
          }
        }
        try await loop.settle()
        #expect(meter.running == 0 && meter.ended == 0)
        gate.signal()
        _ = try await next.value
      }
      #expect(meter.ended == 1)
    }
  }

  private nonisolated(nonsending) static func crawl(
    _ loop: EventLoop, _ tasks: LimitedTaskGroup<Void>, _ meter: Meter, _ depth: Int
  ) async throws {
    try await meter.run(loop)
    if depth == 0 { return }
    for _ in 0..<2 { try await tasks.spawn { try await crawl(loop, tasks, meter, depth - 1) } }
  }

  @Test func `Groups nest, each with its limit and its errors`() async throws {
    try await withLoop { loop in
      let (outer, inner) = (Meter(), Meter())
      try await loop.withTasks(limit: 2) { tasks in
        for _ in 0..<4 {
          try await tasks.spawn {
            try await outer.run(loop)
            try await loop.withTasks(limit: 3) { tasks in
              for _ in 0..<5 { try await tasks.spawn { try await inner.run(loop) } }
            }
            do { try await loop.withTasks(limit: 1) { _ in throw Broken() } } catch is Broken {}
          }
        }
      }
      #expect(outer.ended == 4 && outer.most == 2)
      #expect(inner.ended == 20 && inner.most <= 6)
    }
  }

  @Test func `A group stays open for callers outside that wait to start a task`() async throws {
    try await withLoop { loop in
      var log: [String] = []
      var outsider: LoopTask<Void, any Error>?
      try await loop.withTasks(limit: 1) { tasks in
        try await tasks.spawn { log.append("inside") }
        outsider = loop.spawn { try await tasks.spawn { log.append("outside") } }
        try await loop.sleep(for: .zero).value
      }
      log.append("end")
      try await outsider!.value
      #expect(log == ["inside", "outside", "end"])
    }
  }

  @Test func `cancelAll ends the group, which starts nothing any more`() async throws {
    try await withLoop { loop in
      var code: UVError.Code?
      try await loop.withTasks(limit: 4) { tasks in
        try await tasks.spawn { try await loop.sleep(for: .untilCancelled).value }
        tasks.cancelAll()
        #expect(tasks.isCancelled)
        do throws(UVError) { try await tasks.spawn {} } catch { code = error.code }
      }
      #expect(code == .cancelled)
    }
  }

  @Test func `stop() ends a group whose callers wait`() async throws {
    let log = Log<String>()
    try await withLoop { loop in
      _ = loop.spawn {
        try await loop.withTasks(of: Int.self, limit: 1) { tasks in
          try await tasks.spawn {
            do { try await loop.sleep(for: .untilCancelled).value } catch { log.append("task") }
            return 1
          }
          tasks.next { log.append("reader \((try? $0.get()) != nil)") }
          do { try await tasks.spawn { 2 } } catch { log.append("body") }
        }
      }
      try await loop.settle()
      loop.stop()
    }
    #expect(log.values.sorted() == ["body", "reader true", "task"])
  }

  @Test func `A waiting caller is in the snapshot of its loop`() async throws {
    try await withLoop { loop in
      try await loop.withTasks(limit: 1) { tasks in
        let first = try await tasks.spawn(name: "first") { try await loop.sleep(for: .untilCancelled).value }
        let second = loop.spawn(name: "second") { try await tasks.spawn {} }
        try await loop.settle()
        let entries = loop.snapshot().tasks.entries
        #expect(entries.contains { $0.name == "first" && $0.wait?.operation == "sleep" })
        #expect(entries.contains { $0.name == "second" && $0.wait?.operation == "spawn" })
        first.cancel()
        _ = try await second.value
      }
    }
  }
}
