#if Everything
import Foundation
import Testing
import UVDiagnostics
import UVStalls
import UVTestSupport

/// The figures as Prometheus reads them.
@Suite(.serialized) struct PrometheusTests {
  /// A Python that has `prometheus_client`.
  static let python: String? = {
    let root = URL(fileURLWithPath: #filePath).pathComponents.dropLast(3).joined(separator: "/").dropFirst()
    return ["\(root)/.build/clients/bin/python", "/usr/bin/python3"].first { path in
      guard FileManager.default.isExecutableFile(atPath: path) else { return false }
      let arguments = ["-c", "import prometheus_client.parser"]
      return (try? runProgram(URL(fileURLWithPath: path), arguments))?.status == 0
    }
  }()

  @Test("Each figure that a loop has stands there once for each loop, after its type and its help")
  func lines() async throws {
    try await withLoop { loop in
      loop.name = "a \"loop\" \\ of two\nlines"
      try loop.configure(.lag)
      let group = try EventLoopGroup(count: 1)
      var diagnostics = group.diagnostics
      diagnostics.executors.append(loop.executor)
      let page = try diagnostics.listen(on: .port(0))
      _ = try await loop.ask(page.url(of: "metrics"))
      let answer = try await loop.ask(page.url(of: "metrics"))
      #expect(answer.fields[.contentType] == "text/plain; version=0.0.4; charset=utf-8")
      let lines = answer.text.split(separator: "\n")
      let samples = lines.filter { !$0.hasPrefix("#") }.map { String($0.prefix { $0 != " " }) }
      #expect(Set(lines).count == lines.count && samples.count > 40)
      let mine = #"{loop="a \"loop\" \\ of two\nlines"}"#
      #expect(lines.contains("uv_eventloop_answers\(mine) 1"))
      #expect(lines.contains("uv_eventloop_stalls\(mine) 0"))
      for name in LoopFigure.all.map(\.name) where !name.hasPrefix("uv.pool") {
        let plain = name.replacingOccurrences(of: ".", with: "_")
        let head = lines.firstIndex { $0.hasPrefix("# TYPE \(plain) ") }
        // Turns and events are counted by libuv from 1.45 on.
        if loop.statistics.turns == nil, ["uv.eventloop.turns", "uv.eventloop.events"].contains(name) {
          continue
        }
        #expect(head != nil && lines[head! - 1].hasPrefix("# HELP \(plain) "), "\(name)")
        #expect(lines[head! + 1].hasPrefix("\(plain){loop="), "\(name)")
      }
      // The loop of the group doesn't measure its turns.
      #expect(lines.filter { $0.hasPrefix("uv_eventloop_turn_seconds_count") }.count == 1)
      page.close()
      await page.ended()
      _ = await group.shutdownGracefully(within: .zero)
    }
  }

  @Test(
    "Prometheus' own parser reads the text, with a histogram whose buckets add up",
    .enabled(if: python != nil, "prometheus_client is missing; see Tests/Suites/Parts/clients"))
  func parser() async throws {
    let script = """
      import sys, urllib.request
      from prometheus_client.parser import text_string_to_metric_families
      request = urllib.request.Request(sys.argv[1], headers={"Authorization": "Bearer " + sys.argv[2]})
      families = {f.name: f for f in text_string_to_metric_families(urllib.request.urlopen(request).read().decode())}
      histogram = families["uv_eventloop_turn_seconds"]
      counts = [s.value for s in histogram.samples if s.name.endswith("_bucket")]
      total = [s.value for s in histogram.samples if s.name.endswith("_count")]
      print(histogram.type, counts == sorted(counts), counts[-1] == total[0])
      print(families["uv_bytes_read"].type, families["uv_eventloop_tasks"].type)
      states = {s.labels["uv_eventloop_state"] for s in families["uv_eventloop_time"].samples}
      print(sorted(states), {s.labels["loop"] for s in families["uv_eventloop_tasks"].samples})
      """
    try await withLoop { loop in
      loop.name = "a \"loop\""
      try loop.configure(.lag)
      let page = try loop.diagnostics.listen(on: .port(0))
      let token = String(page.url.split(separator: "=").last ?? "")
      let place = page.url(of: "metrics").prefix { $0 != "?" }
      let child = try loop.processes.spawn(
        Self.python!, ["-c", script, String(place), token], stdio: [.ignore, .pipe, .inherit])
      let output = try await #require(child.standardOutput).readToEnd(limit: 10_000).value
      #expect(try await child.exit().value.isSuccess)
      #expect(
        "\(output)" == """
          histogram True True
          counter gauge
          ['active', 'idle'] {'a "loop"'}

          """)
      page.close()
      await page.ended()
    }
  }
}
#endif
