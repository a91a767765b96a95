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

  @Test func `Each loop of a group has a value of its own, which ends with the loop`() async throws {
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

  @Test func `Two places for values don't share them, and a loop that has ended keeps none`() throws {
    let numbers = LoopLocal { _ in [1] }
    let texts = LoopLocal { _ in "one" }
    let loop = try EventLoop()
    #expect(numbers[loop] == [1])
    #expect(texts[loop] == "one")
    loop.shutdown()
    #expect(texts[loop] == "one")
  }

  private struct Large: Equatable {
    var words: (UInt64, UInt64, UInt64, UInt64, UInt64) = (1, 2, 3, 4, 5)
    var rest = Array(repeating: 7, count: 20)
    static func == (a: Large, b: Large) -> Bool { a.words == b.words && a.rest == b.rest }
  }

  @Test func `The closure makes the value once, whatever its type is`() throws {
    let loop = try EventLoop()
    defer { loop.shutdown() }
    /// How often the closure was called when the value was asked for twice, and the value.
    func ask<Value>(_ value: @escaping @Sendable () -> Value) -> (count: Int, value: Value) {
      let calls = Mutex(0)
      let local = LoopLocal { _ in
        calls.withLock { $0 += 1 }
        return value()
      }
      _ = local[loop]
      return (calls.withLock { $0 }, local[loop])
    }
    #expect(ask { 42 as Int? } == (1, 42))
    #expect(ask { nil as Int? } == (1, nil))
    #expect(ask { .some(nil) as Int?? } == (1, .some(nil)))
    #expect(ask { nil as Int?? } == (1, nil))
    #expect(ask {}.count == 1)
    #expect(ask { Large() } == (1, Large()))
    #expect(ask { 7 as any Equatable & Sendable }.value as? Int == 7)
    #expect(ask { nil as (any Error)? }.value == nil)
    #expect(ask { [1] as Any }.value as? [Int] == [1])
    #expect(ask { nil as Box? }.count == 1)
  }
}
