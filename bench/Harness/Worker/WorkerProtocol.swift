/// What a harness asks of a worker, a line at a time:
///
///     run <workload-id> <n> <seed>      measure n operations
///     time <workload-id> <n> <seed>     the same without latencies, for a short answer
///     duel <workload-id> <n> <seed>     the same on the one processor that a rival uses too
///     count <workload-id> <n> <seed>    the same as `time` with the counters on
///
/// A rate may follow, as `rate=<operations per second>`, and `poisson=1` to draw the gaps
/// between operations instead of making them equal: an open loop.
///
/// The worker greets with one `WorkerHello`, answers every line with one `WorkerAnswer`, both as JSON on a
/// line, and ends with its standard input. A worker of an older revision can so be driven by a newer harness.
public struct WorkerRequest: Hashable, Sendable, CustomStringConvertible {
  public enum Verb: String, Sendable { case run, time, duel, count }

  var verb: Verb
  var id: WorkloadID
  var operations: Int
  var seed: UInt64
  /// When operations begin, unless each begins when the one before it has ended.
  var arrivals: Arrivals?

  public init(_ verb: Verb, _ id: WorkloadID, operations: Int, seed: UInt64, arrivals: Arrivals? = nil) {
    (self.verb, self.id, self.operations) = (verb, id, operations)
    (self.seed, self.arrivals) = (seed, arrivals)
  }

  public var description: String {
    (["\(verb) \(id) \(operations) \(seed)"] + (arrivals?.words ?? [])).joined(separator: " ")
  }

  /// What a load generator knows of it.
  var load: [(String, String)] {
    let figures = [("size", 1), ("pipelined", 1), ("sets", 0)].map { name, usual in
      (name, "\(id.parameters.value(name) ?? usual)")
    }
    let run = [("operations", "\(operations)"), ("seed", "\(seed)"), ("silent", verb == .run ? "0" : "1")]
    return figures + run + (arrivals?.values ?? [])
  }

  init(line: String) throws {
    let words = line.split(separator: " ").map(String.init)
    guard words.count >= 4 else { throw UsageError("expected `run <workload-id> <n> <seed>`, got `\(line)`") }
    guard let verb = Verb(rawValue: words[0]) else {
      throw UsageError("unknown request `\(words[0])`; there are `run`, `time`, `duel` and `count`")
    }
    guard let id = WorkloadID(words[1]) else {
      throw UsageError("`\(words[1])` is not a workload id, such as `tcp-echo@1/c?size=64`")
    }
    guard let operations = Int(words[2]), operations > 0, let seed = UInt64(words[3]) else {
      throw UsageError("`\(words[2]) \(words[3])` is not a number of operations and a seed")
    }
    guard let arrivals = Arrivals.read(Array(words[4...])) else {
      throw UsageError("`\(words[4...].joined(separator: " "))` is not a rate, such as rate=5000")
    }
    self.init(verb, id, operations: operations, seed: seed, arrivals: arrivals)
  }
}

/// An open loop: operations begin when they are due, whatever has come back.
public struct Arrivals: Hashable, Codable, Sendable {
  public var rate: Double
  /// Whether the gaps are drawn as in a Poisson process, from the seed, or equal.
  public var isPoisson: Bool

  public init(rate: Double, isPoisson: Bool = false) { (self.rate, self.isPoisson) = (rate, isPoisson) }

  /// As the load generator knows it.
  public var values: [(String, String)] { [("rate", "\(rate)")] + (isPoisson ? [("poisson", "1")] : []) }

  fileprivate var words: [String] { values.map { "\($0)=\($1)" } }

  /// Reads such words; `.some(nil)` when there are none, nil when they are something else.
  fileprivate static func read(_ words: [String]) -> Arrivals?? {
    guard let first = words.first else { return .some(nil) }
    guard first.hasPrefix("rate="), let rate = Double(first.dropFirst(5)), rate > 0, rate.isFinite else {
      return nil
    }
    let rest = words.dropFirst()
    guard rest.isEmpty || rest.elementsEqual(["poisson=1"]) else { return nil }
    return .some(Arrivals(rate: rate, isPoisson: !rest.isEmpty))
  }
}

/// What a worker says first.
struct WorkerHello: Hashable, Codable, Sendable {
  static let currentVersion = 2

  /// The version of the protocol that the worker speaks.
  var `protocol` = currentVersion
  var libraries: [String: String] = [:]
}

/// What a worker measured, or what went wrong.
public struct WorkerAnswer: Hashable, Codable, Sendable {
  enum Failure: String, Codable, Sendable {
    case wrongWork = "wrong-work"
    /// The request could not be understood or met.
    case usage
  }

  /// Set when there are no figures, with a sentence about it.
  var failure: Failure?
  var message: String?
  var operations: Int = 0
  /// What they found, in hexadecimal.
  var checksum: String = "0"
  var wallNanoseconds: UInt64 = 0
  /// Processor time of the measured side in the window, with its parts in user space and in the kernel.
  public var cpuNanoseconds: UInt64 = 0
  var userNanoseconds: UInt64 = 0
  var systemNanoseconds: UInt64 = 0
  var peakRSSBytes: UInt64 = 0
  /// How long operations took; in an open loop, since they were due.
  var latencies = SparseHistogram()
  /// In an open loop: how long operations took since they were begun.
  var service: SparseHistogram?
  /// Counters; context switches and page faults always.
  var counters: [Counter: UInt64] = [:]

  public var rate: Double { Double(operations) * 1e9 / Double(max(wallNanoseconds, 1)) }

  enum CodingKeys: String, CodingKey {
    case failure, message, operations, checksum, latencies, service, counters
    case wallNanoseconds = "wall_ns"
    case cpuNanoseconds = "cpu_ns"
    case userNanoseconds = "user_ns"
    case systemNanoseconds = "system_ns"
    case peakRSSBytes = "peak_rss_bytes"
  }

}

extension WorkerAnswer {
  init(_ outcome: RunOutcome, _ measurement: Meter.Measurement, peakRSSBytes: UInt64) {
    let usage = measurement.usage
    self.init(
      operations: outcome.operations, checksum: String(outcome.checksum, radix: 16),
      wallNanoseconds: usage.wall, cpuNanoseconds: usage.cpu, userNanoseconds: usage.user,
      systemNanoseconds: usage.system, peakRSSBytes: peakRSSBytes,
      latencies: outcome.latencies?.sparse ?? SparseHistogram(), service: outcome.service?.sparse,
      counters: measurement.counters.merging(outcome.counters) { $1 })
    counters[.voluntarySwitches] = usage.voluntarySwitches
    counters[.involuntarySwitches] = usage.involuntarySwitches
    counters[.pageFaults] = usage.pageFaults
  }
}
