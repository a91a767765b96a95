#if Everything
import InMemoryLogging
import Logging
import Testing
import UV
import UVService
import UVStalls
import UVTestSupport

@Suite(.serialized) struct StallLogTests {
  @Test("A stall is logged with the function that blocks the loop and the place where its task was spawned")
  func stall() async throws {
    let handler = InMemoryLogHandler()
    let logger = Logger(label: "stalls") { _ in handler }
    try await withLoop { loop in
      loop.name = "blocked"
      try loop.logStalls(longerThan: .milliseconds(10), to: logger)
      // On a busy machine, the loop may also be late elsewhere.
      for _ in 0..<50 where handler.entries.first(where: isOfBlock) == nil {
        try await loop.sleep(for: .milliseconds(1)).value
        let known = handler.entries.count
        let end = LoopClock.Instant.now.advanced(by: .seconds(1))
        await loop.spawn { block { handler.entries.count == known && LoopClock.Instant.now < end } }.value
      }
      loop.stopWatchingStalls()
    }
    let entry = try #require(handler.entries.first(where: isOfBlock))
    #expect(entry.level == .warning)
    #expect(entry.metadata["loop"] == "blocked")
    #expect(entry.metadata["duration"].flatMap { Double("\($0)") } ?? 0 >= 0.01)
    #if os(Linux)
    #expect(entry.metadata["spawned"].map { "\($0)".contains("StallLogTests.swift:") } == true)
    guard case .array(let frames)? = entry.metadata["stack"] else {
      Issue.record("no stack: \(entry.metadata)")
      return
    }
    #expect(frames.contains { "\($0)".contains("uv_run") })
    #endif
  }
}

/// Whether an entry's stall is one in `block`. Where no stack is to be had, each is.
private func isOfBlock(_ entry: InMemoryLogHandler.Entry) -> Bool {
  #if os(Linux)
  entry.metadata["function"].map { "\($0)".contains("block") } == true
  #else
  true
  #endif
}

/// Computes while a condition holds, and looks at the condition rarely.
@inline(never) private func block(while condition: () -> Bool) {
  var number = 1
  while condition() { for _ in 0..<10_000 { number = number &* 31 &+ 7 } }
  precondition(number != 0)
}
#endif
