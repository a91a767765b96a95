/// The gate's verdict on a figure of a program that others wrote, as it is shown and written.
struct FigureRow: Codable, Sendable {
  var figure: OutsideFigure
  /// As people call it.
  var title: String
  var outcome: GateOutcome
  var isWarning = false
  var reason: String?
  /// As a share: 0.05 is five per cent more.
  var change: Double?
  var interval: [Double]?
  var confidence: Double
  /// Of a request or a run, in nanoseconds or bytes: between the medians of both over all pairs, and as far apart as the change.
  var base, head: Double?
  /// Pairs of fresh processes.
  var pairs: Int
  /// The logarithm of the ratio of new to old that each pair has shown.
  var shifts: [Double]?
  /// What a second measurement of a regression said.
  var confirmation: GateOutcome?
  /// Of p99: what would have been found.
  var reach: LatencyReach?
  /// Seconds that the pairs have taken, which all figures share.
  var seconds: Double?
  var isServer: Bool

  enum CodingKeys: String, CodingKey {
    case figure, title, outcome, reason, change, interval, confidence, base, head, pairs, shifts, confirmation
    case reach, seconds
    case isWarning = "warning"
    case isServer = "server"
  }

  /// The verdict on what the pairs have shown. It depends on nothing else.
  init(
    _ figure: OutsideFigure, _ samples: [OutsideSample], smallest: Double, delay: Double? = nil,
    isServer: Bool
  ) {
    let samples = samples.filter(\.shift.isFinite)
    let rule = Self.rule(figure, samples, smallest: smallest, delay: delay)
    let verdict = GateVerdict(pairs: [samples.map(\.shift)], rule: rule)
    (self.figure, self.isServer) = (figure, isServer)
    title = figure.title(isServer: isServer)
    (outcome, isWarning) = (verdict.outcome, verdict.isWarning)
    (change, interval, confidence) = (verdict.change, verdict.interval, rule.confidence)
    pairs = samples.count
    shifts = samples.map { ($0.shift * 1e5).rounded() / 1e5 }
    guard !samples.isEmpty else {
      reason = OutsideFigure.latencies.contains(figure) ? "too few requests" : "not measured"
      return
    }
    if samples.count < rule.looks[0] {
      reason = "\(Figure.number(samples.count, "pair")) of \(rule.looks[0])"
      let sample = SignedRank(samples.map(\.shift))
      change = sample.estimate.map(Quad.change)
    }
    let (old, new) = (Statistics.median(samples.map(\.base)), Statistics.median(samples.map(\.head)))
    (base, head) = (old, new)
    // Medians of each by itself may say something else than the pairs do, which are compared within. The two that are
    // shown differ by what is shown as the change.
    if let change, old > 0, new > 0 {
      let (middle, ratio) = ((old * new).squareRoot(), (1 + change).squareRoot())
      (base, head) = (middle / ratio, middle * ratio)
    }
  }

  private static func rule(
    _ figure: OutsideFigure, _ samples: [OutsideSample], smallest: Double, delay: Double?
  ) -> GateRule {
    let tails = figure == .p99 ? samples.compactMap(\.latencies).map(LatencyTail.init) : []
    guard let delay, !tails.isEmpty else { return figure.rule(smallest: smallest) }
    let found = tails.map {
      $0.delayed(LatencyReach.share, by: delay).mean(around: 99) / $0.mean(around: 99) - 1
    }
    return figure.rule(smallest: smallest, found: max(Statistics.median(found), 0.01))
  }

  /// Finds out which delay such pairs would have shown.
  mutating func reach(of samples: [OutsideSample], smallest: Double, delay: Double?) {
    let rule = Self.rule(figure, samples, smallest: smallest, delay: delay)
    reach = LatencyReach(samples, asked: delay) {
      GateVerdict.outcome(pairs: [$0], rule: rule) == .regressed
    }
  }

  /// Whether more pairs may show a change that these only hint at.
  func isSuspect(smallest: Double) -> Bool {
    guard outcome == .inconclusive, let change else { return false }
    return change > figure.rule(smallest: smallest).minimumEffect
  }

  /// Takes note of a second measurement: a regression must hold.
  mutating func confirm(with again: FigureRow) {
    confirmation = again.outcome
    guard again.outcome != .regressed else { return }
    outcome = .inconclusive
    reason = "worse at first, but \(again.outcome.words) when measured once more"
  }

  /// What people are shown: a title, both figures, the change, and the verdict.
  var cells: [String] {
    let shown = [base, head].map { $0.map { figure.text($0, isServer: isServer) } ?? "" }
    let inverted = figure.isInverted(isServer: isServer)
    func text(_ change: Double) -> String { GateText.percent(inverted ? 1 / (1 + change) - 1 : change) }
    let bounds = interval.map { inverted ? $0.reversed() : $0 }?.map(text).joined(separator: ", ")
    let changed = change.map { text($0) + (bounds.map { " [\($0)]" } ?? "") } ?? ""
    let verdict = (isWarning ? "warning" : outcome.words) + (reason.map { ": " + $0 } ?? "")
    return [title] + shown + [changed, verdict]
  }

  static let head = ["", "old", "new", "change", "verdict"]
}

extension GateOutcome {
  /// As people say it.
  var words: String { self == .inconclusive ? "cannot tell" : rawValue }
}
