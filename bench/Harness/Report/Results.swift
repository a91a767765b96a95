/// A whole run, as it is written with `--json`. The form is documented in
/// `bench/README.md`; a change that an old reader would misread raises `schema`.
struct Results: Codable, Sendable {
  static let currentSchema = 1

  var schema = currentSchema
  var date: String
  var machine: Machine
  /// The version of libuv, or an empty text.
  var libuv: String
  var swift: String
  var method: Method
  var results: [RowResult]
  /// In place of rows: the figures of a gate of other people's programs.
  var gate: GateFigures?

  struct Method: Codable, Sendable {
    var rounds: Int
    /// How many processes of each row shared them, if it was more than one.
    var processes: Int?
    /// How long a round of the reference row was meant to last.
    var windowNanoseconds: Double
    /// The commit, with `+changes` when the working copy differs; empty when unknown.
    var commit: String
    var build: String
    var threadPool: Int
    /// Whether servers and the load generator were confined to a processor each.
    var pinnedApart: Bool
    /// Where the load came from, if not from this machine, or went to, if not to a server of the benchmark.
    var load: String?
    /// Processors that other programs kept busy meanwhile; nil where that cannot be seen.
    var othersBusy: Double?
    /// The share of the time that the hypervisor gave to other machines; nil where that cannot be seen.
    var stolen: Double?

    enum CodingKeys: String, CodingKey {
      case rounds, processes, commit, build, load, stolen
      case pinnedApart = "pinned_apart"
      case othersBusy = "others_busy"
      case windowNanoseconds = "window_ns"
      case threadPool = "thread_pool"
    }

    var placement: String { load ?? (pinnedApart ? "a processor each" : "not pinned apart") }
  }
}

/// One row: a workload, its parameters and a style.
struct RowResult: Codable, Sendable {
  var workload: String
  var revision: Int
  var parameters: ParameterValues
  var style: Style
  /// How many operations each round did, the same for all rows of a case.
  var operations: Int
  /// Whether two windows of the warm-up agreed within 2 %.
  var warm: Bool
  var rounds: [Round]
  /// The median of the rounds, each figure by itself.
  var median: Round
  var spread: Spreads
  /// Percentiles over the latencies of all rounds together.
  var pooledLatency: LatencySummary
  var histogram: SparseHistogram
  var ratioToC: Ratio?
  /// Counts per operation, from a pass of their own.
  var countsPerOperation: [Counter: Double]
  var arrivals: Arrivals?
  /// In an open loop: operations per second that were achieved, the median.
  var achievedRate: Double?
  /// In an open loop: whether less than 99 % of the rate was achieved. There are no
  /// percentiles then: the queue grows as long as one measures.
  var saturated: Bool?
  /// In an open loop: percentiles since operations were begun and not since they were due.
  var serviceLatency: LatencySummary?
  /// The highest rate that was kept up with, where that was looked for.
  var peakRate: Double?

  /// Whether so much less than the offered rate was achieved that the queue grew.
  static func isSaturated(offered: Double, achieved: Double) -> Bool { achieved < 0.99 * offered }

  struct Round: Codable, Hashable, Sendable {
    var throughput: Double
    /// Processor time of the measured side, per operation.
    var cpuNanosecondsPerOperation: Double
    var userNanosecondsPerOperation, systemNanosecondsPerOperation: Double
    var latency: LatencySummary
    var peakRSSBytes: UInt64

    enum CodingKeys: String, CodingKey {
      case throughput
      case cpuNanosecondsPerOperation = "cpu_ns_per_op"
      case userNanosecondsPerOperation = "user_ns_per_op"
      case systemNanosecondsPerOperation = "system_ns_per_op"
      case latency = "latency_ns"
      case peakRSSBytes = "peak_rss_bytes"
    }
  }

  struct Spreads: Codable, Hashable, Sendable {
    var throughput, cpuNanosecondsPerOperation: Spread

    enum CodingKeys: String, CodingKey {
      case throughput
      case cpuNanosecondsPerOperation = "cpu_ns_per_op"
    }
  }

  /// A row beside the reference row. Each ratio is the median over the rounds of the
  /// ratio within the round, since rounds share what the machine was up to.
  struct Ratio: Codable, Hashable, Sendable {
    var throughput, cpu: Double
    /// Nanoseconds of processor time per operation above the reference row.
    var cpuNanosecondsAbove: Double

    enum CodingKeys: String, CodingKey {
      case throughput, cpu
      case cpuNanosecondsAbove = "cpu_ns_above"
    }
  }

  enum CodingKeys: String, CodingKey {
    case workload, revision, parameters, style, operations, warm, rounds, median, spread, histogram
    case pooledLatency = "pooled_latency_ns"
    case ratioToC = "ratio_to_c"
    case countsPerOperation = "counts_per_op"
    case arrivals, saturated
    case achievedRate = "achieved_rate"
    case serviceLatency = "service_latency_ns"
    case peakRate = "peak_rate"
  }
}

extension Results {
  /// The machine and the versions: only runs that have these in common are comparable.
  var setting: String {
    "\(machine.cpu), \(Figure.number(machine.cores, "processor"))"
      + (gate == nil ? "; Swift \(swift), libuv \(libuv)" : "")
  }

  /// What is said of figures that were taken while others used the machine; nil if nobody did.
  var busy: String? {
    let others = method.othersBusy.flatMap { busy in
      busy < 0.1 * Double(machine.cores)
        ? nil
        : "other programs kept \(Figure.fixed(busy, digits: 1)) of \(Figure.number(machine.cores, "processor"))"
          + " at work meanwhile"
    }
    let stolen = method.stolen.flatMap { share in
      share < 0.01
        ? nil : "the hypervisor gave \(Figure.fixed(share * 100, digits: 0)) % of its time to other machines"
    }
    let causes = [others, stolen].compactMap(\.self).joined(separator: ", and ")
    if causes.isEmpty { return nil }
    return "The machine was busy: \(causes). Measure again before you rely on these times."
  }
}
