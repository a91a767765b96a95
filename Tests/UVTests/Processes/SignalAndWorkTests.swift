import Foundation
import Testing
import UV
import UVTestSupport

@Suite(.serialized) struct SignalTests {
  @Test func aSignalIsToldToWhoeverAsks() async throws {
    try await withLoop { loop in
      let watcher = try loop.signals(.user1)
      kill(getpid(), SIGUSR1)
      #expect(try await watcher.next().value == .user1)
      let waiting = loop.spawn { () async throws(UVError) in try await watcher.next().value }
      try await loop.sleep(for: .zero).value
      kill(getpid(), SIGUSR1)
      #expect(try await waiting.value == .user1)
      watcher.close()
    }
  }

  @Test func oneThatNobodyAsksForIsKeptAndKeepsNoLoopRunning() async throws {
    try await withLoop { loop in
      let watcher = try loop.signals(.user2)
      kill(getpid(), SIGUSR2)
      for _ in 0..<10 { try await loop.sleep(for: .milliseconds(1)).value }
      #expect(try await watcher.next().value == .user2)
    }
  }

  @Test func withAHandler() async throws {
    let log = Log<Signal?>()
    try await withCallbackLoop { loop in
      let watcher = try loop.signals(.windowChange)
      watcher.start { result in
        log.append(try? result.get())
        watcher.stop()
        watcher.close()
      }
      kill(getpid(), SIGWINCH)
    }
    #expect(log.values == [.windowChange])
  }

  @Test func oneThatCannotBeWatched() async throws {
    try await withLoop { loop in
      await expectError(.invalidArgument, of: try loop.signals(Signal(rawValue: SIGKILL)))
    }
  }
}

@Suite struct WorkTests {
  @Test func aClosureRunsOffTheLoopAndItsValueComesBack() async throws {
    try await withLoop { loop in
      let executor = loop.executor
      let isOnLoop = try await loop.work { executor.isOnLoop }.value
      #expect(!isOnLoop)
      let sum = try await loop.work { (1...1000).reduce(0, +) }.value
      #expect(sum == 500_500)
    }
  }

  @Test(
    "Work that has ended lets go of its closure, though the pending request is kept",
    arguments: [false, true])
  func workThatHasEnded(isCancelled: Bool) async throws {
    final class Token: Sendable {}
    try await withLoop { loop in
      weak var token: Token?
      func work() -> PendingRequest {
        let new = Token()
        token = new
        return loop.work {
          new
        } _: { _ in
        }
      }
      let pending = work()
      if isCancelled { pending.cancel() }
      while token != nil, loop.statistics.requests > 0 { try await loop.sleep(for: .zero).value }
      #expect(token == nil)
      pending.cancel()
    }
  }
}
