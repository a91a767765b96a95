/// One count of a row beside that of the baseline.
struct CountsFinding: Codable, Hashable, Sendable {
  enum Level: String, Codable, Sendable {
    case regressed, warning, improved
    /// It depends on timing, as the workload says or repetitions of the base have shown: not judged.
    case unsteady
  }

  var counter: Counter
  /// Per operation.
  var base, head: Double
  var level: Level

  /// `allocations 1.00 → 2.00`.
  var change: String { "\(counter) \(Figure.fixed(base, digits: 2)) → \(Figure.fixed(head, digits: 2))" }
}

/// The counts of a row judged against the baseline.
struct CountsRow: Codable, Sendable {
  var id: String
  var outcome: GateOutcome
  /// Why, where the figures do not say it.
  var reason: String?
  var findings: [CountsFinding] = []
  var counts: Counts = [:]
  /// How long counting took, shared out among the rows.
  var seconds: Double?

  /// Whether there is more to say than that nothing changed.
  var isWorthAWord: Bool { outcome != .unchanged || isWarning }
  /// Whether there is something too small to fail.
  var isWarning: Bool { findings.contains { $0.level == .warning } }
}

/// How much of each counter is tolerated.
enum CountsRule {
  /// More than the base by so much per operation, or by that share of it, fails.
  private static let limits: [Counter: (absolute: Double, share: Double)] = [
    .allocations: (0.05, 0.01), .allocatedBytes: (1, 0.02), .systemCalls: (0.05, 0.02),
    .vainCalls: (0.05, 0.02), .jobs: (0.05, 0.02), .jobsRun: (0.05, 0.02),
    .jobsFromOtherThreads: (0.05, 0.02), .wakeups: (0.05, 0.02), .instructions: (10, 0.02),
    .heldBytes: (8, 0.02),
  ]

  /// Of these one more for each operation is always found: no more than so much is tolerated
  /// on the ground that repetitions of the same program differed.
  private static let mostForRange = 0.5

  /// Of what is held, half of that share may differ, so that an object more is always found.
  private static let mostForBytes = 0.05

  /// From this share on, more instructions are worth a warning.
  private static let warningShare = 0.005

  /// What stands in the file, and what is judged.
  static let counters = Set(limits.keys)

  /// Whether a count of `base` repeats well enough to be judged: so well that one more for each
  /// operation is found, and of instructions what is worth a warning. What does not stands in the
  /// file all the same, for the reader.
  static func isSteady(_ counter: Counter, in base: Counts) -> Bool {
    // As many bytes as there are allocations: what is true of these is true of those.
    let counter = counter == .allocatedBytes ? .allocations : counter
    guard let figure = base[counter] else { return true }
    guard figure.dependsOnTiming != true else { return false }
    let shares: [Counter: Double] = [.instructions: warningShare, .heldBytes: mostForBytes]
    return 2 * figure.range <= (shares[counter].map { $0 * figure.value } ?? mostForRange)
  }

  /// What is worth a word in `head`. It depends on nothing else.
  static func findings(base: Counts, head: Counts) -> [CountsFinding] {
    return counters.sorted().compactMap { counter in
      guard let old = base[counter], let new = head[counter], let limit = limits[counter] else { return nil }
      func finding(_ level: CountsFinding.Level) -> CountsFinding {
        CountsFinding(counter: counter, base: old.value, head: new.value, level: level)
      }
      guard isSteady(counter, in: base), new.dependsOnTiming != true else { return finding(.unsteady) }
      // What differed as much between repetitions of the same program proves nothing.
      let tolerated = max(limit.absolute, limit.share * old.value, 2 * old.range)
      let more = new.value - old.value
      if more > tolerated { return finding(.regressed) }
      if more < -tolerated { return finding(.improved) }
      return counter == .instructions && more > warningShare * old.value ? finding(.warning) : nil
    }
  }

  /// Of two counts of the same program those that lie nearer to the base: what the machine
  /// adds now and then is not of the program.
  static func nearer(_ one: Counts, _ other: Counts, to base: Counts) -> Counts {
    Dictionary(
      uniqueKeysWithValues: one.map { counter, figure in
        func distance(_ figure: CountFigure) -> Double { abs(figure.value - (base[counter]?.value ?? 0)) }
        guard let again = other[counter], distance(again) < distance(figure) else { return (counter, figure) }
        return (counter, again)
      })
  }

  /// The verdict on all rows of `head`, and on rows of the base that are gone; rows for
  /// which `isChosen` is false were not asked for.
  static func judge(
    base: [String: Counts], head: [String: Counts], isChosen: (String) -> Bool
  ) -> [CountsRow] {
    var rows = head.keys.sorted().map { id in judge(id, base: base, head: head[id] ?? [:]) }
    for id in base.keys.sorted() where head[id] == nil && isChosen(id) {
      let reason = "it is in the baseline and no longer in the program"
      rows.append(CountsRow(id: id, outcome: .notComparable, reason: reason))
    }
    return rows
  }

  private static func judge(_ id: String, base: [String: Counts], head: Counts) -> CountsRow {
    guard let old = base[id] else {
      let reason = "it is not in the baseline; add it with --update"
      return CountsRow(id: id, outcome: .notComparable, reason: reason, counts: head)
    }
    let findings = findings(base: old, head: head)
    let outcome: GateOutcome =
      findings.contains { $0.level == .regressed }
      ? .regressed : findings.contains { $0.level == .improved } ? .improved : .unchanged
    return CountsRow(id: id, outcome: outcome, findings: findings, counts: head)
  }
}
