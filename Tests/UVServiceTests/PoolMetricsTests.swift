#if Everything
import Metrics
import MetricsTestKit
import Testing
import UV
import UVService
import UVTestSupport

@Suite struct PoolMetricsTests {
  @Test func `A pool reports what it has and has done, until it is gone`() async throws {
    let metrics = TestMetrics()
    try await withLoop { loop in
      let listener = try loop.tcp.listen(host: "127.0.0.1", port: 0)
      var pool: Pool<TCPConnection>? = Pool(loop.tcp.connect(to: try listener.localAddress()))
      let report = pool?.reportMetrics(as: "mine", every: .milliseconds(2), to: metrics)
      func total(_ label: String) -> Int64 {
        metrics.counterTotal(label: "uv.resources." + label, dimensions: [("pool", "mine")])
      }
      func last(_ label: String) -> Double? {
        (try? metrics.expectGauge("uv.resources." + label, [("pool", "mine")]))?.lastValue
      }
      let lease = try await pool?.lease().value
      try await pool?.withResource { _ in }
      while total("leases") < 2 || last("leased") != 1 || last("idle") != 1 {
        try await loop.sleep(for: .milliseconds(1)).value
      }
      #expect((total("created"), total("dropped"), last("waiting")) == (2, 0, 0))
      lease?.giveBack()
      while last("leased") != 0 { try await loop.sleep(for: .milliseconds(1)).value }
      pool = nil
      report?.cancel()
      listener.close()
    }
  }
}
#endif
