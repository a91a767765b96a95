import CUV
import Dispatch
import Foundation
import Testing
import UVTestSupport

@testable import UV

/// What an observer on another thread sees of a loop's turns and tasks.
@Suite struct TurnObserverTests {
  // Sound: another thread reads the memory of the turn alone, as a watcher does.
  private final class Observer: TurnObserver, @unchecked Sendable {
    let turn = UnsafeMutablePointer<cuv_turn>.allocate(capacity: 1)
    let places = UnsafeMutablePointer<cuv_task_places>.allocate(capacity: 1)
    var log: [String] = []

    init() {
      turn.initialize(to: cuv_turn())
      places.initialize(to: cuv_task_places())
    }

    deinit {
      turn.deallocate()
      places.deallocate()
    }

    func bind() { log.append("bind") }
    func leave() { log.append("leave") }
    func stop() { log.append("stop") }

    var isInTurn: Bool { turn.pointee.start != 0 }

    /// How many slots of the loop's table have a task, whose place is that of `line`.
    func tasks(at line: UInt32) -> Int {
      guard let slots = places.pointee.slots else { return 0 }
      return (0..<1 << places.pointee.bits).filter { slots[$0].key != nil && slots[$0].line == line }.count
    }
  }

  @Test func `Each turn has a number, begins before its callbacks and is over while the loop waits`()
    async throws
  {
    try await withThread {
      let observer = Observer()
      let loop = try EventLoop()
      loop.observeTurns(observer)
      #expect(!observer.isInTurn)
      var numbers: [UInt64] = []
      let executor = loop.executor
      loop.runCallbacks { loop in
        // Before the run proper.
        #expect(observer.turn.pointee.number == 0)
        func look(_ count: Int) {
          #expect(observer.isInTurn)
          numbers.append(observer.turn.pointee.number)
          if count > 0 { loop.sleep(for: .zero) { _ in look(count - 1) } }
        }
        loop.sleep(for: .zero) { _ in look(3) }
        // Until the loop is seen to wait.
        let waiting = loop.sleep(for: .untilCancelled) { _ in #expect(observer.isInTurn) }
        let end = Box(waiting)
        Thread {
          while observer.isInTurn || observer.turn.pointee.number < 4 { usleep(500) }
          try? executor.execute { _ in
            #expect(observer.isInTurn)
            end.value?.cancel()
          }
        }.start()
      }
      #expect(numbers.count == 4 && zip(numbers, numbers.dropFirst()).allSatisfy { $0 < $1 })
      #expect(observer.log == ["bind", "leave"])
      loop.shutdown()
      #expect(observer.log == ["bind", "leave", "stop"])
    }
  }

  @Test func `The table of tasks is shown to one observer, whole, and taken from the last`() async throws {
    try await withLoop { loop in
      let (first, second) = (Observer(), Observer())
      let line = UInt32(#line) + 2
      nonisolated(nonsending) func wait() async { try? await loop.sleep(for: .untilCancelled).value }
      func spawn() -> LoopTask<Void, Never> { loop.spawn { await wait() } }
      var tasks = (0..<5).map { _ in spawn() }
      loop.observeTurns(first)
      #expect(first.tasks(at: line) == 5 && first.places.pointee.is_changing == 0)
      // The table grows.
      tasks += (0..<50).map { _ in spawn() }
      #expect(first.tasks(at: line) == 55 && first.places.pointee.is_changing == 0)
      loop.observeTurns(second)
      #expect(first.places.pointee.slots == nil && first.places.pointee.is_changing == 0)
      #expect(second.tasks(at: line) == 55 && second.places.pointee.is_changing == 0)
      #expect(first.log == ["bind", "stop"])
      for task in tasks { task.cancel() }
      for task in tasks { await task.value }
      #expect(second.tasks(at: line) == 0)
      loop.observeTurns(nil)
      #expect(second.places.pointee.slots == nil && second.places.pointee.is_changing == 0)
      #expect(second.log == ["bind", "stop"] && loop.turnObserver == nil)
    }
  }

  @Test func `A turn before the first wait counts from the run's beginning, and so does the last one`()
    async throws
  {
    try await withThread {
      let loop = try EventLoop()
      try loop.configure(.lag)
      var busy = Duration.zero
      for number in 1...5 {
        // What is between runs is in no turn.
        usleep(20_000)
        let begin = LoopClock.Instant.now
        loop.runCallbacks { _ in }
        let length = begin.duration(to: .now)
        let lag = loop.lag
        #expect(lag.count == number && lag.busyTime - busy <= length)
        busy = lag.busyTime
      }
      loop.shutdown()
    }
  }

  @Test func `A wait isn't counted that nothing of the loop's has ended`() async throws {
    try await withThread {
      let loop = try EventLoop()
      try loop.configure(.lag)
      let timer = UnsafeMutablePointer<uv_timer_t>.allocate(capacity: 1)
      uv_timer_init(loop.raw, timer)
      // libuv calls somebody else's timer alone, once after each wait.
      uv_timer_start(timer, { _ in }, 100, 100)
      loop.runCallbacks { loop in
        loop.sleep(for: .milliseconds(450)) { _ in uv_timer_stop(timer) }
      }
      let lag = loop.lag
      #expect(lag.count >= 4)
      // A machine that has other work makes turns longer, but not by the time of the waits.
      #expect(lag.elapsedTime - lag.busyTime >= .milliseconds(225))
      uv_close(UnsafeMutableRawPointer(timer).assumingMemoryBound(to: uv_handle_t.self)) { $0?.deallocate() }
      loop.runCallbacks { _ in }
      loop.shutdown()
    }
  }
}
