/// What two loops say of a server that is stopped for 100 ms in every second.
struct StallTable {
  /// What must come out: stalls are uniform, so the nth percentile of the tenth of requests that meet one is
  /// n per cent of a stall.
  private static let expected = [
    ("p50", 50.0, 0.0), ("p95", 95, 50e6), ("p98", 98, 80e6), ("p99", 99, 90e6), ("p99.5", 99.5, 95e6),
  ]
  private static let tolerance = 12e6

  /// The open loop since requests were due, the same since they were sent, and the closed loop.
  private let loops: [SparseHistogram]
  private let percentiles: [[UInt64?]]

  init(open: WorkerAnswer, closed: WorkerAnswer) {
    loops = [open.latencies, open.service ?? SparseHistogram(), closed.latencies]
    percentiles = loops.map { loop in
      let latencies = LatencyHistogram(loop)
      return Self.expected.map { latencies.percentile($0.1) }
    }
  }

  var isRight: Bool {
    zip(Self.expected, percentiles[0]).allSatisfy { expected, found in
      expected.2 == 0 || abs(Double(found ?? 0) - expected.2) < Self.tolerance
    }
  }

  var lines: [String] {
    let head = ["percentile", "expected", "open loop", "its service time", "closed loop"]
    let rows = Self.expected.enumerated().map { place, expected in
      [expected.0, expected.2 == 0 ? "no stall" : Figure.duration(expected.2)]
        + percentiles.map { Figure.duration($0[place]) }
    }
    // Half of a stall or longer: a twentieth of the requests in truth.
    let shares = loops.map { loop in
      let slow = zip(loop.values, loop.counts).reduce(0) { $1.0 >= 50_000_000 ? $0 + $1.1 : $0 }
      return Figure.fixed(Double(slow) * 100 / Double(max(loop.total, 1)), digits: 2) + " %"
    }
    let counts = ["requests", ""] + loops.map { "\($0.total)" }
    return TextTable([head, counts] + rows + [["from 50 ms on", "5.00 %"] + shares], words: [0]).text + [
      isRight
        ? "right: the stalls have their true share of the open loop's percentiles"
        : "wrong: the open loop's percentiles are more than 12 ms from what they must be"
    ]
  }
}
