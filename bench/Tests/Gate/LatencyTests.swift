import Testing

@testable import BenchHarness

/// Whether the gate finds that one request in a hundred takes longer.
@Suite struct LatencyTests {
  @Test func theMeanAroundAPercentileMovesWithARequestInAHundred() {
    let fast = SparseHistogram(values: [100, 200], counts: [9000, 1000])
    let tail = LatencyTail(fast)
    #expect(tail.mean(around: 99) == 200 && tail.mean(around: 50) < 200)
    // Half of what lies around p99 is then delayed.
    let delayed = tail.delayed(0.01, by: 5000)
    #expect(abs(delayed.mean(around: 99) - (200 + 5100) / 2) < 30, "\(delayed.mean(around: 99))")
    #expect(tail.delayed(0.01, by: 0).mean(around: 99) == 200)
    #expect(LatencyTail(SparseHistogram()).isEmpty && LatencyTail(SparseHistogram()).mean(around: 99) == 0)
  }

  @Test func tooFewRequestsAreNoSample() {
    var few = LatencyHistogram()
    few.record(100, count: 999)
    #expect(OutsideFigure.p99.sample(few, few) == nil && OutsideFigure.p50.sample(few, few) != nil)
    few.record(100)
    #expect(OutsideFigure.p99.sample(few, few)?.shift == 0)
  }

  @Test(
    "5 ms more for a request in a hundred is found in 19 of 20 gates, and nothing is found where nothing is",
    arguments: SyntheticServers.kinds)
  func planted(kind: SyntheticServers) throws {
    for (delay, gates, least, most) in [(5e6, 20, 19, 20), (0, 10, 0, 0)] {
      var found = 0
      for seed in 0..<gates {
        var servers = kind
        (servers.delay, servers.seed) = (delay, UInt64(1000 + seed))
        let row = try #require(try Self.gate(servers))
        if row.outcome == .regressed { found += 1 }
        #expect((row.reach?.delay == nil) == (row.outcome == .regressed))
      }
      #expect((least...most).contains(found), "\(kind.name), \(delay): \(found)")
    }
  }

  @Test func aDelayThatHasToBeFoundTakesAsManyPairsAsThatNeeds() throws {
    var servers = SyntheticServers(name: "noisy", machine: 0.4)
    let usual = try #require(try Self.gate(servers))
    let (small, large) = (
      try #require(try Self.gate(servers, finding: 0.5e6)),
      try #require(try Self.gate(servers, finding: 50e6))
    )
    #expect(usual.reach?.found == nil && usual.pairs == 8)
    #expect(small.pairs > large.pairs && large.pairs == 8, "\(small.pairs), \(large.pairs)")
    #expect(
      large.reach?.found ?? 0 >= 0.95 && large.reach?.sentence.contains("asked for is found by") == true)
    // It is then found where it is.
    servers.delay = 50e6
    #expect(try Self.gate(servers, finding: 50e6)?.outcome == .regressed)
  }

  @Test func pairsThatDifferTooMuchSayThatNoDelayIsFound() {
    let one = SparseHistogram(values: [1000], counts: [10_000])
    let samples = [3.0, -3, 2, -2, 3, -3, 2, -2].map { shift in
      var sample = OutsideSample(base: 1000, head: 1000, shift: shift * 10)
      sample.latencies = one
      return sample
    }
    var row = FigureRow(.p99, samples, smallest: 0.03, isServer: true)
    row.reach(of: samples, smallest: 0.03, delay: nil)
    #expect(row.reach?.delay == nil && row.reach?.sentence.contains("no delay") == true)
  }

  @Test(arguments: [
    ("--smallest-delay 0", "must be above 0"), ("--smallest-delay 5 --judge cpu", "--judge leaves out"),
  ])
  func wrongUseIsExplained(options: String, message: String) throws {
    let output = try Products.shell(
      "$EXAMPLE gate --server a --server b --load 'http://127.0.0.1:{port}/' \(options)")
    #expect(output.code == 2 && output.text.contains(message), "\(output.text)")
  }

  private static func gate(_ servers: SyntheticServers, finding delay: Double? = nil) throws -> FigureRow? {
    let gate = OutsideGate(
      figures: [.cpu, .p99], smallest: 0.03, delay: delay, seed: 1, progress: Progress())
    return try gate.run(servers).first { $0.figure == .p99 }
  }
}

/// Servers that aren't there: their latencies follow from numbers.
struct SyntheticServers: Rivals, CustomTestStringConvertible {
  var name: String
  /// What one request in a hundred of the new one takes longer, in nanoseconds.
  var delay = 0.0
  /// How far pairs of processes differ steadily, as a deviation.
  var machine = 0.05
  /// The share of the requests that the machine holds up, for both servers at the same time, and for how many nanoseconds.
  var stalls = (share: 0.001, length: 4e6)
  var requests = 1200
  var seed: UInt64 = 1

  let base = "old"
  let head = "new"
  let isServer = true
  let figures: Set<OutsideFigure> = [.cpu, .p99]
  var testDescription: String { name }

  static let kinds = [
    SyntheticServers(name: "quiet"), SyntheticServers(name: "processes that differ", machine: 0.15),
    SyntheticServers(name: "a machine that stalls", stalls: (0.008, 3e6)),
    SyntheticServers(name: "many requests", requests: 2500),
  ]

  mutating func prepare() {}

  func sample(
    headFirst: Bool, figures: Set<OutsideFigure>, random: inout SplitMix64
  ) throws -> [OutsideFigure: OutsideSample] {
    var source = SplitMix64(seed: random.next() &+ seed)
    func uniform() -> Double { (Double(source.next() >> 11) + 0.5) * 0x1p-53 }
    func normal() -> Double { (-2 * log(uniform())).squareRoot() * cos(2 * .pi * uniform()) }
    let (old, new) = (exp(machine * normal()), exp(machine * normal()))
    var histograms = (base: LatencyHistogram(), head: LatencyHistogram())
    for _ in 0..<requests {
      let stall = uniform() < stalls.share ? stalls.length * uniform() : 0
      func latency(_ level: Double) -> Double { 200e3 * level * (1 - 0.3 * log(uniform())) + stall }
      histograms.base.record(UInt64(latency(old)))
      histograms.head.record(UInt64(latency(new) + (uniform() < 0.01 ? delay : 0)))
    }
    var samples = [OutsideFigure.cpu: OutsideSample(base: 1000, head: 1000 * exp(0.001 * normal()))]
    samples[.p99] = OutsideFigure.p99.sample(histograms.base, histograms.head)
    return samples
  }
}
