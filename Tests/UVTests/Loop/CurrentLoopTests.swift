import Dispatch
import Foundation
import Testing
import UV
import UVTestSupport

/// The loop of a thread, before, in and after each way to run one.
@Suite struct CurrentLoopTests {
  /// A way to run a loop.
  enum Way: String, CaseIterable {
    case run, runThatThrows, runCallbacks, runCallbacksThatThrow, runOnce, runNoWait, shutdown

    private struct Failed: Error {}

    /// Runs `loop`, which calls `inside` at least once.
    fileprivate func make(_ loop: EventLoop, _ inside: @escaping @Sendable () -> Void) throws {
      switch self {
      case .run: loop.run { _ in inside() }
      case .runThatThrows:
        #expect(throws: Failed.self) {
          try loop.run { _ in
            inside()
            throw Failed()
          }
        }
      case .runCallbacks:
        loop.runCallbacks { loop in
          inside()
          loop.sleep(for: .zero) { _ in inside() }
        }
      case .runCallbacksThatThrow:
        #expect(throws: Failed.self) {
          try loop.runCallbacks { _ in
            inside()
            throw Failed()
          }
        }
      case .runOnce:
        loop.sleep(for: .zero) { _ in inside() }
        try loop.runOnce()
      case .runNoWait:
        loop.sleep(for: .zero) { _ in inside() }
        try loop.runNoWait()
      case .shutdown:
        loop.sleep(for: .untilCancelled) { _ in inside() }
        loop.shutdown()
      }
    }
  }

  @Test(arguments: Way.allCases)
  func `A loop is its thread's while it runs, and afterwards the one before is`(way: Way) async throws {
    try await withThread {
      #expect(EventLoop.current == nil)
      let first = try EventLoop()
      nonisolated(unsafe) let second = try EventLoop()
      let calls = Log<Bool>()
      #expect(EventLoop.current === first)
      for _ in 0..<2 {
        if second.isClosed { break }
        try way.make(second) { calls.append(EventLoop.current === second) }
        #expect(EventLoop.current === first)
      }
      #expect(calls.values.count >= 1 && calls.values.allSatisfy { $0 })
      // The thread's own loop goes on, and ends.
      first.run { loop in #expect(EventLoop.current === loop) }
      second.shutdown()
      first.shutdown()
      #expect(EventLoop.current == nil)
    }
  }

  @Test(arguments: [Way.runCallbacks, .runCallbacksThatThrow])
  func `A thread that runs the loop of another has none afterwards`(way: Way) async throws {
    try await withThread {
      let (made, isMade) = (Box<EventLoop>(nil), DispatchSemaphore(value: 0))
      Thread {
        made.value = try? EventLoop()
        isMade.signal()
      }.start()
      isMade.wait()
      #expect(EventLoop.current == nil)
      nonisolated(unsafe) let loop = made.value!
      made.value = nil
      try way.make(loop) { #expect(EventLoop.current === loop) }
      #expect(EventLoop.current == nil)
      loop.shutdown()
    }
  }

  @Test func `A run in a run is refused, whichever loop's, and what runs goes on`() async throws {
    try await withLoop { loop in
      let refused = UVError(.loopRunning, operation: "run")
      #expect(throws: refused) { try EventLoop.run { (_: EventLoop) throws(UVError) in } }
      #expect(throws: refused) { try EventLoop.runCallbacks { (_: EventLoop) throws(UVError) in } }
      let other = try EventLoop()
      #expect(throws: refused) { try other.run { (_: EventLoop) throws(UVError) in } }
      #expect(throws: refused) { try other.runCallbacks { (_: EventLoop) throws(UVError) in } }
      #expect(throws: refused) { try other.runOnce() }
      other.shutdown()
      #expect(EventLoop.current === loop && loop.isRunning)
      try await loop.sleep(for: .zero).value
    }
  }
}
