import Testing
import UVTestSupport

@testable import UV

/// The table of a loop's tasks beside a dictionary, with addresses that lie as those of tasks do, and worse.
@Suite struct TaskTableModelTests {
  @Test(arguments: 0..<12)
  func `Each task is found by its address until it is taken out, however the others come and go`(seed: Int)
    async throws
  {
    try await withLoop { loop in
      let draws = Draws(UInt64(seed))
      var table = TaskTable()
      defer { table.deallocate() }
      // The table doesn't keep its tasks.
      var model: [UnsafeMutableRawPointer: OutcomeTask<Void, Never>] = [:]
      let stride = draws.one(of: [16, 64, 1 << 12, 1 << 20, 1 << 32])
      func check() {
        #expect(table.count == model.count && table.isEmpty == model.isEmpty)
        for (key, task) in model where table.find(key) !== task { Issue.record("\(key) isn't found") }
        var seen = 0
        table.forEach { task in if model.values.contains(where: { $0 === task }) { seen += 1 } }
        #expect(seen == model.count)
      }
      for step in 0..<400 {
        let key = UnsafeMutableRawPointer(bitPattern: (1 + draws.draw(120)) * stride)!
        if model[key] != nil {
          table.remove(key)
          model[key] = nil
        } else if model.count < 90, draws.draw(3) > 0 {
          let task = OutcomeTask<Void, Never>(loop: loop, SourcePlace(file: #fileID, line: #line), .plain({}))
          model[key] = task
          table.insert(task, key)
        }
        if table.find(key) !== model[key] {
          Issue.record("step \(step)")
          return
        }
        if step % 20 == 0 { check() }
      }
      check()
      #expect(table.find(nil) == nil)
      for key in model.keys.sorted() {
        table.remove(key)
        model[key] = nil
        check()
      }
    }
  }
}
