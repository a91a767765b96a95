import BenchSoak
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
}
