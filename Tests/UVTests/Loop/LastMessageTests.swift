import Foundation
import Testing
import UV
import UVTestSupport

/// All that was sent to a loop before its end runs by its end, however much it is and of whatever kind.
@Suite struct LastMessageTests {
  enum Kind: CaseIterable {
    case execute, tasks

    /// Sends one message from another thread, which `note` hears of.
    func send(to executor: LoopExecutor, _ note: @escaping @Sendable () -> Void) throws {
      switch self {
      case .execute: try executor.execute { _ in note() }
      case .tasks: Task(executorPreference: executor) { note() }
      }
    }
  }

  /// How the loop ends.
  enum End: CaseIterable { case neverRan, afterRun, bodyThatThrows }

  private struct Failed: Error {}

  @Test(
    "Everything that was sent before the end runs, in its order", arguments: Kind.allCases,
    [0, 1, 127, 128, 1024, 4096, 10_000])
  func all(kind: Kind, count: Int) async throws {
    for end in End.allCases {
      let numbers = Log<Int>()
      try await withThread {
        let loop = try EventLoop()
        let executor = loop.executor
        if end == .afterRun { loop.runCallbacks { _ in } }
        let sent = Semaphore()
        Thread {
          for number in 0..<count { try? kind.send(to: executor) { numbers.append(number) } }
          sent.signal()
        }.start()
        sent.wait()
        if end == .bodyThatThrows {
          #expect(throws: Failed.self) { try loop.runCallbacks { (_) throws in throw Failed() } }
        }
        loop.shutdown()
        let values = numbers.values
        #expect(values.count == count, "\(end)")
        #expect(zip(values, 0...).allSatisfy { $0 == $1 }, "\(end)")
        #expect(throws: UVError(.loopClosed, operation: "execute")) { try executor.execute { _ in } }
      }
    }
  }

  @Test("What messages send and queue at the end runs too, as far as there is an end to it") func chained()
    async throws
  {
    let log = Log<Int>()
    try await withThread {
      let loop = try EventLoop()
      let executor = loop.executor
      for number in 0..<3000 {
        try executor.execute { loop in
          log.append(number)
          loop.queueMicrotask { log.append(-number) }
        }
      }
      loop.shutdown()
    }
    #expect(log.values.filter { $0 > 0 } == Array(1..<3000))
    #expect(log.values.filter { $0 < 0 } == (1..<3000).map { -$0 })
  }
}
