import Testing
import UV
import UVTestSupport

/// What a loop counts of its work and of what is open, one thing after the other.
@Suite struct CountedWorkTests {
  @Test func `Each thing that is open is counted where it belongs, and nothing that has ended`() async throws
  {
    try await withLoop { loop in
      func open() -> [Int] {
        let statistics = loop.statistics
        return [statistics.handles, statistics.requests, statistics.timers, statistics.tasks]
      }
      #expect(open() == [0, 0, 0, 1] && !loop.statistics.isIdle)
      let timer = try LoopTimer(loop)
      #expect(open() == [1, 0, 0, 1])
      let sleep = loop.sleep(for: .untilCancelled) { _ in }
      let limited = loop.sleep(for: .untilCancelled).timeout(after: .untilCancelled).start { _ in }
      let ticks = loop.ticks(every: .seconds(1000))
      let tick = ticks.next { _ in }
      #expect(open() == [1, 0, 4, 1])
      let task = loop.spawn { try? await loop.sleep(for: .untilCancelled).value }
      try await loop.settle()
      #expect(open() == [1, 0, 5, 2])
      let letGo = keepPoolBusy(of: loop)
      let stat = loop.files.stat("/") { _ in }
      let condition = LoopCondition(loop)
      let wait = condition.wait { _ in }
      #expect(open() == [1, poolThreads + 2, 5, 2])
      for request in [sleep, limited, tick, stat, wait] { request.cancel() }
      task.cancel()
      await task.value
      timer.close()
      letGo()
      try await loop.until { open() == [0, 0, 0, 1] }
    }
  }

  @Test func `Bytes and connections are counted once, at both ends`() async throws {
    try await withPair { loop, client, server in
      let before = loop.statistics
      #expect(before.accepted == 1 && before.refused == 0 && before.timeouts == 0)
      let sizes = [1, 10, 100_000, 3]
      for size in sizes {
        let writing = loop.spawn { () async throws(UVError) in
          try await client.write(Bytes(repeating: 1, count: size)).value
        }
        #expect(try await server.read(exactly: size).value?.count == size)
        try await writing.value
      }
      try await server.write([Bytes("ab"), Bytes("c")]).value
      #expect(try await client.read(exactly: 3).value == "abc")
      let (all, after) = (sizes.reduce(3, +), loop.statistics)
      #expect((after.bytesRead - before.bytesRead, after.bytesWritten - before.bytesWritten) == (all, all))
      // Each kind of limit that is reached.
      client.readTimeout = .milliseconds(1)
      await expectError(.timedOut, of: try await client.next().value)
      await expectError(.timedOut, of: try await loop.sleep(for: .untilCancelled).timeout(after: .zero).value)
      await #expect(throws: UVError.self) {
        try await loop.withDeadline(.zero) { try await loop.sleep(for: .untilCancelled).value }
      }
      #expect(loop.statistics.timeouts == 3)
      // And none that isn't.
      try await loop.sleep(for: .zero).timeout(after: .untilCancelled).value
      try await loop.withDeadline(.untilCancelled) { try await loop.sleep(for: .zero).value }
      #expect(loop.statistics.timeouts == 3)
    }
  }

  @Test func `A snapshot says in which state the loop is`() async throws {
    let log = Log<String>()
    try await withThread {
      let loop = try EventLoop()
      func note(_ when: String) {
        let snapshot = loop.snapshot()
        let states = [snapshot.isRunning, snapshot.isStopping, snapshot.isShuttingDown, snapshot.hasAnswered]
          .map { $0 ? 1 : 0 }
        log.append("\(when) \(states)")
        #expect(snapshot.name == loop.name)
      }
      note("before")
      loop.spawn {
        note("running")
        _ = try? await loop.shutdownGracefully(within: .zero).value
        note("shut down gracefully")
        loop.stop()
        note("stopping")
      }
      loop.runCallbacks { _ in }
      note("between")
      loop.shutdown()
      note("after")
    }
    #expect(
      log.values == [
        "before [0, 0, 0, 1]", "running [1, 0, 0, 1]", "shut down gracefully [1, 0, 1, 1]",
        "stopping [1, 1, 1, 1]",
        "between [0, 0, 1, 1]", "after [0, 0, 1, 1]",
      ])
  }

  @Test func `A request with a limit or further attempts is listed with what it waits for`() async throws {
    try await withLoop { loop in
      let letGo = keepPoolBusy(of: loop)
      let stat = loop.files.stat("/some/path")
      let failing = Request<Void>(loop, operation: "own") { done in
        loop.queueMicrotask { done(.failure(UVError(.busy, operation: "own"))) }
        return PendingRequest()
      }
      let requests: [(String, Request<Void>)] = [
        ("plain", stat.map { _ in }), ("limited", stat.timeout(after: .untilCancelled).map { _ in }),
        ("tried", stat.retry(RetryPolicy(attempts: 2)).map { _ in }),
        ("both", stat.timeout(after: .untilCancelled).retry().timeout(after: .untilCancelled).map { _ in }),
        ("paused", failing.retry(RetryPolicy(attempts: 2, backoff: .constant(.untilCancelled)))),
      ]
      let tasks = requests.map { name, request in loop.spawn(name: name) { _ = try? await request.value } }
      try await loop.settle()
      let entries = loop.snapshot().tasks.entries
      for (name, _) in requests {
        let wait = entries.first { $0.name == name }?.wait
        #expect(wait?.operation == (name == "paused" ? "sleep" : "fs_stat"), "\(name)")
        #expect(wait?.subject == (name == "paused" ? nil : "/some/path"), "\(name)")
        #expect((wait?.remaining != nil) == (name == "paused"))
      }
      for task in tasks { task.cancel() }
      for task in tasks { await task.value }
      letGo()
      try await loop.until { loop.statistics.requests == 0 }
    }
  }
}
