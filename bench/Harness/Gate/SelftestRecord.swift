/// What a gate said of programs whose difference is known, added up over runs.
struct SelftestRecord: Codable, Sendable {
  /// How often each outcome was reached, for one workload and one injected change.
  struct Tally: Codable, Sendable {
    var workload: String
    /// What was injected: `0` for nothing, `5` for five per cent, `alloc`, …
    var injected: String
    var outcomes: [String: Int]
    var seconds: Double
    var longest: Double
  }

  var schema = 1
  /// Where and of what it was measured: figures of others are not added.
  var fingerprint: String
  var tallies: [Tally] = []

  mutating func note(workload: String, injected: String, outcome: GateOutcome, seconds: Double) {
    let known = tallies.firstIndex { $0.workload == workload && $0.injected == injected }
    let index = known ?? tallies.count
    if known == nil {
      tallies.append(Tally(workload: workload, injected: injected, outcomes: [:], seconds: 0, longest: 0))
    }
    tallies[index].outcomes[outcome.rawValue, default: 0] += 1
    tallies[index].seconds += seconds
    tallies[index].longest = max(tallies[index].longest, seconds)
  }

  /// How often one of `outcomes` was reached where `injected` was, in all workloads or in one.
  func proportion(_ outcomes: Set<GateOutcome>, injected: String, workload: String? = nil) -> Proportion {
    var proportion = Proportion()
    for tally in tallies
    where tally.injected == injected && (workload == nil || tally.workload == workload) {
      for (outcome, count) in tally.outcomes {
        proportion.tries += count
        if GateOutcome(rawValue: outcome).map(outcomes.contains) == true { proportion.hits += count }
      }
    }
    return proportion
  }

  var workloads: [String] { tallies.map(\.workload).unique() }

  /// What was injected, changes in ascending order.
  var injections: [String] {
    let all = Set(tallies.map(\.injected))
    return all.sorted { (Double($0) ?? .infinity, $0) < (Double($1) ?? .infinity, $1) }
  }
}

/// A record as others read it.
struct SelftestSummary: Codable, Sendable {
  /// How many comparisons of a program with itself there were.
  var comparisons: Int
  /// The share of them in which it was called different.
  var falseAlarmRate: Double?
  var falseAlarmInterval: [Double]
  /// The share of them that have no verdict.
  var inconclusiveRate: Double?
  /// By what was injected: the share that was found.
  var detectionRate: [String: Double]
  var detectionInterval: [String: [Double]]
  /// By what was injected: the share that was called unchanged, which is a miss.
  var missedRate: [String: Double]
  var seconds: Double
  var longestSeconds: Double

  enum CodingKeys: String, CodingKey {
    case comparisons, seconds
    case falseAlarmRate = "false_alarm_rate"
    case falseAlarmInterval = "false_alarm_ci"
    case inconclusiveRate = "inconclusive_rate"
    case detectionRate = "detection_rate"
    case detectionInterval = "detection_ci"
    case missedRate = "missed_rate"
    case longestSeconds = "longest_seconds"
  }

  init(_ record: SelftestRecord) {
    let alarms = record.proportion([.regressed, .improved], injected: "0")
    comparisons = alarms.tries
    falseAlarmRate = alarms.rate
    falseAlarmInterval = Self.bounds(alarms)
    inconclusiveRate = record.proportion([.inconclusive, .tooNoisy], injected: "0").rate
    (detectionRate, detectionInterval, missedRate) = ([:], [:], [:])
    for injected in record.injections where injected != "0" {
      let found = record.proportion([.regressed], injected: injected)
      detectionRate[injected] = found.rate
      detectionInterval[injected] = Self.bounds(found)
      missedRate[injected] = record.proportion([.unchanged], injected: injected).rate
    }
    seconds = record.tallies.reduce(0) { $0 + $1.seconds }
    longestSeconds = record.tallies.map(\.longest).max() ?? 0
  }

  private static func bounds(_ proportion: Proportion) -> [Double] {
    let interval = proportion.interval()
    return [interval.lowerBound, interval.upperBound]
  }
}
