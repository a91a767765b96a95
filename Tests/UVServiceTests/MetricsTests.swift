#if Everything
import Foundation
import Metrics
import MetricsTestKit
import Testing
import UV
import UVService
import UVTestSupport

/// What loops report to swift-metrics.
@Suite struct MetricsTests {
  @Test("A loop reports what it has open, what it has accepted and how many bytes have gone each way")
  func report() async throws {
    let metrics = TestMetrics()
    try await withPair { loop, client, server in
      let before = loop.statistics
      let report = loop.reportMetrics(every: .milliseconds(5), as: "mine", to: metrics)
      try await client.write("hello").value
      _ = try await server.read(exactly: 5).value
      try await server.write([Bytes("a"), "bc"]).value
      _ = try await client.read(exactly: 3).value
      let listener = try loop.tcp.listen(host: "127.0.0.1", port: 0)
      let second = try await loop.tcp.connect(to: listener.localAddress()).value
      let accepted = try await listener.accept().value
      server.readTimeout = .zero
      await #expect(throws: UVError.self) { try await server.next().value }
      func total(_ label: String) -> Int64 {
        metrics.counterTotal(label: label, dimensions: [("loop", "mine")])
      }
      try await loop.until { total("uv.timeouts") >= 1 }
      #expect(total("uv.bytes.read") == 8)
      #expect(total("uv.bytes.written") == 8)
      #expect(total("uv.connections.accepted") == 1)
      #expect(total("uv.connections.refused") == 0)
      #expect(total("uv.eventloop.jobs") > 0)
      #expect(
        loop.statistics.accepted == before.accepted + 1 && loop.statistics.bytesRead == before.bytesRead + 8)
      func last(_ label: String) throws -> Double? {
        try metrics.expectGauge(label, [("loop", "mine")]).lastValue
      }
      #expect(try last("uv.eventloop.handles") == 5)
      #expect(try last("uv.connections.open") == 2)
      #expect(try last("uv.eventloop.tasks") == 1)
      #expect(try last("uv.pool.requests") == 0)
      report.cancel()
      for handle in [listener, second, accepted] as [Handle] { handle.close() }
    }
  }

  @Test("A loop that measures its turns reports its delay, its use and its time, as Node.js does")
  func delay() async throws {
    let metrics = TestMetrics()
    try await withLoop { loop in
      try loop.configure(.lag)
      let report = loop.reportMetrics(every: .milliseconds(5), as: "mine", to: metrics)
      func last(_ label: String) -> Double {
        (try? metrics.expectGauge("uv.eventloop.\(label)", [("loop", "mine")]).lastValue ?? 0) ?? 0
      }
      // Until a report has a turn that was busy.
      while last("delay.max") < 0.01 {
        usleep(10_000)
        try await loop.sleep(for: .milliseconds(1)).value
      }
      report.cancel()
      let delays = ["delay.min", "delay.p50", "delay.p90", "delay.p99", "delay.max"].map(last)
      #expect(delays == delays.sorted())
      #expect(last("delay.mean") > 0 && last("delay.mean") < last("delay.max"))
      #expect(last("delay.stddev") > 0 && last("delay.stddev") < last("delay.max"))
      #expect(last("utilization") > 0 && last("utilization") <= 1)
      let times = metrics.counters.filter { $0.label == "uv.eventloop.time" }
      #expect(times.map(\.dimensions.last?.1).sorted { $0! < $1! } == ["active", "idle"])
    }
  }

  @Test func `A loop that doesn't measure its turns reports none of this`() async throws {
    let metrics = TestMetrics()
    try await withLoop { loop in
      let report = loop.reportMetrics(every: .zero, to: metrics)
      try await loop.until {
        (try? metrics.expectGauge("uv.eventloop.tasks", [("loop", loop.name)]).lastValue) != nil
      }
      report.cancel()
      #expect(!metrics.recorders.contains { $0.label.hasPrefix("uv.eventloop.delay") })
    }
  }

  @Test func `The thread pool's requests are reported with the age of the oldest`() async throws {
    let metrics = TestMetrics()
    try await withLoop { loop in
      let report = loop.reportMetrics(every: .milliseconds(5), to: metrics)
      let isSeen = DispatchSemaphore(value: 0)
      let work = loop.spawn { try? await loop.work { isSeen.wait() }.value }
      var age = 0.0
      while age < 0.01 {
        try await loop.sleep(for: .milliseconds(1)).value
        age = (try? metrics.expectGauge("uv.pool.age", [("loop", loop.name)]).lastValue ?? 0) ?? 0
      }
      isSeen.signal()
      _ = await work.value
      report.cancel()
    }
  }

  @Test("What the thread pool has finished is reported with how long it waited and how long it ran")
  func poolTimes() async throws {
    let metrics = TestMetrics()
    try await withLoop { loop in
      let report = loop.reportMetrics(every: .milliseconds(1), to: metrics)
      let threads = Int(ProcessInfo.processInfo.environment["UV_THREADPOOL_SIZE"] ?? "") ?? 4
      // One more than there are threads: the last waits for one of the others.
      let works = (0...threads).map { _ in loop.spawn { try? await loop.work { usleep(20_000) }.value } }
      for work in works { _ = await work.value }
      func finished() -> Int64 {
        metrics.counterTotal(label: "uv.pool.finished", dimensions: [("loop", loop.name)])
      }
      // Reported before the requests that follow, whose means are much less.
      try await loop.until { finished() > threads }
      for _ in 0..<3 { _ = try await loop.files.stat("/").value }
      _ = try await loop.files.realpath("/").value
      let count = Int64(threads + 5)
      try await loop.until { finished() >= count }
      func values(_ label: String) throws -> [Double] {
        try metrics.expectGauge(label, [("loop", loop.name)]).values
      }
      #expect(try values("uv.pool.wait").contains { $0 > 0.002 })
      #expect(try values("uv.pool.run").contains { $0 >= 0.02 })
      #expect(try values("uv.pool.run").allSatisfy { $0 < 60 })
      report.cancel()
    }
  }

  @Test func `What a loop doesn't know isn't reported, not even as zero`() async throws {
    let metrics = TestMetrics()
    try await withLoop { loop in
      let report = loop.reportMetrics(every: .milliseconds(1), to: metrics)
      let dimensions = [("loop", loop.name)]
      try await loop.until {
        metrics.counterTotal(label: "uv.eventloop.jobs", dimensions: dimensions) != 0
      }
      let counts = loop.statistics.turns != nil
      #expect(((try? metrics.expectCounter("uv.eventloop.turns", dimensions)) != nil) == counts)
      #expect(((try? metrics.expectCounter("uv.eventloop.events", dimensions)) != nil) == counts)
      report.cancel()
    }
  }

  @Test func `The last report comes at the loop's end, when nothing is open any more`() async throws {
    let metrics = TestMetrics()
    try await withThread {
      try EventLoop.run { loop in
        loop.name = "short-lived"
        loop.reportMetrics(every: .seconds(3600), to: metrics)
        let listener = try loop.tcp.listen(host: "127.0.0.1", port: 0)
        let client = try await loop.tcp.connect(to: listener.localAddress()).value
        try await client.write("hello").value
        _ = try await listener.accept().value.read(exactly: 5).value
      }
    }
    #expect(metrics.counterTotal(label: "uv.bytes.read", dimensions: [("loop", "short-lived")]) == 5)
    let handles = try metrics.expectGauge("uv.eventloop.handles", [("loop", "short-lived")])
    #expect(handles.values.count == 2 && handles.lastValue == 0)
  }

  @Test func `Large writes that wait for the peer count once, when they have left`() async throws {
    try await withPair { loop, client, server in
      let before = loop.statistics
      let bytes = Bytes(Array(repeating: 1, count: 5_000_000))
      let writing = loop.spawn { () async throws(UVError) in
        try await server.write(bytes).value
        try await server.write([bytes, "end"]).value
      }
      var count = 0
      while count < 10_000_003 { count += try await client.next().value?.count ?? 0 }
      try await writing.value
      #expect(loop.statistics.bytesWritten - before.bytesWritten == 10_000_003)
      #expect(loop.statistics.bytesRead - before.bytesRead == 10_000_003)
    }
  }

  @Test("Reports keep no loop running, and end with it; the loops of a group report under their numbers")
  func group() async throws {
    let metrics = TestMetrics()
    try await withThread {
      EventLoop.runCallbacks { loop in _ = loop.reportMetrics(every: .milliseconds(1), to: metrics) }
    }
    let group = try EventLoopGroup(count: 2)
    try await group.reportMetrics(every: .milliseconds(1), as: "worker", to: metrics)
    while metrics.recorders(label: "uv.eventloop.tasks").filter({ $0.lastValue != nil }).count < 3 {
      await Task.yield()
    }
    #expect((try? metrics.expectGauge("uv.eventloop.tasks", [("loop", "worker 2")])) != nil)
    _ = await group.shutdownGracefully(within: .zero)
  }
}
#endif
