import Testing
import UV
import UVTestSupport

/// Where tasks run, counted: an `await` on the loop costs one job, and none of them comes from another
/// thread.
@Suite struct PlacementTests {
  @Test func anAsyncEchoStaysOnItsThread() async throws {
    let requests = 500
    try await withPair { loop, client, server in
      let echo = loop.spawn { () async throws(UVError) in
        for try await chunk in server { try await server.write(chunk).value }
      }
      let before = loop.statistics
      for number in 0..<requests {
        try await client.write(Bytes("\(number)")).value
        _ = try await client.next().value
      }
      let after = loop.statistics
      #expect(after.jobsFromOtherThreads == before.jobsFromOtherThreads)
      // Two suspensions for each request: the server's read and the client's. Its start is one more.
      let perSuspension = Double(after.jobsFromLoop - before.jobsFromLoop) / Double(2 * requests)
      print("jobs per suspension: \(perSuspension)")
      #expect(after.jobsFromLoop - before.jobsFromLoop <= 2 * requests + 1)
      try await client.shutdown().value
      try await echo.value
    }
  }

  @Test func aWriteThatTheSystemTakesDoesNotSuspend() async throws {
    try await withPair { loop, client, server in
      let before = loop.statistics.jobsFromLoop
      for _ in 0..<100 { try await client.write("x").value }
      #expect(loop.statistics.jobsFromLoop == before)
    }
  }

  @Test func aSuspensionIsOneJob() async throws {
    try await withLoop { loop in
      let before = loop.statistics.jobsFromLoop
      for _ in 0..<100 { try await loop.sleep(for: .zero).value }
      #expect(loop.statistics.jobsFromLoop - before == 100)
    }
  }

  @Test func childTasksStayToo() async throws {
    try await withLoop { loop in
      let executor = loop.executor
      let before = loop.statistics.jobsFromOtherThreads
      async let one = executor.isOnLoop
      let group = await withTaskGroup(of: Bool.self) { group in
        for _ in 0..<10 { group.addTask { executor.isOnLoop } }
        return await group.allSatisfy { $0 }
      }
      #expect(await one)
      #expect(group)
      #expect(loop.statistics.jobsFromOtherThreads == before)
    }
  }

  @Test func anActorMayLiveOnTheLoop() async throws {
    actor Counter {
      private nonisolated let executor: LoopExecutor
      private(set) var count = 0
      init(_ executor: LoopExecutor) { self.executor = executor }
      nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }
      func increment() {
        executor.preconditionIsolated()
        count += 1
      }
    }
    try await withLoop { loop in
      let counter = Counter(loop.executor)
      await counter.increment()
      let before = loop.statistics.jobsFromOtherThreads
      let other = Task.detached { await counter.increment() }
      await other.value
      #expect(loop.statistics.jobsFromOtherThreads > before)
      #expect(await counter.count == 2)
    }
  }

  @Test func `Once a loop has ended, the thread that ran it isn't on its executor any more`() async throws {
    let executor = try await withThread {
      let loop = try EventLoop()
      let executor = loop.executor
      #expect(executor.isIsolatingCurrentContext() == true)
      loop.shutdown()
      #expect(executor.isIsolatingCurrentContext() == false)
      return executor
    }
    // The jobs of tasks that outlive the loop are still isolated from each other.
    let task = Task(executorPreference: executor) { executor.isIsolatingCurrentContext() }
    #expect(await task.value == true)
    #expect(executor.isIsolatingCurrentContext() == false)
  }
}
