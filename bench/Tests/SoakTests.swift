import BenchSoak
import CBenchHooks
import Testing

@Suite struct SoakTests {
  @Test("A short soak ends where it began", arguments: [1, 2])
  func aShortSoak(seed: Int) throws {
    let output = try Products.shell("$UVBENCH soak --operations 4000 --seed \(seed)")
    #expect(output.code == 0, "\(output.text)")
    func rows(from first: String, to end: String) -> [Substring] {
      let rows = output.lines.drop { !$0.hasPrefix(first) }.prefix { !$0.hasPrefix(end) }
      return rows.compactMap { $0.split(separator: " ").last }
    }
    #expect(rows(from: "operations", to: "errors").first.flatMap { Int($0) } ?? 0 >= 4000, "\(output.text)")
    // Errors are part of it: without them it would not have tried much.
    #expect(rows(from: "errors", to: "descriptors").count > 4, "\(output.text)")
  }

  @Test(
    "The soak's account sees what is kept, and what goes back", .enabled(if: bench_hooks_can_count() != 0))
  func theAccountOfTheHeap() {
    bench_hooks_track(1)
    defer { bench_hooks_track(0) }
    let before = bench_hooks_live_bytes()
    var kept = [[UInt8]]()
    for _ in 0..<16 { kept.append([UInt8](repeating: 1, count: 1 << 20)) }
    // Give or take what other threads of this process do.
    #expect(abs(bench_hooks_live_bytes() - before - 16 << 20) < 1 << 20)
    kept = []
    #expect(abs(bench_hooks_live_bytes() - before) < 1 << 20)
  }
}
