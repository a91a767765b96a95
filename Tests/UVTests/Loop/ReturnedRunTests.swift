import Testing
import UV
import UVTestSupport

/// A run that returns although there is work, which goes on in the next.
@Suite struct ReturnedRunTests {
  @Test("All that is pending goes on in the next run, tasks included") func goesOn() async throws {
    try await withThread {
      let loop = try EventLoop()
      let log = Log<String>()
      for round in 0..<3 {
        loop.runCallbacks { loop in
          if round == 0 {
            loop.sleep(for: .milliseconds(50)) { log.append("sleep \($0.error?.name ?? "ok")") }
            loop.spawn {
              try? await loop.sleep(for: .milliseconds(50)).value
              log.append("task")
            }
          }
          if round < 2 { loop.queueMicrotask { loop.returnFromRun() } }
        }
        if round < 2 { #expect(log.values == []) }
      }
      #expect(log.values.sorted() == ["sleep ok", "task"])
      #expect(try !loop.runNoWait())
      loop.shutdown()
      #expect(log.values.count == 2)
    }
  }
}
