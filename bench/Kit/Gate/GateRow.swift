/// The gate's verdict on one row, as it is shown and written.
public struct GateRow: Codable, Sendable {
  /// The full name of the row.
  public var id: String
  /// What came out.
  public var outcome: GateOutcome
  /// Whether there is an effect that is too small to fail.
  public var isWarning = false
  /// Why, where the figures do not say it.
  public var reason: String?
  /// The verdict by processor time.
  public var cpu: GateVerdict?
  /// The verdict by the clock on the wall.
  public var wall: GateVerdict?
  /// The clock that decides.
  public var clock: DecidingClock?
  /// What a second copy of the base said against the first.
  public var noise: GateVerdict?
  /// The largest distance of a noise quad from zero but for one in twenty, as a change.
  public var noiseFloor: Double?
  /// Processor time per operation of the base, the median.
  public var baseNanoseconds: Double?
  /// The same of the head.
  public var headNanoseconds: Double?
  /// How long the measurement took.
  public var seconds: Double?
  /// What a second measurement of a regression said.
  public var confirmation: GateOutcome?

  enum CodingKeys: String, CodingKey {
    case id, outcome, reason, cpu, wall, clock, noise, seconds, confirmation
    case isWarning = "warning"
    case noiseFloor = "noise_floor"
    case baseNanoseconds = "base_ns_per_op"
    case headNanoseconds = "head_ns_per_op"
  }

  /// A verdict without figures.
  public init(id: WorkloadID, outcome: GateOutcome, reason: String) {
    self.id = id.description
    self.outcome = outcome
    self.reason = reason
  }

  /// The verdict on what was measured.
  public init(
    id: WorkloadID, trace: GateTrace, clock: DecidingClock, rule: GateRule, seconds: Double
  ) {
    let cpu = GateVerdict(pairs: trace.cpu, rule: rule)
    let wall = GateVerdict(pairs: trace.wall, rule: rule)
    let verdict = clock == .both ? cpu.agreeing(with: wall) : cpu
    self.id = id.description
    self.outcome = verdict.outcome
    self.isWarning = verdict.isWarning
    self.cpu = cpu
    self.wall = wall
    self.clock = clock
    self.seconds = seconds
    if !trace.baseTimes.isEmpty { baseNanoseconds = Statistics.median(trace.baseTimes) }
    if !trace.headTimes.isEmpty { headNanoseconds = Statistics.median(trace.headTimes) }
    judgeNoise(trace, rule)
    if clock == .both, cpu.outcome != wall.outcome {
      reason = "processor time says \(cpu.outcome.rawValue), the clock says \(wall.outcome.rawValue)"
    }
  }

  private mutating func judgeNoise(_ trace: GateTrace, _ rule: GateRule) {
    var rule = rule
    // The smallest sample that has an interval of 99 %.
    rule.looks = [8]
    let quads = trace.noise.flatMap { $0 }.filter { $0.isFinite }
    guard !quads.isEmpty else { return }
    noise = GateVerdict(pairs: trace.noise, rule: rule)
    noiseFloor = Quad.change(Statistics.quantile(quads.map { abs($0) }, 0.95))
    if noise?.outcome == .regressed || noise?.outcome == .improved {
      outcome = .tooNoisy
      reason = "this machine is too noisy now: the base differs from itself"
    }
  }

  /// Takes note of a second measurement: a regression must hold.
  public mutating func confirm(with again: GateRow) {
    confirmation = again.outcome
    seconds = (seconds ?? 0) + (again.seconds ?? 0)
    if again.outcome != .regressed {
      outcome = .inconclusive
      reason = "slower at first, but \(again.outcome.rawValue) when measured once more"
    }
  }
}
