import BenchSoak
import CBenchHooks
import Testing
import UV
import UVTestSupport

@Suite struct ChurnTests {
  @Test("A short soak ends where it began", arguments: [1, 2] as [UInt64])
  func aShortSoak(seed: UInt64) async throws {
    let report = try await withTemporaryDirectory { directory in
      try await withThread {
        try Soak(length: .operations(4000), seed: seed, directory: directory).run()
      }
    }
    #expect(report.problems == [], "\(report)")
    #expect(report.total >= 4000)
    // Errors are part of it: without them it would not have tried much.
    #expect(report.errors.count > 3)
  }

  @Test("The soak's account sees what is kept, and what goes back", .enabled(if: bench_hooks_can_count() != 0))
  func theAccountOfTheHeap() {
    bench_hooks_track(1)
    defer { bench_hooks_track(0) }
    let before = bench_hooks_live_bytes()
    var kept = [Bytes]()
    for _ in 0..<16 { kept.append(Bytes(repeating: 1, count: 1 << 20)) }
    #expect(16 << 20..<17 << 20 ~= bench_hooks_live_bytes() - before)
    kept = []
    #expect(-4096...4096 ~= bench_hooks_live_bytes() - before)
  }
}
