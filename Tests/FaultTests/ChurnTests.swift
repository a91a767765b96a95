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
        var soak = Soak(length: .operations(4000), seed: seed, directory: directory)
        // Other threads of this process have work of their own.
        soak.heapAllowance = 64 << 10
        return try soak.run()
      }
    }
    #expect(report.problems == [], "\(report)")
    #expect(report.total >= 4000)
    // Errors are part of it: without them it would not have tried much.
    #expect(report.errors.count > 3)
  }

  @Test(
    "The soak's account sees what is kept, and what goes back", .enabled(if: bench_hooks_can_count() != 0))
  func theAccountOfTheHeap() {
    bench_hooks_track(1)
    defer { bench_hooks_track(0) }
    let before = bench_hooks_live_bytes()
    var kept = [Bytes]()
    for _ in 0..<16 { kept.append(Bytes(repeating: 1, count: 1 << 20)) }
    // Give or take what other threads of this process do.
    #expect(abs(bench_hooks_live_bytes() - before - 16 << 20) < 1 << 20)
    kept = []
    #expect(abs(bench_hooks_live_bytes() - before) < 1 << 20)
  }
}
