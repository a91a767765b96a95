import Foundation
import Testing
import UV
import UVTestSupport

/// What a loop that is watched counts of the thread pool.
@Suite struct PoolTimesTests {
  @Test(
    "Each request of the pool is counted, with how long it waited and how long it ran, and no earlier one")
  func times() async throws {
    try await withLoop { loop in
      #expect(loop.poolTimes == nil)
      _ = try await loop.work { 1 }.value
      loop.measurePool()
      let ended = Log<Int>()
      // One more than there are threads: the last waits for one of the others.
      for number in 0...poolThreads { loop.work({ usleep(20_000) }) { _ in ended.append(number) } }
      try await loop.until { ended.values.count > poolThreads }
      var times = try #require(loop.poolTimes)
      #expect(times.count == poolThreads + 1)
      #expect(times.waiting >= 10_000_000 && times.running >= 20_000_000 * UInt64(times.count))
      // Those that libuv itself runs, and the others.
      for _ in 0..<3 { _ = try await loop.files.stat("/").value }
      _ = try await loop.files.realpath("/").value
      _ = try await loop.dns.resolve("127.0.0.1").value
      times = try #require(loop.poolTimes)
      #expect(times.count >= poolThreads + 5)
      #expect(times.waiting < 60_000_000_000 && times.running < 60_000_000_000)
    }
  }
}
