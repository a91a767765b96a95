import Testing
import UVTestSupport

@testable import UV

/// The slots of the wheel of timers, beside a list that is sorted.
@Suite struct TimerSlotModelTests {
  @Test(arguments: 0..<20)
  func `The first timer is due in the first slot, and no slot is due after one of its timers`(seed: Int) {
    let draws = Draws(UInt64(seed))
    let beginning = UInt64(draws.draw(1 << 30)) << UInt64(draws.draw(12))
    var slots = TimerSlots(elapsed: beginning)
    defer { slots.deallocate() }
    var waiting: [(deadline: UInt64, order: Int, node: UnsafeMutablePointer<TimerSlots.Node>)] = []
    var fired: [(UInt64, Int)] = []
    var expected: [(UInt64, Int)] = []
    for order in 0..<400 {
      if draws.draw(5) == 0, !waiting.isEmpty {
        // One is cancelled.
        let place = draws.draw(waiting.count)
        let node = waiting.remove(at: place).node
        slots.unlink(node)
        _ = slots.give(back: node)
      } else {
        let node = slots.takeNode()
        node.pointee.done = { _ in }
        let deadline = slots.elapsed + UInt64(draws.draw(1 << draws.one(of: [1, 6, 7, 12, 13, 18, 24, 30])))
        node.pointee.deadline = deadline
        slots.insert(node)
        waiting.append((deadline, order, node))
      }
      guard draws.draw(3) == 0, let next = slots.nextExpiration() else {
        #expect((slots.nextExpiration() == nil) == waiting.isEmpty)
        continue
      }
      let first = waiting.map(\.deadline).min()!
      #expect(next.deadline <= first && next.deadline >= slots.elapsed)
      // As the wheel does: to that slot, whose timers move down or fire.
      slots.elapsed = next.deadline
      var node = slots.takeAll(of: next.list)
      while let current = node {
        node = current.pointee.next
        if current.pointee.deadline <= slots.elapsed {
          let place = waiting.firstIndex { $0.node == current }!
          fired.append((waiting[place].deadline, waiting[place].order))
          expected.append((slots.elapsed, waiting.remove(at: place).order))
          _ = slots.give(back: current)
        } else {
          slots.insert(current)
        }
      }
    }
    // Each at its own time, and those of one time in their order.
    #expect(fired.map(\.0) == expected.map(\.0))
    for (one, other) in zip(fired, fired.dropFirst()) { #expect(one < other) }
    #expect(slots.deadlines(atMost: 1000) == waiting.map(\.deadline).sorted())
  }
}
