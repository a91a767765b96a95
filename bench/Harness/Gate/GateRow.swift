/// The gate's verdict on one row, as it is shown and written.
struct GateRow: Codable, Sendable {
  var id: String
  var outcome: GateOutcome
  /// Whether there is an effect that is too small to fail.
  var isWarning = false
  var reason: String?
  /// The verdict by processor time, which decides.
  var cpu: GateVerdict?
  /// The verdict by the clock on the wall, which can only be against the head.
  var wall: GateVerdict?
  /// What a second copy of the base said against the first.
  var noise: PairVerdict?
  /// The largest distance of a noise quad from zero but for one in twenty, as a change.
  var noiseFloor: Double?
  /// Processor time per operation, the median.
  var baseNanoseconds, headNanoseconds: Double?
  var seconds: Double?
  /// What a second measurement of a regression said.
  var confirmation: GateOutcome?

  enum CodingKeys: String, CodingKey {
    case id, outcome, reason, cpu, wall, noise, seconds, confirmation
    case isWarning = "warning"
    case noiseFloor = "noise_floor"
    case baseNanoseconds = "base_ns_per_op"
    case headNanoseconds = "head_ns_per_op"
  }

  init(id: WorkloadID, outcome: GateOutcome, reason: String) {
    self.id = id.description
    (self.outcome, self.reason) = (outcome, reason)
  }

  init(id: WorkloadID, trace: GateTrace, rule: GateRule, seconds: Double) {
    let cpu = GateVerdict(pairs: trace.cpu, rule: rule)
    let wall = GateVerdict(pairs: trace.wall, rule: .wall)
    self.id = id.description
    self.outcome = cpu.outcome
    self.isWarning = cpu.isWarning
    (self.cpu, self.wall, self.seconds) = (cpu, wall, seconds)
    if !trace.baseTimes.isEmpty { baseNanoseconds = Statistics.median(trace.baseTimes) }
    if !trace.headTimes.isEmpty { headNanoseconds = Statistics.median(trace.headTimes) }
    if wall.outcome == .regressed, cpu.outcome != .regressed {
      outcome = .regressed
      reason = "processor time is \(cpu.outcome.rawValue), but it takes longer: \(GateText.change(wall))"
    }
    judgeNoise(trace, rule)
  }

  private mutating func judgeNoise(_ trace: GateTrace, _ rule: GateRule) {
    let quads = trace.noise.filter { $0.isFinite }
    guard !quads.isEmpty else { return }
    // All pairs had another second copy: what these agree on is not the chance of one.
    let verdict = rule.look(quads)
    noise = verdict
    noiseFloor = Quad.change(Statistics.quantile(quads.map { abs($0) }, 0.95))
    if verdict == .regressed || verdict == .improved {
      outcome = .tooNoisy
      reason = "this machine is too noisy now: the base differs from itself"
    }
  }

  /// Takes note of a second measurement: a regression must hold.
  mutating func confirm(with again: GateRow) {
    confirmation = again.outcome
    seconds = (seconds ?? 0) + (again.seconds ?? 0)
    if again.outcome != .regressed {
      outcome = .inconclusive
      reason = "slower at first, but \(again.outcome.rawValue) when measured once more"
    }
  }
}
