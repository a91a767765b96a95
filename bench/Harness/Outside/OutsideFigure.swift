import ArgumentParser

/// What is judged of a program that others wrote. More of each is worse.
enum OutsideFigure: String, CaseIterable, Codable, Comparable, Sendable, ExpressibleByArgument {
  /// Processor time of a request, or of a run.
  case cpu
  /// The clock's time of a request when many are under way, which is shown as requests a second; or of a run.
  case time
  case p50, p99
  case p999 = "p99.9"
  /// What it holds at the end; of a program that ends, the most that it held.
  case memory

  static func < (one: OutsideFigure, other: OutsideFigure) -> Bool {
    (allCases.firstIndex(of: one) ?? 0) < (allCases.firstIndex(of: other) ?? 0)
  }

  static let latencies: Set<OutsideFigure> = [.p50, .p99, .p999]

  /// How it is judged, if `smallest` is the smallest change of processor time that has to be found, and `found` is what the
  /// smallest delay that has to be found makes of p99, if there is one. A sample is a pair of fresh processes.
  func rule(smallest: Double, found tail: Double? = nil) -> GateRule {
    var rule = self == .cpu || self == .memory ? GateRule() : GateRule.wall
    rule.looks = Self.looks
    rule.pairs = 1
    rule.agreeing = 1
    rule.sameHoldsZero = false
    let found = self == .memory ? max(smallest, 0.05) : smallest
    if self == .cpu || self == .memory {
      (rule.bound, rule.sameWithin) = (found / 6, found * 2 / 3)
      (rule.minimumEffect, rule.warningEffect) = (found / 2, found / 3)
    }
    if self == .p99, let tail {
      rule.looks = Self.looks + Self.moreLooks
      // Never duller than it is otherwise.
      (rule.bound, rule.sameWithin) = (min(tail / 6, rule.bound), min(tail * 2 / 3, rule.sameWithin))
      rule.minimumEffect = min(tail / 2, rule.minimumEffect)
      rule.warningEffect = min(tail / 3, rule.warningEffect)
    }
    return rule
  }

  /// After how many pairs of processes a verdict is tried.
  static let looks = [8, 12, 16, 24]
  /// And if a delay has to be found.
  static let moreLooks = [32, 48, 64]

  func title(isServer: Bool) -> String {
    switch self {
    case .cpu: "CPU per \(isServer ? "request" : "run")"
    case .time: isServer ? "requests a second" : "time"
    case .p50, .p99, .p999: rawValue
    case .memory: isServer ? "memory at the end" : "peak memory"
    }
  }

  func text(_ value: Double, isServer: Bool) -> String {
    switch self {
    case .memory: Figure.bytes(value)
    case .time where isServer: Figure.count(1e9 / value)
    default: Figure.duration(value)
    }
  }

  /// Whether its change is shown the other way round.
  func isInverted(isServer: Bool) -> Bool { self == .time && isServer }
}

/// A figure of two programs, measured in the same moments.
struct OutsideSample: Hashable, Sendable {
  var base, head: Double
  /// The logarithm of the ratio of head to base, which is more exact than the two.
  var shift: Double
  /// Of p99: the old server's latencies.
  var latencies: SparseHistogram?

  init(base: Double, head: Double, shift: Double? = nil) {
    (self.base, self.head) = (base, head)
    self.shift = shift ?? (base > 0 && head > 0 ? log(head / base) : .nan)
  }

  /// Of what each of several moments says.
  init?(_ moments: [OutsideSample]) {
    let moments = moments.filter(\.shift.isFinite)
    guard let shift = SignedRank(moments.map(\.shift)).estimate else { return nil }
    self.init(
      base: Statistics.median(moments.map(\.base)), head: Statistics.median(moments.map(\.head)), shift: shift
    )
  }
}
