import Testing

@testable import BenchHarness

@Suite struct OpenLoopTests {
  @Test func ratesAreReadAsTheyAreWritten() throws {
    for tail in ["", " rate=5000.0", " rate=0.5 poisson=1"] {
      let line = "run w@1/c 10 1" + tail
      #expect(try WorkerRequest(line: line).description == line)
    }
    for tail in [" rate=", " rate=-1", " rate=0", " poisson=1", " rate=1 poisson=2", " rate=1 x"] {
      #expect(throws: UsageError.self) { try WorkerRequest(line: "run w@1/c 10 1" + tail) }
    }
  }

  /// A server that keeps up with any rate below its peak.
  @Test(arguments: [(1000.0, 700.0), (1000, 1000), (1000, 1400), (1000, 60)])
  func theSearchFindsThePeak(capacity: Double, peak: Double) throws {
    var search = PeakSearch(capacity: capacity)
    var tries = 0
    while let rate = search.next {
      tries += 1
      var answer = WorkerAnswer()
      answer.operations = 1000
      answer.wallNanoseconds = UInt64(1000e9 / min(rate, peak))
      search.note(answer)
    }
    let best = try #require(search.best)
    #expect(abs(best.rate - peak) < 0.06 * peak, "\(best.rate)")
    #expect(tries <= 14)
  }

  @Test func aRowThatDoesNotKeepUpHasNoPercentiles() {
    func row(achieved: Double) -> RowResult {
      var answer = WorkerAnswer()
      answer.operations = 1000
      answer.wallNanoseconds = UInt64(1000e9 / achieved)
      answer.latencies = SparseHistogram(values: [100], counts: [1000])
      answer.service = answer.latencies
      return RowResult(
        id: WorkloadID(workload: "w", revision: 1, style: .c, parameters: ParameterValues()),
        operations: 1000, warm: true, answers: [answer], reference: nil, counts: nil,
        arrivals: Arrivals(rate: 1000))
    }
    #expect(row(achieved: 995).saturated == false)
    #expect(row(achieved: 995).pooledLatency.p50 == 100)
    #expect(row(achieved: 980).saturated == true)
    #expect(row(achieved: 980).pooledLatency.p50 == nil)
  }
}
