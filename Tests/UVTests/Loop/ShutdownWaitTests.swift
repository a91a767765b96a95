import Dispatch
import Foundation
import Testing
import UV
import UVTestSupport

/// A shutdown that waits for what it can't hurry.
@Suite struct ShutdownWaitTests {
  enum Work: String, CaseIterable { case pool, task }

  @Test(arguments: Work.allCases)
  func `A loop that ends sleeps while a thread of the pool or a task goes on`(work: Work) async throws {
    try await withThread {
      let loop = try EventLoop()
      let (begun, gate) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
      switch work {
      case .pool:
        loop.work({
          begun.signal()
          gate.wait()
        }) { _ in }
      case .task:
        loop.spawn {
          await withUnsafeContinuation { continuation in
            Thread {
              begun.signal()
              gate.wait()
              continuation.resume()
            }.start()
          }
        }
        try loop.runNoWait()
      }
      begun.wait()
      Thread {
        // So long it is looked whether the loop turns.
        usleep(100_000)
        gate.signal()
      }.start()
      let before = Hooks.loopTurns ?? 0
      loop.shutdown()
      #expect((Hooks.loopTurns ?? 0) - before < 50)
    }
  }
}
