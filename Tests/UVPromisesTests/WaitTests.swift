import Testing
import UV
import UVPromises
import UVTestSupport

/// `wait()`, and what else is under way on its loop.
@Suite struct WaitTests {
  @Test func `wait ends the run alone: other promises, tasks and sources go on in the next`() async throws {
    try await withThread {
      let loop = try EventLoop()
      defer { loop.shutdown() }
      let fast = loop.later(1)
      // They are under way all the time, and end in a later run.
      let hasReturned = Box(false)
      let (slow, seal) = Promise<Int>.pending()
      let task = loop.spawn {
        while hasReturned.value == false { try await loop.sleep(for: .milliseconds(1)).value }
        return 3
      }
      var ticks = 0
      let source = loop.ticks(every: .milliseconds(1))
      source.start { _ in
        ticks += 1
        if hasReturned.value == true { seal.fulfill(2) }
      }
      #expect(try fast.wait() == 1)
      #expect(slow.isPending && !task.isCancelled && task.resultIfFinished == nil)
      hasReturned.value = true
      #expect(try slow.wait() == 2)
      #expect(try Promise<Int> { try await task.value }.wait() == 3)
      #expect(!task.isCancelled)
      let before = ticks
      after(.milliseconds(3)).wait()
      #expect(ticks > before)
      source.stop()
      #expect(throws: PMKError.self) { try Promise<Int> { (_: Resolver<Int>) in }.wait() }
    }
  }

  @Test func `A promise that is settled in the first turn, or by its own task, is waited for`() async throws {
    try await withThread {
      let loop = try EventLoop()
      defer { loop.shutdown() }
      for number in 0..<10 {
        #expect(try Promise<Int> { number }.wait() == number)
        let (promise, seal) = Promise<Int>.pending()
        loop.queueMicrotask { seal.fulfill(number) }
        #expect(try promise.wait() == number)
      }
    }
  }

  @Test func `stop inside a wait ends it as it ends every run`() async throws {
    try await withThread {
      let loop = try EventLoop()
      defer { loop.shutdown() }
      let (promise, seal) = Promise<Int>.pending()
      loop.sleep(for: .milliseconds(1)) { _ in loop.stop() }
      #expect(throws: PMKError.self) { try promise.wait() }
      seal.fulfill(1)
      #expect(try promise.wait() == 1)
    }
  }
}
