import Foundation
import Synchronization
import Testing
import UV
import UVTestSupport

/// A gate where threads without a loop do their work, one piece at a time.
@Suite struct GateTests {
  @Test func `Each piece of work is done once, in one thread at a time, also what is left to another thread`()
    async throws
  {
    let (threads, pieces) = (4, 2000)
    let gate = Gate()
    let inside = Atomic(0)
    let done = Log<Int>()
    let ended = Semaphore()
    for thread in 0..<threads {
      Thread {
        for piece in 0..<pieces {
          gate.run {
            if inside.wrappingAdd(1, ordering: .relaxed).newValue != 1 { done.append(-1) }
            done.append(thread * pieces + piece)
            inside.wrappingSubtract(1, ordering: .relaxed)
          }
        }
        ended.signal()
      }.start()
    }
    // A thread that goes has left nothing behind, or left it to one that is inside.
    try await withThread { for _ in 0..<threads { ended.wait() } }
    #expect(done.values.sorted() == Array(0..<threads * pieces))
    // What one thread leaves comes in its order.
    for thread in 0..<threads {
      let own = done.values.filter { $0 / pieces == thread }
      #expect(own == own.sorted())
    }
  }

  @Test func `A thread that is inside comes in again at once, and what others leave waits until it is out`()
    async throws
  {
    try await withThread {
      let gate = Gate()
      let log = Log<String>()
      gate.run {
        log.append("outer")
        let ended = Semaphore()
        Thread {
          gate.run { log.append("other") }
          log.append("gone on")
          ended.signal()
        }.start()
        ended.wait()
        gate.run { log.append("inner") }
        log.append("outer ends")
      }
      #expect(log.values == ["outer", "gone on", "inner", "outer ends", "other"])
      // It is open again, for this thread and for others.
      gate.run { log.append("later") }
      let ended = Semaphore()
      Thread {
        gate.run { log.append("elsewhere") }
        ended.signal()
      }.start()
      ended.wait()
      #expect(log.values.suffix(2) == ["later", "elsewhere"])
    }
  }

  @Test func `Work that leads to more work within the gate is done, however deep`() async throws {
    try await withThread {
      let gate = Gate()
      var order: [Int] = []
      func work(_ depth: Int) {
        order.append(depth)
        if depth < 50 { gate.run { work(depth + 1) } }
      }
      for _ in 0..<2 {
        order = []
        gate.run { work(0) }
        #expect(order == Array(0...50))
      }
      #expect(gate.enter(orLeave: {}))
      gate.leave()
    }
  }

  @Test func `A thread with a loop has no gate of its own`() async throws {
    try await withThread {
      #expect(Gate.unlessOnLoop != nil)
      let loop = try EventLoop()
      #expect(Gate.unlessOnLoop == nil)
      loop.shutdown()
      #expect(Gate.unlessOnLoop != nil)
    }
  }
}
