import Testing

@testable import BenchHarness

@Suite struct ResultsTests {
  private func answer(wall: UInt64, cpu: UInt64, operations: Int = 1000) -> WorkerAnswer {
    var histogram = LatencyHistogram()
    histogram.record(wall / UInt64(operations), count: UInt64(operations))
    var answer = WorkerAnswer()
    answer.operations = operations
    answer.wallNanoseconds = wall
    answer.cpuNanoseconds = cpu
    answer.latencies = histogram.sparse
    answer.peakRSSBytes = 1 << 20
    return answer
  }

  private func row(_ style: Style, slower: UInt64 = 1) -> RowResult {
    // The second round is three times as slow for all: the ratio does not see it.
    let reference = [1, 3, 1].map { answer(wall: $0 * 1_000_000, cpu: $0 * 500_000) }
    let answers = [1, 3, 1].map {
      answer(wall: $0 * 1_000_000 * slower, cpu: $0 * 500_000 * slower)
    }
    var counts = WorkerAnswer()
    counts.operations = 1000
    counts.counters = [.allocations: 2500]
    return RowResult(
      id: WorkloadID(
        workload: "w", revision: 1, style: style, parameters: ParameterValues(["size": 64])),
      operations: 1000, warm: true, answers: answers, reference: reference, counts: counts)
  }

  @Test func mediansAndRatios() throws {
    let row = row(.async, slower: 2)
    #expect(row.rounds.count == 3)
    #expect(row.median.throughput == 500_000)
    #expect(row.median.cpuNanosecondsPerOperation == 1000)
    let ratio = try #require(row.ratioToC)
    #expect(ratio.throughput == 0.5)
    #expect(ratio.cpu == 2)
    #expect(ratio.cpuNanosecondsAbove == 500)
    #expect(row.countsPerOperation == [.allocations: 2.5])
    #expect(row.median.latency.p99 == 2000)
    #expect(row.median.latency.p999 == nil)
    #expect(row.pooledLatency.max == 6000)
  }

  @Test func jsonComesBackAsItWent() throws {
    let machine = Machine.current()
    let results = Results(
      date: "2026-01-01T00:00:00Z", machine: machine, libuv: "1.52.1", swift: "6.3",
      method: Results.Method(
        rounds: 3, windowNanoseconds: 1e8, commit: "abc", build: "release", threadPool: 4,
        pinnedApart: true),
      results: [row(.c), row(.async, slower: 2)])
    let text = try LineJSON.string(results, pretty: true)
    let back = try LineJSON.value(Results.self, text)
    #expect(try LineJSON.string(back, pretty: true) == text)
    for key in [
      "\"schema\" : 1", "\"workload\" : \"w\"", "\"size\" : 64", "\"cpu_ns_per_op\"",
      "\"latency_ns\"", "\"p50\"", "\"p99\"", "\"max\"", "\"peak_rss_bytes\"", "\"throughput\"",
      "\"median\"", "\"ratio_to_c\"", "\"rounds\"", "\"style\" : \"async\"",
    ] {
      #expect(text.contains(key), "\(key)")
    }
  }

  @Test func fingerprintsTellMachinesApart() {
    let machine = Machine.current()
    var other = machine
    other.cores += 1
    let print = machine.fingerprint(swift: "6.3", libuv: "1.52.1")
    #expect(print == machine.fingerprint(swift: "6.3", libuv: "1.52.1"))
    #expect(print != other.fingerprint(swift: "6.3", libuv: "1.52.1"))
    #expect(print != machine.fingerprint(swift: "6.2", libuv: "1.52.1"))
  }

  @Test func aTableHasALineForEachRow() {
    let lines = ResultTable.lines([row(.c), row(.async, slower: 2)])
    #expect(lines.count == 5)
    #expect(lines[4].hasPrefix("  not enough samples for "))
    #expect(lines[0] == "w  size=64  (1.00k operations × 3 rounds)")
    #expect(lines[1].contains("CPU/op"))
    #expect(lines[2].hasPrefix("  c "))
    #expect(lines[3].contains("0.50×") && lines[3].contains("2.00×") && lines[3].contains("2.50"))
    #expect(Set(lines[1...3].map(\.count)).count == 1)
  }
}
