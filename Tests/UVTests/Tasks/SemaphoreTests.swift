import Testing
import UV
import UVTestSupport

@Suite struct SemaphoreTests {
  @Test func `No more functions run than there are permits, and each has its turn in order`() async throws {
    try await withLoop { loop in
      let semaphore = LoopSemaphore(loop, value: 2)
      var (inside, most, order) = (0, 0, [Int]())
      let tasks = (0..<6).map { number in
        loop.spawn {
          try await semaphore.withPermit {
            order.append(number)
            inside += 1
            most = max(most, inside)
            try await loop.sleep(for: .milliseconds(1)).value
            inside -= 1
          }
        }
      }
      for task in tasks { try await task.value }
      #expect((inside, most, order) == (0, 2, Array(0..<6)))
      #expect(semaphore.value == 2)
    }
  }

  @Test func `A permit comes back from a function that throws, and from one that is cancelled`() async throws
  {
    struct Refusal: Error {}
    try await withLoop { loop in
      let semaphore = LoopSemaphore(loop, value: 1)
      await #expect(throws: Refusal.self) { try await semaphore.withPermit { throw Refusal() } }
      #expect(semaphore.value == 1)
      let task = loop.spawn {
        try await semaphore.withPermit { try await loop.sleep(for: .seconds(1000)).value }
      }
      try await loop.until { semaphore.value == 0 }
      task.cancel()
      try await loop.until { semaphore.value == 1 }
      let error = await #expect(throws: UVError.self) { try await task.value }
      #expect(error?.code == .cancelled)
    }
  }

  @Test("A permit for a caller that is cancelled goes to the next one", arguments: [false, true])
  func cancelled(isOnItsWay: Bool) async throws {
    try await withLoop { loop in
      let semaphore = LoopSemaphore(loop, value: 0)
      let log = Log<String>()
      func wait(_ name: String) -> PendingRequest {
        semaphore.wait { log.append($0.error.map { "\(name) \($0.name)" } ?? name) }
      }
      let first = wait("a")
      _ = wait("b")
      if isOnItsWay { semaphore.signal() }
      first.cancel()
      first.cancel()
      if !isOnItsWay { semaphore.signal() }
      #expect(log.values == [])
      try await loop.settle { log.values.count == 2 }
      #expect(log.values.sorted() == ["a ECANCELED", "b"])
      #expect(semaphore.value == 0)
      semaphore.signal()
      #expect(semaphore.value == 1)
    }
  }

  @Test func `A permit that is there is taken without a job of the loop`() async throws {
    try await withLoop { loop in
      let semaphore = LoopSemaphore(loop, value: 3)
      let jobs = loop.statistics.jobsFromLoop
      for _ in 0..<3 { try await semaphore.wait().value }
      #expect(loop.statistics.jobsFromLoop == jobs)
      #expect(semaphore.value == 0)
    }
  }

  @Test func `Thousands may wait and leave again`() async throws {
    try await withLoop { loop in
      let semaphore = LoopSemaphore(loop, value: 0)
      let log = Log<Int>()
      let pending = (0..<5000).map { number in
        semaphore.wait { if $0.error == nil { log.append(number) } }
      }
      for (number, pending) in pending.enumerated() where number % 1000 != 0 { pending.cancel() }
      for _ in 0..<6 { semaphore.signal() }
      try await loop.settle { log.values.count == 5 }
      #expect(log.values == [0, 1000, 2000, 3000, 4000])
      #expect(semaphore.value == 1)
    }
  }

  @Test func `The end of the loop cancels a wait, and what comes later is refused`() async throws {
    let log = Log<String>()
    try await withThread {
      let loop = try EventLoop()
      let (semaphore, condition) = (LoopSemaphore(loop, value: 0), LoopCondition(loop))
      semaphore.wait { log.append($0.error?.name ?? "permit") }
      condition.wait { log.append($0.error?.name ?? "signal") }
      #expect(loop.snapshot().description.contains("wait"))
      loop.shutdown()
      semaphore.signal()
      condition.broadcast()
      semaphore.wait { log.append($0.error?.name ?? "permit") }
      condition.wait { log.append($0.error?.name ?? "signal") }
    }
    #expect(log.values == ["ECANCELED", "ECANCELED", "ELOOPCLOSED", "ELOOPCLOSED"])
  }

  @Test func `A task that waits again while its loop ends is answered each time`() async throws {
    let log = Log<String>()
    try await withThread {
      let loop = try EventLoop()
      let (semaphore, condition) = (LoopSemaphore(loop, value: 0), LoopCondition(loop))
      let channel = CustomSource<Int>(loop, "channel")
      channel.send(1)
      for request in [semaphore.wait(), condition.wait(), channel.drain()] {
        loop.spawn {
          for _ in 0..<3 {
            do throws(UVError) { try await request.value } catch { log.append(error.code.name) }
          }
        }
      }
      loop.runCallbacks { loop in _ = loop.sleep(for: .zero) { _ in loop.stop() } }
      loop.shutdown()
    }
    #expect(log.values == Array(repeating: "ECANCELED", count: 9))
  }

  @Test func `A wait with a limit takes no permit once the limit is over`() async throws {
    try await withLoop { loop in
      let semaphore = LoopSemaphore(loop, value: 0)
      await expectError(.timedOut, of: try await semaphore.wait().timeout(after: .milliseconds(1)).value)
      semaphore.signal()
      #expect(semaphore.value == 1)
      try await semaphore.wait().timeout(after: .seconds(60)).value
      #expect(semaphore.value == 0)
    }
  }
}

@Suite struct ConditionTests {
  @Test func `A signal wakes the one who has waited longest, and a broadcast all who wait`() async throws {
    try await withLoop { loop in
      let condition = LoopCondition(loop)
      let log = Log<Int>()
      condition.signal()
      func wait(_ number: Int) { condition.wait { if $0.error == nil { log.append(number) } } }
      for number in 0..<4 { wait(number) }
      condition.signal()
      #expect(log.values == [])
      try await loop.settle { log.values == [0] }
      condition.broadcast()
      wait(4)
      try await loop.settle { log.values == [0, 1, 2, 3] }
      condition.broadcast()
      try await loop.settle { log.values == [0, 1, 2, 3, 4] }
    }
  }

  @Test func `A signal for a caller that is cancelled meanwhile goes to the next one`() async throws {
    try await withLoop { loop in
      let condition = LoopCondition(loop)
      let log = Log<String>()
      let first = condition.wait { log.append($0.error?.name ?? "first") }
      condition.wait { log.append($0.error?.name ?? "second") }
      condition.signal()
      first.cancel()
      try await loop.settle { log.values.count == 2 }
      #expect(log.values == ["ECANCELED", "second"])
    }
  }

  @Test func `Tasks hand a thing over by a condition`() async throws {
    try await withLoop { loop in
      let isFilled = LoopCondition(loop)
      var (shelf, taken) = ([Int](), [Int]())
      let takers = (0..<3).map { _ in
        loop.spawn { () async throws(UVError) in
          while shelf.isEmpty { try await isFilled.wait().value }
          taken.append(shelf.removeFirst())
        }
      }
      for number in 0..<3 {
        shelf.append(number)
        isFilled.signal()
        try await loop.sleep(for: .zero).value
      }
      for taker in takers { try await taker.value }
      #expect(taken == [0, 1, 2])
    }
  }
}

/// A source of one's own between tasks, as a channel.
@Suite struct ChannelTests {
  @Test func `A producer that drains is at most one ahead of its readers, who share the elements`()
    async throws
  {
    try await withLoop { loop in
      let channel = CustomSource<Int>(loop, "channel")
      var (sent, taken, ahead) = (0, [Int](), 0)
      let producer = loop.spawn { () async throws(UVError) in
        for number in 0..<100 {
          channel.send(number)
          sent += 1
          ahead = max(ahead, channel.queuedCount)
          try await channel.drain().value
        }
        channel.finish()
      }
      let readers = (0..<3).map { _ in
        loop.spawn { () async throws(UVError) in
          for try await number in channel {
            taken.append(number)
            try await loop.sleep(for: .zero).value
          }
        }
      }
      try await producer.value
      for reader in readers { try await reader.value }
      #expect((sent, ahead) == (100, 1))
      #expect(taken.sorted() == Array(0..<100))
      try await channel.drain().value
    }
  }

  @Test func `A wait for the drain is cancelled by its caller or the loop's end, and nothing is lost by it`()
    async throws
  {
    let log = Log<String>()
    try await withLoop { loop in
      let channel = CustomSource<Int>(loop, "channel")
      channel.send(1)
      let pending = channel.drain { log.append($0.error?.name ?? "drained") }
      pending.cancel()
      channel.drain { log.append($0.error?.name ?? "drained") }
      try await loop.settle { log.values == ["ECANCELED"] }
      #expect(channel.queuedCount == 1)
      #expect(try await channel.next().value == 1)
      try await loop.settle { log.values == ["ECANCELED", "drained"] }
    }
    try await withThread {
      let loop = try EventLoop()
      let channel = CustomSource<Int>(loop, "channel")
      channel.send(1)
      channel.drain { log.append($0.error?.name ?? "drained") }
      loop.shutdown()
    }
    #expect(log.values == ["ECANCELED", "drained", "ECANCELED"])
  }
}
