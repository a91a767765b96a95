import BenchKit

/// What two loops say of a server that is stopped for 100 ms in every second.
struct StallTable {
  /// What one column of the table says.
  struct Loop {
    var requests: UInt64 = 0
    /// The share of them that took half of a stall or longer; a twentieth in truth.
    var shareOfStalled = 0.0
    /// Nanoseconds, by percentile.
    var percentiles: [String: UInt64] = [:]

    init(_ histogram: SparseHistogram) {
      requests = histogram.counts.reduce(0, +)
      let slow = zip(histogram.values, histogram.counts).reduce(0) { $1.0 >= 50_000_000 ? $0 + $1.1 : $0 }
      shareOfStalled = Double(slow) / Double(max(requests, 1))
      let latencies = LatencyHistogram(histogram)
      for (name, percentile, _) in StallTable.expected {
        percentiles[name] = latencies.percentile(percentile)
      }
    }
  }

  /// What must come out: stalls are uniform, so the nth percentile of the tenth of requests
  /// that meet one is n per cent of a stall.
  static let expected = [
    ("p50", 50.0, 0.0), ("p95", 95, 50e6), ("p98", 98, 80e6), ("p99", 99, 90e6), ("p99.5", 99.5, 95e6),
  ]

  /// How far from that a percentile may be.
  static let tolerance = 12e6

  /// The open loop, since requests were due.
  var open: Loop
  /// The same since they were sent.
  var service: Loop
  var closed: Loop

  init(open: WorkerAnswer, closed: WorkerAnswer) {
    self.open = Loop(open.latencies)
    service = Loop(open.service ?? SparseHistogram())
    self.closed = Loop(closed.latencies)
  }

  /// Whether the open loop tells the truth.
  var isRight: Bool {
    Self.expected.allSatisfy { name, _, expected in
      expected == 0 || abs(Double(open.percentiles[name] ?? 0) - expected) < Self.tolerance
    }
  }

  var lines: [String] {
    let loops = [open, service, closed]
    let head = ["percentile", "expected", "open loop", "its service time", "closed loop"]
    let percentiles = Self.expected.map { name, _, expected in
      [name, expected == 0 ? "no stall" : Figure.duration(expected)]
        + loops.map { $0.percentiles[name].map { Figure.duration(Double($0)) } ?? "–" }
    }
    let shares = loops.map { Figure.fixed($0.shareOfStalled * 100, digits: 2) + " %" }
    let counts = ["requests", ""] + loops.map { "\($0.requests)" }
    let rows = [head, counts] + percentiles + [["from 50 ms on", "5.00 %"] + shares]
    return TextTable(rows, words: [0]).text + [
      isRight
        ? "right: the stalls have their true share of the open loop's percentiles"
        : "wrong: the open loop's percentiles are more than 12 ms from what they must be"
    ]
  }
}
