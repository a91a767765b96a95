import Synchronization
import Testing
import UV
import UVTestSupport

/// A value of its own for each loop.
@Suite struct LoopLocalTests {
  /// Something that isn't `Sendable`.
  private final class Box {
    let loop: EventLoop
    var count = 0
    let onEnd: @Sendable () -> Void

    init(_ loop: EventLoop, _ onEnd: @escaping @Sendable () -> Void) {
      self.loop = loop
      self.onEnd = onEnd
    }

    deinit { onEnd() }
  }

  @Test("Each loop of a group has a value of its own, which ends with the loop")
  func group() async throws {
    let ended = Mutex(0)
    let made = Mutex(0)
    let boxes = LoopLocal { loop in
      made.withLock { $0 += 1 }
      // It refers to its loop, which keeps it: that must not keep both.
      return Box(loop) { ended.withLock { $0 += 1 } }
    }
    let group = try EventLoopGroup(count: 3)
    for executor in group.executors {
      for expected in 1...4 {
        let count = try await executor.submit { loop in
          boxes[loop].count += 1
          return boxes[loop].count
        }
        #expect(count == expected)
      }
    }
    #expect(made.withLock { $0 } == 3)
    _ = await group.shutdownGracefully(within: .zero)
    #expect(ended.withLock { $0 } == 3)
  }

  @Test("Two places for values don't share them, and a loop that has ended keeps none")
  func places() throws {
    let numbers = LoopLocal { _ in [1] }
    let texts = LoopLocal { _ in "one" }
    let loop = try EventLoop()
    #expect(numbers[loop] == [1])
    #expect(texts[loop] == "one")
    loop.shutdown()
    #expect(texts[loop] == "one")
  }
}
