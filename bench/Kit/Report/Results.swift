/// A whole run, as it is written with `--json`. The form is documented in
/// `bench/README.md`; a change that an old reader would misread raises `schema`.
public struct Results: Codable, Sendable {
  /// The version of this form.
  public static let currentSchema = 1

  /// The version of the form of this value.
  public var schema: Int
  /// When the run began, in UTC.
  public var date: String
  public var machine: Machine
  /// The version of libuv, or an empty text.
  public var libuv: String
  public var swift: String
  public var method: Method
  /// A result for every row of every case.
  public var results: [RowResult]

  /// How the figures were obtained.
  public struct Method: Codable, Sendable {
    /// Rounds per row.
    public var rounds: Int
    /// How long a round of the reference row was meant to last.
    public var windowNanoseconds: Double
    /// The commit, with `+changes` when the working copy differs; empty when unknown.
    public var commit: String
    public var build: String
    /// Threads in libuv's pool.
    public var threadPool: Int
    /// Whether servers and the load generator were confined to a processor each.
    public var pinnedApart: Bool
    /// Where the load came from, if not from this machine, or went to, if not to a server of the benchmark.
    public var load: String?
    /// Processors that other programs kept busy meanwhile; nil where that cannot be seen.
    public var othersBusy: Double?
    /// The share of the time that the hypervisor gave to other machines; nil where that cannot be seen.
    public var stolen: Double?

    enum CodingKeys: String, CodingKey {
      case rounds, commit, build, load, stolen
      case pinnedApart = "pinned_apart"
      case othersBusy = "others_busy"
      case windowNanoseconds = "window_ns"
      case threadPool = "thread_pool"
    }

    /// Where servers and the load generator ran, in a few words.
    public var placement: String { load ?? (pinnedApart ? "a processor each" : "not pinned apart") }

    public init(
      rounds: Int, windowNanoseconds: Double, commit: String, build: String, threadPool: Int,
      pinnedApart: Bool, load: String? = nil, othersBusy: Double? = nil, stolen: Double? = nil
    ) {
      self.load = load
      self.rounds = rounds
      self.windowNanoseconds = windowNanoseconds
      self.commit = commit
      self.build = build
      self.threadPool = threadPool
      self.pinnedApart = pinnedApart
      self.othersBusy = othersBusy
      self.stolen = stolen
    }
  }

  public init(
    date: String, machine: Machine, libuv: String, swift: String, method: Method,
    results: [RowResult]
  ) {
    schema = Self.currentSchema
    self.date = date
    self.machine = machine
    self.libuv = libuv
    self.swift = swift
    self.method = method
    self.results = results
  }
}

/// One row: a workload, its parameters and a style.
public struct RowResult: Codable, Sendable {
  public var workload: String
  public var revision: Int
  public var parameters: ParameterValues
  public var style: Style
  /// How many operations each round did, the same for all rows of a case.
  public var operations: Int
  /// Whether two windows of the warm-up agreed within 2 %.
  public var warm: Bool
  /// The rounds in the order in which they were run.
  public var rounds: [Round]
  /// The median of the rounds, each figure by itself.
  public var median: Round
  /// The quartiles of the rounds.
  public var spread: Spreads
  /// Percentiles over the latencies of all rounds together.
  public var pooledLatency: LatencySummary
  /// The latencies of all rounds together.
  public var histogram: SparseHistogram
  /// Compared with the reference row; nil where there is none.
  public var ratioToC: Ratio?
  /// Counts per operation, from a pass of their own.
  public var countsPerOperation: [Counter: Double]
  /// In an open loop: when operations began.
  public var arrivals: Arrivals?
  /// In an open loop: operations per second that were achieved, the median.
  public var achievedRate: Double?
  /// In an open loop: whether less than 99 % of the rate was achieved. There are no
  /// percentiles then: the queue grows as long as one measures.
  public var saturated: Bool?
  /// In an open loop: percentiles since operations were begun and not since they were due.
  public var serviceLatency: LatencySummary?
  /// The highest rate that was kept up with, where that was looked for.
  public var peakRate: Double?

  /// Whether so much less than the offered rate was achieved that the queue grew.
  public static func isSaturated(offered: Double, achieved: Double) -> Bool {
    achieved < 0.99 * offered
  }

  public struct Round: Codable, Hashable, Sendable {
    /// Operations per second.
    public var throughput: Double
    /// Processor time of the measured side, per operation.
    public var cpuNanosecondsPerOperation: Double
    /// The part of it in user space.
    public var userNanosecondsPerOperation: Double
    /// The part of it in the kernel.
    public var systemNanosecondsPerOperation: Double
    /// Percentiles of the round.
    public var latency: LatencySummary
    /// The largest resident size during the round.
    public var peakRSSBytes: UInt64

    enum CodingKeys: String, CodingKey {
      case throughput
      case cpuNanosecondsPerOperation = "cpu_ns_per_op"
      case userNanosecondsPerOperation = "user_ns_per_op"
      case systemNanosecondsPerOperation = "system_ns_per_op"
      case latency = "latency_ns"
      case peakRSSBytes = "peak_rss_bytes"
    }
  }

  /// Medians with quartiles.
  public struct Spreads: Codable, Hashable, Sendable {
    /// Of operations per second.
    public var throughput: Spread
    /// Of processor time per operation.
    public var cpuNanosecondsPerOperation: Spread

    enum CodingKeys: String, CodingKey {
      case throughput
      case cpuNanosecondsPerOperation = "cpu_ns_per_op"
    }
  }

  /// A row beside the reference row. Each ratio is the median over the rounds of the
  /// ratio within the round, since rounds share what the machine was up to.
  public struct Ratio: Codable, Hashable, Sendable {
    /// Operations per second: more is better.
    public var throughput: Double
    /// Processor time per operation: less is better.
    public var cpu: Double
    /// Nanoseconds of processor time per operation above the reference row.
    public var cpuNanosecondsAbove: Double

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
  public var setting: String {
    "\(machine.cpu), \(Figure.number(machine.cores, "processor")); Swift \(swift), libuv \(libuv)"
  }

  /// The machine, the versions and the day, in a line.
  var place: String { "\(setting); \(date)" }

  /// What is said of figures that were taken while others used the machine; nil if nobody did.
  public var busy: String? {
    var causes: [String] = []
    if let others = method.othersBusy, others >= 0.1 * Double(machine.cores) {
      causes.append(
        "other programs kept \(Figure.fixed(others, digits: 1)) of"
          + " \(Figure.number(machine.cores, "processor")) at work meanwhile")
    }
    if let stolen = method.stolen, stolen >= 0.01 {
      causes.append(
        "the hypervisor gave \(Figure.fixed(stolen * 100, digits: 0)) % of its time to other machines")
    }
    if causes.isEmpty { return nil }
    return "The machine was busy: \(causes.joined(separator: ", and "))."
      + " Measure again before you rely on these times."
  }
}
