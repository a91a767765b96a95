import Testing
import UVTestSupport

@testable import UV

/// The queue of a loop's microtasks, and what runs around it, in order.
@Suite struct QueueModelTests {
  @Test("A queue gives back what was put in, in order, however it grows and wraps", arguments: 1...3)
  func order(seed: UInt64) {
    let draws = Draws(seed)
    let queue = MicrotaskQueue()
    var (next, ran, model) = (0, [Int](), [Int]())
    for _ in 0..<200 {
      // Now and then more than it has room for.
      for _ in 0..<draws.one(of: [0, 1, 3, 20, 300]) {
        let number = next
        next += 1
        model.append(number)
        queue.append(.closure { ran.append(number) })
      }
      #expect(queue.nextNumber == next && queue.isEmpty == model.isEmpty)
      for _ in 0..<min(draws.draw(320), model.count) {
        if case .closure(let body) = queue.popFirst() { body() }
        model.removeFirst()
      }
      #expect(queue.state.pointee.count == model.count)
    }
    while !queue.isEmpty { if case .closure(let body) = queue.popFirst() { body() } }
    #expect(ran == Array(0..<next))
    queue.deallocate()
  }

  @Test("Work that is left in a queue is released with it") func released() {
    weak var object: Token?
    let queue = MicrotaskQueue()
    do {
      let token = Token()
      object = token
      queue.append(.closure { withExtendedLifetime(token) {} })
    }
    #expect(object != nil)
    queue.deallocate()
    #expect(object == nil)
  }

  private final class Checkpoint: _Microtask {
    let body: () -> Void
    init(_ body: @escaping () -> Void) { self.body = body }
    override func run() { body() }
  }

  @Test("A checkpoint runs after all that is queued, and what it queues runs after it") func checkpoints()
    async throws
  {
    let log = Log<String>()
    try await withCallbackLoop { loop in
      loop.enqueueAfterMicrotasks(
        Checkpoint {
          log.append("checkpoint")
          loop.queueMicrotask { log.append("queued by the checkpoint") }
          loop.enqueueAfterMicrotasks(Checkpoint { log.append("next checkpoint") })
        })
      loop.queueMicrotask {
        log.append("first")
        loop.queueMicrotask { log.append("third") }
        loop.enqueueAfterMicrotasks(Checkpoint { log.append("second checkpoint") })
      }
      loop.queueMicrotask { log.append("second") }
      #expect(log.values == [])
    }
    #expect(
      log.values == [
        "first", "second", "third", "checkpoint", "second checkpoint", "queued by the checkpoint",
        "next checkpoint",
      ])
  }

  private final class Writer: Flushable {
    var flushes = 0
    var onFlush: () -> Void = {}
    func flush() {
      flushes += 1
      onFlush()
    }
  }

  @Test(
    "What waits for the next turn is flushed once, before the loop waits, also if it asks again",
    arguments: [1, 3, 40])
  func flushing(times: Int) async throws {
    let log = Log<Int>()
    try await withCallbackLoop { loop in
      let (first, second) = (Writer(), Writer())
      var others: [String] = []
      first.onFlush = { others.append("first") }
      second.onFlush = {
        others.append("second")
        if second.flushes < times { loop.flushNextTurn(second) }
      }
      loop.flushNextTurn(first)
      loop.flushNextTurn(second)
      #expect(first.flushes == 0 && second.flushes == 0)
      loop.queueMicrotask { log.append(second.flushes) }
      loop.sleep(for: .milliseconds(20)) { _ in
        #expect(others == ["first"] + Array(repeating: "second", count: times))
        log.append(second.flushes)
      }
    }
    #expect(log.values.last == times)
  }

  @Test(
    "Work that was begun keeps the loop running until it ends, as often as it was begun", arguments: 1...3)
  func work(count: Int) async throws {
    let log = Log<Int>()
    try await withCallbackLoop { loop in
      for _ in 0..<count { loop.beginWork() }
      func end(_ left: Int) {
        let timer = loop.sleepQuietly(for: .milliseconds(2)) { _ in
          log.append(left)
          loop.endWork()
          if left > 1 { end(left - 1) }
        }
        withExtendedLifetime(timer) {}
      }
      end(count)
    }
    #expect(log.values == (1...count).reversed())
  }
}
