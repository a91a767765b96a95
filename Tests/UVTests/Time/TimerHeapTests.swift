import Testing
import UV
import UVTestSupport

/// The heap after a loop with timers has ended: it has as much as before.
@Suite(.serialized) struct TimerHeapTests {
  enum Timers: CaseIterable {
    case none, one, many, quiet, cancelled, ticks, file
  }

  @Test(arguments: Timers.allCases)
  func `A loop gives back the memory of its timers and its queues`(timers: Timers) async throws {
    // Within a loop's test, since no other loop of this process runs meanwhile.
    try await withLoop { _ in
      try await expectHeapGivenBack("\(timers)", count: 4) {
        let loop = try EventLoop()
        defer { loop.shutdown() }
        switch timers {
        case .none: break
        case .one: loop.sleep(for: .untilCancelled) { _ in }
        case .many: for _ in 0..<300 { loop.sleep(for: .untilCancelled) { _ in } }
        case .quiet:
          let timer = try LoopTimer(loop)
          try timer.start(after: .untilCancelled) {}
          timer.keepsLoopRunning = false
        case .cancelled: for _ in 0..<300 { loop.sleep(for: .untilCancelled) { _ in }.cancel() }
        case .ticks: loop.ticks(every: .seconds(1)).start { _ in }
        case .file: loop.files.stat("/") { _ in }
        }
      }
    }
  }
}
